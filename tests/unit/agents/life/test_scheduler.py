from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agents.agent import Agent
from agents.brains import Situation
from agents.compaction.status import report
from agents.life.scheduler import DueQueue, PendingCalls, Scheduler, let_others_run
from agents.llm.backend import Completion, Enough
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.spending import BudgetSettings, ModelBudget, Notice
from mud.errors import Unavailable
from mud.server.wiring import RealClock
from mud.storage.files import write_atomic
from mud.world.roles import Role
from tests.houses import House, house, puppet, soon, texts_of
from tests.settings import put, put_own
from tests.unit.agents.llm.stage import Gate, HandClock, settle, waiting
from tests.vaults import copy_vault, without_vectors


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


async def test_between_two_turns_of_a_crowd_a_line_is_read_carried_out_and_answered() -> None:
    async def line() -> None:
        for _ in ("its bytes", "its task", "its step", "what others do with it", "its answer"):
            await asyncio.sleep(0)

    typed = asyncio.create_task(line())
    await let_others_run(RealClock())
    assert typed.done()


def test_a_turn_is_about_all_that_there_was_before_it() -> None:
    summons = PendingCalls()
    assert not summons.begin("eliza")
    summons.call("eliza", 7, person=True)
    summons.call("eliza", 5, person=False)
    assert summons.person_waits("eliza")
    assert summons.begin("eliza")
    assert not summons.begin("eliza")
    assert summons.end("eliza") is None


def test_what_a_thought_knew_calls_for_no_other_once_it_came_to_something() -> None:
    summons = PendingCalls()
    summons.call("eliza", 5, person=True)
    summons.see("eliza")
    assert summons.person_waits("eliza")
    summons.call("eliza", 9, person=False)
    assert summons.answer("eliza")
    assert not summons.person_waits("eliza")
    assert summons.end("eliza") == 9, "what came later was not known"
    assert not summons.begin("eliza")


def test_what_a_thought_knew_still_calls_when_it_came_to_nothing() -> None:
    summons = PendingCalls()
    summons.call("eliza", 5, person=True)
    summons.see("eliza")
    summons.call("eliza", 9, person=False)
    summons.see("eliza")
    assert summons.end("eliza") == 5
    assert summons.begin("eliza")


def test_whom_nobody_turned_to_was_not_waited_for() -> None:
    summons = PendingCalls()
    summons.see("eliza")
    assert not summons.answer("eliza")
    summons.call("moss", 5, person=True)
    summons.drop("moss")
    assert not summons.person_waits("moss")


def test_those_who_are_due_come_earliest_first_and_only_once() -> None:
    scheduler = DueQueue()
    scheduler.set("b", 2)
    scheduler.set("a", 1)
    scheduler.set("c", 3)
    assert scheduler.next() == 1
    assert scheduler.take(2, 99) == ["a", "b"]
    assert scheduler.take(2, 99) == []
    assert scheduler.next() == 3
    assert scheduler.take(10, 99) == ["c"]
    assert scheduler.next() is None


def test_the_newest_time_counts() -> None:
    scheduler = DueQueue()
    scheduler.set("a", 1)
    scheduler.set("a", 5)
    assert scheduler.take(4, 99) == []
    scheduler.set("a", 2)
    assert scheduler.take(4, 99) == ["a"]
    assert scheduler.take(10, 99) == []


def test_hastening_never_delays() -> None:
    scheduler = DueQueue()
    scheduler.set("a", 5)
    scheduler.hasten("a", 9)
    assert scheduler.next() == 5
    scheduler.hasten("a", 2)
    assert scheduler.next() == 2


def test_who_was_dropped_or_is_at_it_already_is_not_hastened() -> None:
    scheduler = DueQueue()
    scheduler.set("a", 5)
    scheduler.drop("a")
    scheduler.drop("nobody")
    scheduler.hasten("a", 1)
    scheduler.hasten("nobody", 1)
    assert scheduler.next() is None
    assert scheduler.take(100, 99) == []


TIMES = st.integers(0, 50).map(float)
NAMES = st.sampled_from("abcde")
ACTS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["set", "hasten"]), NAMES, TIMES),
        st.tuples(st.just("drop"), NAMES, st.just(0.0)),
        st.tuples(st.just("take"), st.just(""), TIMES),
    ),
    max_size=60,
)


