from __future__ import annotations

import asyncio
from pathlib import Path

from agents.agent import Agent
from agents.brains import Situation
from agents.compaction.report import report
from agents.life.scheduler import Scheduler
from agents.llm.backend import Completion, Enough
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from mud.errors import Unavailable
from mud.storage.files import write_atomic
from mud.world.roles import Role
from tests.houses import House, house, puppet, soon, texts_of
from tests.settings import put
from tests.unit.agents.llm.stage import Gate, HandClock, settle, waiting
from tests.vaults import copy_vault


def _edit(home: House, slug: str, old: str, new: str) -> None:
    path = home.parts.vault / "agents" / slug / "agent.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    write_atomic(path, text.replace(old, new))
    assert home.minds.load_definition(slug) == []


def _awake(home: House, living: Scheduler, *names: str) -> list[Agent]:
    agents = [home.agent(name) for name in names]
    for agent in agents:
        living.begin(agent)
    return agents


async def _brain(living: Scheduler, agent: Agent) -> str:
    """Have an agent think once, and return the brain that did it."""
    await living.act(agent, waiting=False)
    assert agent.thinker is not None
    assert agent.thinker.last is not None
    return agent.thinker.last.brain


async def test_a_model_that_answers_speaks_for_its_agent(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        model = ScriptedModel(["say The pears are ripe. | I like pears"])
        living = home.living(model)
        (eliza,) = _awake(home, living, "Eliza")
        living.answers["think"] = True
        step = await living.act(eliza, waiting=False)
        assert step is not None
        assert step.line == "say The pears are ripe. | I like pears"
        assert model.prompts[0].endswith("~Eliza>")
        assert home.submitted == [step]
        assert eliza.thinker is not None
        assert (eliza.thinker.last_error, eliza.thinker.busy) == (None, False)


async def test_when_the_model_fails_the_instinct_acts_and_the_report_says_why(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        living = home.living(ScriptedModel([Unavailable("it is on fire"), "say I am back."]))
        (eliza,) = _awake(home, living, "Eliza")
        living.answers["think"] = True
        await living.act(eliza, waiting=False)
        assert eliza.thinker is not None
        assert eliza.thinker.last is not None
        assert eliza.thinker.last.brain == "instinct"
        assert "it is on fire" in report(home.minds.status(eliza))
        home.parts.clock.advance(60)  # type: ignore[attr-defined]  # a host that failed is left alone for a while
        await living.act(eliza, waiting=False)
        assert eliza.thinker.last.brain == "language"
        assert "it is on fire" not in report(home.minds.status(eliza))


async def test_a_prompt_that_cannot_be_built_costs_nothing_but_the_models_turn(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    put(vault, "llm/think", num_ctx=512, max_tokens=300)
    async with house(tmp_path) as home:
        living = home.living(ScriptedModel(["say hello"]))
        (eliza,) = _awake(home, living, "Eliza")
        living.answers["think"] = True
        assert await _brain(living, eliza) == "instinct"
        assert eliza.thinker is not None
        assert "leaves less than" in str(eliza.thinker.last_error)


async def test_the_brain_in_the_file_acts_and_one_that_needs_a_model_gives_way_without(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        living = home.living(ScriptedModel(f"think of {number}" for number in range(9)))
        (eliza,) = _awake(home, living, "Eliza")
        assert await _brain(living, eliza) == "instinct"
        living.answers["think"] = True
        assert await _brain(living, eliza) == "language"
        _edit(home, "eliza", "brain: auto", "brain: instinct")
        assert await _brain(living, eliza) == "instinct"
        _edit(home, "eliza", "brain: instinct", "brain: language")
        assert await _brain(living, eliza) == "language"


async def test_the_brain_of_the_command_line_wins_over_the_file(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        living = home.living(ScriptedModel(["say hello"]), override="instinct")
        living.answers["think"] = True
        (eliza,) = _awake(home, living, "Eliza")
        assert await _brain(living, eliza) == "instinct"


async def test_an_edit_of_the_voice_is_in_the_next_thought(tmp_path: Path) -> None:
    seen: list[Situation] = []
    async with house(tmp_path) as home:
        living = home.living(brains=[puppet(lambda here: seen.append(here))], override="puppet")
        (eliza,) = _awake(home, living, "Eliza")
        await living.act(eliza, waiting=False)
        _edit(home, "eliza", "voice: eliza", "voice: moss")
        await living.act(eliza, waiting=False)
        assert [one.voice for one in seen] == ["eliza", "moss"]


async def test_a_shorter_interval_acts_at_once(tmp_path: Path) -> None:
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        living = home.living(brains=[puppet(lambda here: "emote hums")], override="puppet")
        _edit(home, "eliza", "think_interval: 8", "think_interval: 80000")
        (eliza,) = _awake(home, living, "Eliza")
        run = asyncio.ensure_future(living.run())
        await settle()
        clock.advance(5)
        await home.next_act()
        await settle()
        clock.advance(1000)
        await settle()
        assert len(home.submitted) == 1
        _edit(home, "eliza", "think_interval: 80000", "think_interval: 2")
        living.redefined(eliza)
        await settle()
        clock.advance(2)
        await home.next_act()
        assert len(home.submitted) == 2
        await living.stop()
        await run


async def test_everybody_awake_acts_within_five_seconds_and_again(tmp_path: Path) -> None:
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        living = home.living(brains=[puppet(lambda here: "emote hums")], override="puppet")
        agents = _awake(home, living, "Eliza", "Moss")
        run = asyncio.ensure_future(living.run())
        await settle()
        clock.advance(5)
        await settle()
        assert {step.who for step in home.submitted} == {agent.id for agent in agents}
        clock.advance(30)
        await settle()
        assert len(home.submitted) == 4
        await living.stop()
        await run


async def test_one_who_is_addressed_is_due_soon(tmp_path: Path) -> None:
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        ann = home.enter("Ann")
        living = home.living(brains=[puppet(lambda here: "emote nods", wish=1.0)], override="puppet")
        _awake(home, living, "Eliza")
        run = asyncio.ensure_future(living.run())
        await settle()
        clock.advance(5)
        await settle()
        assert len(home.submitted) == 1
        home.type(ann, "say Eliza, are you there?")
        await settle()
        clock.advance(1)
        await settle()
        assert len(home.submitted) == 2
        await living.stop()
        await run


async def test_a_waiting_person_goes_before_an_agent_that_waits(tmp_path: Path) -> None:
    clock, gate = HandClock(), Gate("think first")
    async with house(tmp_path, clock) as home:
        ann, corvin = home.enter("Ann"), home.agent("Corvin")
        home.engine.enter(corvin.definition.thing(), home.place("The Library"))
        model = ScriptedModel([gate, "think second", "think third"])
        living = home.living(model)
        living.answers["think"] = True
        tamsin, moss, eliza = (home.agent(name) for name in ("Tamsin", "Moss", "Eliza"))
        _awake(home, living, "Tamsin", "Moss", "Eliza")
        first = asyncio.ensure_future(living.act(tamsin, waiting=False))
        await soon(lambda: len(model.prompts) == 1, settle)
        run = asyncio.ensure_future(living.run())
        home.type(corvin, "say Moss, are you there?", Role.AGENT)
        home.type(ann, "say Eliza, are you there?")
        await settle()
        clock.advance(6)
        await soon(lambda: waiting(home.queue) == 2, settle)
        gate.open()
        await soon(lambda: len(model.prompts) == 3, settle)
        assert [prompt.rsplit("~", 1)[1] for prompt in model.prompts] == ["Tamsin>", "Eliza>", "Moss>"]
        await first
        assert moss.thinker is not None
        assert eliza.thinker is not None
        await living.stop()
        await run


async def test_a_brain_that_breaks_keeps_its_agent_and_the_others_alive(tmp_path: Path) -> None:
    clock = HandClock()

    def act(here: Situation) -> str:
        if here.name == "Eliza":
            raise ZeroDivisionError
        return "emote hums"

    async with house(tmp_path, clock) as home:
        living = home.living(brains=[puppet(act)], override="puppet")
        (eliza, moss) = _awake(home, living, "Eliza", "Moss")
        run = asyncio.ensure_future(living.run())
        await settle()
        clock.advance(5)
        await home.next_act()
        assert home.submitted[0].who == moss.id
        assert eliza.thinker is not None
        assert not eliza.thinker.busy or eliza.thinker.last is None
        await living.stop()
        await run


async def test_nobody_thinks_any_more_after_the_end(tmp_path: Path) -> None:
    clock, gate = HandClock(), Gate("say too late")
    async with house(tmp_path, clock) as home:
        living = home.living(ScriptedModel([gate, "say much too late"]))
        living.answers["think"] = True
        (eliza,) = _awake(home, living, "Eliza")
        run = asyncio.ensure_future(living.run())
        await settle()
        clock.advance(5)
        await settle()
        await living.stop()
        gate.open()
        clock.advance(100)
        await settle()
        await run
        assert home.submitted == []
        assert eliza.thinker is not None
        assert not eliza.thinker.busy


async def test_one_who_rests_thinks_no_more_and_an_edit_does_not_wake_it(tmp_path: Path) -> None:
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        living = home.living(brains=[puppet(lambda here: "emote hums")], override="puppet")
        (eliza,) = _awake(home, living, "Eliza")
        run = asyncio.ensure_future(living.run())
        living.drop(eliza)
        living.redefined(eliza)
        await settle()
        clock.advance(100)
        await settle()
        assert home.submitted == []
        await living.stop()
        await run


async def test_a_new_name_is_known_to_the_brain(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        living = home.living()
        (eliza,) = _awake(home, living, "Eliza")
        _edit(home, "eliza", "# Eliza", "# Elisabeth")
        living.redefined(eliza)
        assert eliza.thinker is not None
        assert eliza.thinker.name == "Elisabeth"


async def test_whether_a_model_answers_is_told_when_it_changes(tmp_path: Path) -> None:
    clock = HandClock()
    told: list[tuple[str, bool]] = []
    async with house(tmp_path, clock) as home:
        script = ScriptedModel()
        living = home.living(script)
        watch = asyncio.ensure_future(living.watch_models(lambda name, answers: told.append((name, answers))))
        await settle()
        await script.close()
        for _ in range(2):
            clock.advance(60)
            await settle()
        assert told == [("think", True), ("think", False)]
        assert living.answers["think"] is False
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)


async def test_instinct_answers_a_person_without_any_model(tmp_path: Path) -> None:
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        ann = home.enter("Ann")
        living = home.living()
        living.answers["think"] = False
        _awake(home, living, "Eliza")
        run = asyncio.ensure_future(living.run())
        home.type(ann, "say Eliza, the brass key is under the third flowerpot.")

        async def moment() -> None:
            await settle()
            clock.advance(0.1)

        await soon(lambda: any(text.startswith("Eliza says") for text in texts_of(ann)), moment)
        await living.stop()
        await run


class _Streaming(ScriptedModel):
    """A model that says, of the beginning of a reply, what it was told about its being enough."""

    def __init__(self, so_far: str) -> None:
        super().__init__(["say The pears are ripe."])
        self._so_far = so_far
        self.told: bool | None = None

    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        self.told = enough(self._so_far) if enough is not None else None
        return await super().complete(prompt, profile, enough)


async def test_a_model_is_told_when_a_whole_command_line_stands(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        model = _Streaming("~Eliza> say The pears are ripe.\nShe ")
        living = home.living(model)
        (eliza,) = _awake(home, living, "Eliza")
        living.answers["think"] = True
        await living.act(eliza, waiting=False)
        assert model.told is True


async def test_a_brain_that_gives_way_of_its_own_accord_is_no_error(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        living = home.living(brains=[puppet(lambda here: None)], override="puppet")
        (eliza,) = _awake(home, living, "Eliza")
        await living.act(eliza, waiting=False)
        assert eliza.thinker is not None
        assert eliza.thinker.last is not None
        assert (eliza.thinker.last.brain, eliza.thinker.last.instead) == ("instinct", "as told")
        assert eliza.thinker.last_error is None


async def test_led_by_hand_whoever_has_been_due_for_longest_has_the_next_turn(tmp_path: Path) -> None:
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        living = home.living(ScriptedModel([]))
        assert living.due is None
        assert await living.take_turn() is None
        agents = _awake(home, living, "Eliza", "Moss")
        assert await living.take_turn() is None  # nobody is due at once
        turns: list[Agent | None] = []
        for _ in range(2):
            assert living.due is not None
            clock.advance(living.due - clock.monotonic())
            turns.append(await living.take_turn())
        assert sorted(agent.name for agent in turns if agent) == sorted(agent.name for agent in agents)
