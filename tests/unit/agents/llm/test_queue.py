"""Who is asked when: the order of jobs, thoughts that take the place of older ones, retries, and how calls end."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.llm.backend import Completion, Refused, TransientError
from agents.llm.backends.scripted import ScriptedModel, Turn
from agents.llm.hosts import HostState
from agents.llm.profiles import LLMProfile
from agents.llm.queue import AGES_AFTER, FIRST_PAUSE, JITTER, MUTE, ROOM, Superseded, Task, Urgency
from agents.llm.spending import BudgetSettings, ModelBudget
from agents.text.unwrapping import past_thoughts
from mud.clock import VirtualClock
from mud.errors import Unavailable
from tests.examples import examples
from tests.unit.agents.llm.stage import A, Gate, Stage, running, settle, waiting

BUSY = TransientError("a answered 503")


async def busy(*turns: Turn) -> tuple[Stage, Gate, asyncio.Task[Completion]]:
    """Return a stage whose host is busy with Moss."""
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, *(turns or ["x"] * 99)])})
    moss = stage.ask("moss", owner="Moss")
    await settle()
    return stage, gate, moss


# ---- order ----


async def test_a_waiting_person_goes_first_then_thoughts_then_embeddings_then_summaries() -> None:
    stage, gate, moss = await busy()
    jobs = [stage.ask(urgency.name, urgency) for urgency in reversed(Urgency)]
    await settle()
    gate.open()
    await asyncio.gather(moss, *jobs)
    assert stage.models["a"].prompts == ["moss", "PERSON", "THINK", "EMBED", "SUMMARIZE"]


async def test_a_summary_that_has_waited_long_goes_before_newer_thoughts_but_not_before_a_person() -> None:
    stage, gate, moss = await busy()
    jobs = [stage.ask("summary", Urgency.SUMMARIZE)]
    await settle()
    stage.clock.advance(2 * AGES_AFTER)
    jobs += [stage.ask("thought", Urgency.THINK), stage.ask("person", Urgency.PERSON)]
    await settle()
    gate.open()
    await asyncio.gather(moss, *jobs)
    assert stage.models["a"].prompts == ["moss", "person", "summary", "thought"]


async def test_the_prompt_is_built_when_its_turn_comes() -> None:
    stage, gate, moss = await busy()
    known = ["old"]
    second = asyncio.create_task(stage.queue.ask(lambda: " ".join(known), "think", Urgency.THINK, "Eliza"))
    await settle()
    known.append("new")
    gate.open()
    await asyncio.gather(moss, second)
    assert stage.models["a"].prompts[1] == "old new"


async def test_a_full_queue_refuses_the_least_urgent_at_once() -> None:
    stage, gate, moss = await busy()
    thoughts = [stage.ask(f"thought {number}") for number in range(ROOM - 1)]
    summary = stage.ask("summary", Urgency.SUMMARIZE)
    await settle()
    with pytest.raises(Unavailable, match=f"{ROOM} jobs wait"):
        await stage.ask("another summary", Urgency.SUMMARIZE)
    newer = stage.ask("newer", owner="thought 0")
    with pytest.raises(Superseded):
        await thoughts[0]  # a newer thought needs no room of its own
    person = stage.ask("person", Urgency.PERSON)
    with pytest.raises(Unavailable, match=f"{ROOM} jobs wait"):
        await summary
    last = stage.ask("another", Urgency.PERSON)
    thoughts[-1].cancel()  # its job still waits: the other person asks before it comes round to it
    gate.open()
    await asyncio.gather(moss, newer, person, last, *thoughts[1:-1])
    assert stage.models["a"].prompts[:4] == ["moss", "person", "another", "newer"]
    assert thoughts[-1].cancelled()


async def test_a_thought_becomes_as_urgent_as_the_person_who_waits_for_it() -> None:
    stage, gate, moss = await busy()
    jobs = [stage.ask(name, Urgency.THINK) for name in ("Fenwick", "Eliza")]
    jobs.append(stage.ask("Eliza", Urgency.SUMMARIZE))
    await settle()
    stage.queue.hasten("Eliza")
    gate.open()
    await asyncio.gather(moss, *jobs)
    assert stage.models["a"].prompts == ["moss", "Eliza", "Fenwick", "Eliza"]


async def test_a_thought_under_way_that_a_person_came_to_wait_for_is_urgent_when_it_is_tried_again() -> None:
    gate, other = Gate(), Gate()

    async def breaks_off(prompt: str) -> str:
        await gate(prompt)
        raise TransientError("it broke off", 1.0)

    stage = Stage({"a": ScriptedModel([breaks_off, other, "b", "c"])})
    jobs = [stage.ask("Eliza", Urgency.THINK)]
    await settle()
    jobs += [stage.ask(name, Urgency.PERSON) for name in ("Tamsin", "Moss")]
    await settle()
    stage.queue.hasten("Eliza")
    gate.open()
    await settle()
    stage.clock.advance(1)
    await settle()
    other.open()
    await asyncio.gather(*jobs)
    assert stage.models["a"].prompts == ["Eliza", "Tamsin", "Eliza", "Moss"]


# ---- one thought of an agent waits ----


@pytest.mark.parametrize("urgency", [Urgency.THINK, Urgency.PERSON])
async def test_a_newer_thought_takes_the_place_and_urgency_of_the_one_that_waits(urgency: Urgency) -> None:
    stage, gate, moss = await busy()
    other = stage.ask("other", owner="Fenwick")
    old = stage.ask("old", urgency, owner="Eliza")
    late = stage.ask("late", owner="Tamsin")
    await settle()
    new = stage.ask("new", owner="Eliza")
    with pytest.raises(Superseded, match="a newer thought of Eliza took the place of this one"):
        await old
    assert waiting(stage.queue) == 3
    gate.open()
    await asyncio.gather(moss, other, new, late)
    between = ["new", "other"] if urgency is Urgency.PERSON else ["other", "new"]
    assert stage.models["a"].prompts == ["moss", *between, "late"]
    assert (stage.totals.asked, stage.totals.answered, stage.totals.cancelled) == (5, 4, 1)


async def test_summaries_of_one_agent_wait_side_by_side() -> None:
    stage, gate, moss = await busy()
    jobs = [stage.ask(str(number), Urgency.SUMMARIZE, owner="Eliza") for number in range(3)]
    await settle()
    assert waiting(stage.queue) == 3
    gate.open()
    await asyncio.gather(moss, *jobs)
    assert stage.models["a"].prompts == ["moss", "0", "1", "2"]


# ---- failures and retries ----


async def test_a_prompt_that_cannot_be_built_fails_its_own_job_only() -> None:
    stage = Stage({"a": ScriptedModel(["look"])})

    def broken() -> str:
        raise KeyError("place")

    with pytest.raises(KeyError):
        await stage.queue.ask(broken, "think", Urgency.THINK, "Eliza")
    assert (await stage.ask("x")).text == "look"
    assert stage.host.state is HostState.UP


async def test_a_text_that_breaks_a_backend_is_refused_and_everybody_else_is_answered() -> None:
    stage = Stage({"a": ScriptedModel([UnicodeEncodeError("utf-8", "x", 0, 1, "no"), "look"])})
    broken, sound = stage.ask("x"), stage.ask("y")
    with pytest.raises(Refused):
        await broken
    assert (await sound).text == "look"


async def test_an_unknown_profile_and_an_unknown_backend_are_told_in_words() -> None:
    stage = Stage({"a": ScriptedModel([])}, {"think": A, "odd": replace(A, backend="telepathy")})
    with pytest.raises(Unavailable, match=r"there is no LLM profile 'dream'; a file config/llm/dream\.md makes one"):
        await stage.ask("x", profile="dream")
    with pytest.raises(Unavailable, match="there is no backend 'telepathy'; there is: scripted"):
        await stage.ask("x", profile="odd")


async def test_a_profile_that_vanishes_while_its_job_waits_fails_that_job() -> None:
    stage, gate, moss = await busy()
    stage.profiles["summarizer"] = A
    second = stage.ask("y", profile="summarizer")
    await settle()
    del stage.profiles["summarizer"]
    gate.open()
    await moss
    with pytest.raises(Unavailable, match="no LLM profile 'summarizer'"):
        await second


def over(*turns: Turn, profile: LLMProfile = A, chance: Random | None = None) -> Stage:
    return Stage({"a": ScriptedModel(turns)}, {"think": profile}, clock=VirtualClock(), chance=chance)


async def test_a_host_that_is_too_busy_is_asked_again_until_it_is_left_alone() -> None:
    stage = over(BUSY, BUSY, "well")
    assert (await stage.ask("x")).text == "well"
    assert len(stage.models["a"].prompts) == 3
    assert (stage.totals.asked, stage.totals.answered, stage.host.state) == (1, 1, HostState.UP)
    stage = over(*[BUSY] * 9, profile=replace(A, retries=10))
    with pytest.raises(Unavailable, match="503"):
        await stage.ask("x")
    assert (len(stage.models["a"].prompts), stage.host.state) == (3, HostState.DOWN)


@pytest.mark.parametrize("error", [Refused("too long"), Unavailable("nothing answers at a"), ZeroDivisionError()])
async def test_nothing_else_is_tried_again(error: Exception) -> None:
    stage = over(error, "well")
    with pytest.raises(Unavailable):
        await stage.ask("x")
    assert len(stage.models["a"].prompts) == 1


@pytest.mark.parametrize(
    ("urgency", "after", "again"),
    [
        *((Urgency.THINK, 31.0, False), (Urgency.THINK, 29.0, True)),  # half of the timeout
        *((Urgency.PERSON, 5.0, False), (Urgency.PERSON, None, True)),
    ],
)
async def test_no_try_begins_after_half_of_the_timeout_and_a_person_waits_less(
    urgency: Urgency, after: float | None, again: bool
) -> None:
    stage = over(TransientError("come back later", after), "well")
    (answer,) = await asyncio.gather(stage.ask("x", urgency), return_exceptions=True)
    assert isinstance(answer, Completion) is again


@given(st.integers(), st.none() | st.floats(0, 20))
async def test_a_pause_differs_within_bounds_and_is_never_shorter_than_the_host_asks(
    seed: int, after: float | None
) -> None:
    stage = over(TransientError("busy", after), "well", chance=Random(seed))
    await stage.ask("x")
    low, high = (max((1 + side * JITTER) * FIRST_PAUSE, after or 0) for side in (-1, 1))
    assert low <= stage.elapsed() <= high


async def test_a_resting_job_holds_up_nobody_and_is_cancelled_like_any_other() -> None:
    stage = Stage({"a": ScriptedModel([BUSY, "well", BUSY])})
    resting = stage.ask("x")
    await settle()
    assert (waiting(stage.queue), running(stage.queue)) == (1, 0)
    assert (await stage.ask("y", owner="Moss")).text == "well"
    resting.cancel()
    await settle()
    assert (waiting(stage.queue), stage.totals.cancelled) == (0, 1)
    another = stage.ask("z")
    await settle()
    await stage.queue.close(5)
    with pytest.raises(Unavailable, match="the world closed"):
        await another


# ---- ends ----


async def test_a_cancelled_asker_that_still_waits_never_reaches_the_model() -> None:
    stage, gate, moss = await busy()
    second = stage.ask("y")
    await settle()
    second.cancel()
    await settle()
    assert waiting(stage.queue) == 0
    gate.open()
    await moss
    assert stage.models["a"].prompts == ["moss"]


async def test_closing_gives_running_calls_their_grace_and_ends_the_others() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, Gate()])}, {"think": replace(A, concurrency=2)})
    quick, slow, late = (stage.ask(str(n)) for n in range(3))
    await settle()
    closing = asyncio.create_task(stage.queue.close(grace=5))
    await settle()
    with pytest.raises(Unavailable, match="the world closed"):
        await late
    gate.open()
    assert (await quick).text == "look"
    assert not slow.done()
    stage.clock.advance(5)
    await closing
    with pytest.raises(Unavailable, match="the world closed"):
        await slow
    assert (running(stage.queue), waiting(stage.queue), stage.totals.cancelled) == (0, 0, 2)
    with pytest.raises(Unavailable, match="closing"):
        await stage.ask("y")
    assert not await stage.queue.alive("think")
    with pytest.raises(Unavailable):
        await stage.models["a"].check(A)


async def test_an_answer_that_comes_at_once_does_not_move_a_virtual_clock() -> None:
    stage = over("look")
    await stage.ask("x")
    assert stage.elapsed() == 0


async def test_neither_prompts_nor_replies_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    stage = Stage({"a": ScriptedModel(["say the secret word", Unavailable("gone")])})
    await stage.ask("a private prompt", owner="Eliza")
    with pytest.raises(Unavailable):
        await stage.ask("a private prompt", owner="Eliza")
    assert "Eliza" in caplog.text
    assert "private" not in caplog.text
    assert "secret" not in caplog.text


OPENING = "\n\nsay good morning\nMoss> Good morning."


def never(so_far: str) -> bool:
    return False


def stage(*texts: str, stop: tuple[str, ...] = ("\n",)) -> tuple[Stage, ScriptedModel]:
    """Return a queue over a model that says these texts in turn, and keeps stops as a server does."""
    model = ScriptedModel(itertools.cycle(texts))
    profile = LLMProfile(backend="scripted", host="a", timeout=60, stop=stop)
    return Stage({"a": model}, {"think": profile}), model


async def replied(play: Stage) -> str:
    return (await play.queue.ask(lambda: "~Eliza>", "think", Urgency.THINK, "Eliza", never)).text


async def test_what_stands_behind_the_empty_lines_is_the_reply_and_ends_where_its_line_does() -> None:
    play, model = stage(OPENING)
    assert await replied(play) == "say good morning"
    assert len(model.prompts) == 2
    assert await replied(play) == "say good morning"
    assert len(model.prompts) == 3, "who opens so is asked past it at once from then on"


THOUGHT = "<think>\nShe greets me.\n\nI greet her.\n</think>\n\n"


@pytest.mark.parametrize("opening", [THOUGHT, f"\n{THOUGHT}", "<think></think>\n\n", "<think>Hm,\nwell.</think>\n"])
async def test_what_stands_behind_a_thought_is_the_reply_and_ends_where_its_line_does(opening: str) -> None:
    play, model = stage(f"{opening}say good morning\nMoss> Good morning.")
    for asked in (2, 3):
        assert (past_thoughts(await replied(play)) or "").strip() == "say good morning"
        assert len(model.prompts) == asked


async def test_a_thought_without_end_is_asked_for_past_its_line_only_once() -> None:
    play, model = stage("<think>\nShe greets me.\n\nAnd then")
    for asked in (2, 3):
        assert (await replied(play)).endswith("And then"), "whoever looks for the reply sees why there is none"
        assert len(model.prompts) == asked


@pytest.mark.parametrize("text", ["say hello", "<think>She waits.</think>say hello", "Hello.\n\nsay hello"])
async def test_a_reply_that_begins_with_a_word_is_asked_for_once_and_cut_as_ever(text: str) -> None:
    play, model = stage(text)
    assert await replied(play) == text.partition("\n")[0]
    assert len(model.prompts) == 1


async def test_a_model_that_stays_silent_is_asked_only_once_until_it_says_something() -> None:
    play, model = stage(*[""] * (2 * MUTE + 1), "say hello", "", OPENING)
    for _ in range(MUTE):
        await replied(play)
    assert len(model.prompts) == 2 * MUTE
    assert not await replied(play)
    assert len(model.prompts) == 2 * MUTE + 1
    assert await replied(play) == "say hello"
    assert await replied(play) == "say good morning"


@pytest.mark.parametrize(
    ("text", "stop", "asked"), [("", ("\n",), 2), (" \n ", ("\n",), 2), ("", ("END",), 1), ("", (), 1)]
)
async def test_a_model_that_has_nothing_to_say_is_asked_twice_at_most_and_only_where_a_stop_may_be_why(
    text: str, stop: tuple[str, ...], asked: int
) -> None:
    play, model = stage(text, stop=stop)
    for number in (1, 2):
        assert not (await replied(play)).strip()
        assert len(model.prompts) == number * asked


async def test_other_stops_hold_from_the_beginning_on() -> None:
    play, _ = stage("\n\nA summary of the day.\n\n## Next\nmore", stop=("\n\n", "\n#"))
    assert (await replied(play)).strip() == "A summary of the day."
    play, _ = stage("\n# Title\nA summary.", stop=("\n\n", "\n#"))
    assert await replied(play) == ""


async def test_both_times_are_paid_for_and_a_budget_without_room_for_the_second_keeps_it_from_being_asked() -> None:
    play, model = stage(OPENING)
    await replied(play)
    (row,) = play.queue.budget.spending.rows()
    assert (row.owner, row.task, row.total.calls) == ("Eliza", Task.THINKING, 2)
    play, model = stage(OPENING)
    play.queue.budget = ModelBudget(lambda: BudgetSettings(agent_calls_per_hour=1), play.clock)
    with pytest.raises(Unavailable, match="1 call"):
        await replied(play)
    assert len(model.prompts) == 1


PROFILES = ("think", "summarizer")
HOSTS = ("a", "b", "c")
NAMED = ("a", "b", "a, b", "b, a, c", "c, c")
KINDS = ("gate", "gate", "gate", "gate", "answer", "answer", "refused", "unbuildable", "unavailable", "bug", "busy")
OWNERS = ("Eliza", "Moss", "Fenwick")
MODES = ("well", "gone", "busy", "hangs")

asks = st.tuples(
    st.just("ask"),
    st.sampled_from(KINDS),
    st.sampled_from(PROFILES),
    st.sampled_from(list(Urgency)),
    st.sampled_from(OWNERS),
)
cancels = st.tuples(st.just("cancel"), st.integers(0, 30))
opens = st.tuples(st.just("open"), st.integers(0, 30))
moves = st.tuples(st.just("advance"), st.sampled_from((0.3, 1.0, 6.0, 61.0)))
changes = st.tuples(
    st.just("change"),
    st.sampled_from(PROFILES),
    st.sampled_from(NAMED),
    st.sampled_from(("small", "large")),
    st.integers(1, 3),
    st.integers(0, 3),
)
hosts = st.tuples(st.just("host"), st.sampled_from(HOSTS), st.sampled_from(MODES))
probes = st.tuples(st.just("probe"), st.sampled_from(PROFILES))
pauses = st.tuples(st.just("settle"))
ops = st.one_of(asks, asks, asks, cancels, opens, moves, changes, hosts, probes, pauses, pauses)
programs = st.integers(0, 40).flatmap(lambda size: st.lists(ops, min_size=size, max_size=size))


@dataclass
class Run:
    """One run of a program."""

    stage: Stage
    gates: list[Gate] = field(default_factory=list)
    askers: list[asyncio.Task[Completion]] = field(default_factory=list)
    probes: list[asyncio.Task[bool]] = field(default_factory=list)
    modes: dict[str, str] = field(default_factory=dict)
    at_once: Counter[str] = field(default_factory=Counter)
    most: Counter[str] = field(default_factory=Counter)
    ends: Counter[int] = field(default_factory=Counter)
    unended: int = 0

    def turn(self, host: str) -> Callable[[str], Awaitable[str]]:
        """Return what a host does at every call: what its mode or the prompt says, counting how many at once."""

        async def act(prompt: str) -> str:
            self.at_once[host] += 1
            self.most[host] = max(self.most[host], self.at_once[host])
            try:
                mode = {"gone": "unavailable", "busy": "busy", "hangs": "gate"}.get(self.modes.get(host, "well"), "")
                return await self.acted(mode or prompt)
            finally:
                self.at_once[host] -= 1

        return act

    async def acted(self, what: str) -> str:
        match what:
            case "unavailable":
                raise Unavailable("nobody there")
            case "busy":
                raise TransientError("too busy")
            case "refused":
                raise Refused("too long")
            case "bug":
                raise ZeroDivisionError("a bug in the backend")
            case "gate":
                gate = Gate()
                self.gates.append(gate)
                return await gate(what)
        return "look"

    def ask(self, kind: str, profile: str, urgency: Urgency, owner: str) -> None:
        def build() -> str:
            if kind == "unbuildable":
                raise LookupError("no such place")
            return kind

        asker = asyncio.create_task(self.stage.queue.ask(build, profile, urgency, owner))
        number = len(self.askers)
        asker.add_done_callback(lambda _: self.ends.update([number]))
        self.askers.append(asker)

    async def step(self, op: tuple[object, ...]) -> None:
        match op:
            case ("ask", str(kind), str(profile), Urgency() as urgency, str(owner)):
                self.ask(kind, profile, urgency, owner)
            case ("cancel", int(number)) if self.askers:
                self.askers[number % len(self.askers)].cancel()
            case ("open", int(number)) if self.gates:
                self.gates[number % len(self.gates)].open()
            case ("advance", float(seconds)):
                self.stage.clock.advance(seconds)
            case ("change", str(profile), str(host), str(model), int(concurrency), int(retries)):
                old = self.stage.profiles[profile]
                new = replace(old, host=host, model=model, concurrency=concurrency, retries=retries)
                self.stage.profiles[profile] = new
            case ("host", str(host), str(mode)):
                self.modes[host] = mode
            case ("probe", str(profile)):
                self.probes.append(asyncio.create_task(self.stage.queue.alive(profile)))
            case ("settle",):
                await settle()

    async def drain(self) -> None:
        """Let every host answer and the time go by, until all is over by itself."""
        self.modes.clear()
        for _ in range(30):
            for gate in self.gates:
                gate.open()
            await settle()
            self.stage.clock.advance(61)
            await settle()
        assert all(asker.done() for asker in self.askers), "somebody waits for ever"
        assert (waiting(self.stage.queue), running(self.stage.queue)) == (0, 0)


async def play(program: list[tuple[object, ...]], end: str) -> Run:
    base = LLMProfile(backend="scripted", host="a", timeout=60)
    models: dict[str, ScriptedModel] = {}
    run = Run(Stage(models, dict.fromkeys(PROFILES, base)))
    for host in HOSTS:
        models[host] = ScriptedModel([run.turn(host)] * 1000)
    for op in program:
        await run.step(op)
    if end == "drained":
        await run.drain()
    if end == "graceful":
        await settle()
        for gate in run.gates:
            gate.open()
    closing = asyncio.create_task(run.stage.queue.close(grace=0 if end == "at once" else 5))
    await settle()
    run.stage.clock.advance(5)
    await closing
    await settle()
    run.unended = sum(not asker.done() for asker in run.askers)
    await asyncio.gather(*run.probes)
    return run


@settings(max_examples=examples(400), deadline=None)
@given(programs, st.sampled_from(("drained", "graceful", "hanging", "at once")))
def test_every_job_ends_exactly_once_and_nothing_is_left_behind(program: list[tuple[object, ...]], end: str) -> None:
    run = asyncio.run(play(program, end))
    queue = run.stage.queue
    assert run.unended == 0
    assert all(count == 1 for count in run.ends.values())
    for asker in run.askers:
        if not asker.cancelled():
            error = asker.exception()
            assert error is None or isinstance(error, (Unavailable, LookupError)), error
    assert (waiting(queue), running(queue)) == (0, 0)
    assert run.at_once.total() == 0
    allowed = max([1, *(op[4] for op in program if op[0] == "change" and isinstance(op[4], int))])
    assert max(run.most.values(), default=0) <= allowed
    totals = [view.totals for view in queue.overview(PROFILES)]
    assert all(one.answered + one.failed + one.cancelled == one.asked for one in totals)
    answered = sum(not asker.cancelled() and asker.exception() is None for asker in run.askers)
    told = sum(one.answered for one in totals)
    assert answered <= told <= answered + sum(asker.cancelled() for asker in run.askers)
    assert sum(one.asked for one in totals) <= len(run.askers)