@given(ACTS)
def test_it_is_a_table_of_times_whatever_is_done(acts: list[tuple[str, str, float]]) -> None:
    scheduler, table = DueQueue(), dict[str, float]()
    for act, name, at in acts:
        if act == "set":
            scheduler.set(name, at)
            table[name] = at
        elif act == "hasten":
            scheduler.hasten(name, at)
            table.update({name: min(at, table[name])} if name in table else {})
        elif act == "drop":
            scheduler.drop(name)
            table.pop(name, None)
        else:
            due = sorted((time, one) for one, time in table.items() if time <= at)
            assert scheduler.take(at, 99) == [one for _, one in due]
            table = {one: time for one, time in table.items() if time > at}
        assert scheduler.next() == min(table.values(), default=None)


def test_setting_far_times_again_and_again_takes_no_memory() -> None:
    scheduler = DueQueue()
    for number in range(10_000):
        scheduler.set("a", 1_000_000.0 + number)
        scheduler.set("b", 1.0)
    assert len(scheduler._heap) < 200
    assert scheduler.take(2_000_000, 99) == ["b", "a"]


def of_day(hours: float) -> str:
    """Return a time of day so many hours after the clock's beginning, where this machine stands."""
    return f"{(HandClock().now() + timedelta(hours=hours)):%H:%M}"


async def lived(folder: Path, **own: str) -> tuple[list[Situation], bool]:
    """Let Eliza live for four hours, with a nap at the beginning; return what she was shown, and whether she sleeps."""
    seen: list[Situation] = []

    def look(here: Situation) -> str:
        seen.append(here)
        return "emote hums"

    vault = copy_vault(folder)
    put_own(vault, "eliza", **own)
    clock = HandClock()
    async with house(folder, clock) as home:
        living = home.living(brains=[puppet(look)], override="puppet")
        eliza, ann = home.agent("Eliza"), home.enter("Ann")
        living.begin(eliza)
        running = asyncio.ensure_future(living.run())
        await settle()
        home.type(eliza, "sleep", Role.AGENT)
        for number in range(480):
            clock.advance(30)
            await settle()
            if number == 10:
                home.type(ann, "say Eliza, wake up!")
        await living.stop()
        await running
        return seen, eliza.id in home.engine.world.asleep


async def test_its_bedtime_comes_nearer_and_after_waking_it_is_told_so_once(tmp_path: Path) -> None:
    seen, asleep = await lived(tmp_path, sleep_at=of_day(1), wake_at=of_day(3))
    assert not asleep
    assert [one.woke for one in seen].count(True) == 2
    evening = [one.bedtime for one in seen if one.bedtime is not None and one.bedtime <= 3600]
    assert evening == sorted(evening, reverse=True)
    assert evening[0] > 3000
    assert evening[-1] < 60


async def test_without_hours_there_is_no_bedtime(tmp_path: Path) -> None:
    seen, asleep = await lived(tmp_path)
    assert {one.bedtime for one in seen} == {None}
    assert not asleep


def spending(home: House, clock: HandClock, told: list[Notice]) -> tuple[Scheduler, Agent]:
    """Return the drives of Eliza, who may ask the model twice an hour."""
    lines = (f"emote draws figure{number}, figure{number}a and figure{number}b." for number in range(99))
    living = home.living(ScriptedModel(lines))
    living.answers["think"] = True
    home.queue.budget = ModelBudget(lambda: BudgetSettings(agent_calls_per_hour=2), clock)
    home.queue.budget.tell = told.append
    living.begin(home.agent("Eliza"))
    return living, home.agent("Eliza")


async def test_the_instinct_takes_over_at_the_limit_until_the_hour_is_over(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    clock, told = HandClock(), list[Notice]()
    async with house(tmp_path, clock) as home:
        living, eliza = spending(home, clock, told)
        used = [await _brain(living, eliza) for _ in range(6)]
        assert used == ["language", "language", *["instinct"] * 4]
        assert [one.over for one in told] == [True]
        assert eliza.thinker is not None
        assert eliza.thinker.last_error is None  # it is no trouble of the model's
        clock.advance(3600)
        assert await _brain(living, eliza) == "language"
        assert [one.over for one in told] == [True, False]
