from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.brains import BrainRun, Complete, Decision, Recall, Situation, Thought, Understand
from agents.memory.entries import KINDS, Hit
from agents.mind.actor import by_witness, left_by
from agents.mind.thinker import FALLBACK, Thinker, trace_of
from agents.mind.traces import ModelCall
from mud.engine.engine import Step, perceived_to_json
from mud.errors import Refusal, Unavailable
from mud.world.events import MARKS, Perception

HERE = Situation("Eliza", "", "eliza", "The Garden", "", (), (), (), (), (), (), "", 0.0)
SEEN = Perception("#2001", "heard", 'Ann says, "hello"', "Ann")


class Speaking:
    """A brain that asks the model once, and says what it answered."""

    def __init__(self, wish: float | None = None) -> None:
        self.wish = wish
        self.noticed: list[Perception] = []

    def notice(self, perceived: Perception, seconds: float) -> float | None:
        self.noticed.append(perceived)
        return self.wish

    def decide(self, situation: Situation) -> Thought:
        raw = yield Complete("be kind")
        return Decision(raw or None, "the model's reply")


class Remembering(Speaking):
    """A brain that recalls, and says what came to mind."""

    def decide(self, situation: Situation) -> Thought:
        hits = yield Recall("key", 2)
        return Decision(f"say {hits[0].text}" if hits else "look")


class Understanding(Speaking):
    """A brain that asks which intents are near, and says the nearest."""

    def decide(self, situation: Situation) -> Thought:
        near = yield Understand("who goes there")
        return Decision(f"say {near[0][0]}" if near else "look")


class Doubting(Speaking):
    """A brain that takes no first reply."""

    def decide(self, situation: Situation) -> Thought:
        yield Complete()
        raw = yield Complete("that was said before")
        return Decision(None, "that was said before, too") if raw == "say again" else Decision(raw)


class Broken(Speaking):
    """A brain with a fault."""

    def decide(self, situation: Situation) -> Thought:
        raise ZeroDivisionError
        yield


class Model:
    """Answers or fails as told."""

    def __init__(self) -> None:
        self.answer: str | Exception = "say hello"
        self.asked: list[tuple[str, bool]] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def ask(self, hint: str, waiting: bool) -> ModelCall:
        self.asked.append((hint, waiting))
        await self.gate.wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        return ModelCall(hint=hint, reply=self.answer)


async def _recall(wanted: Recall) -> tuple[Hit, ...]:
    return (Hit("heard", f"{wanted.query}, {wanted.k}", 1.0),)


def _thinker(model: Model, brain: BrainRun | None = None, choose: Callable[[], str] = lambda: "language") -> Thinker:
    runs = {"language": brain or Speaking(), FALLBACK: Remembering(3.0)}
    return Thinker("Eliza", runs, choose, _recall, model.ask, lambda: 0.0)


async def test_a_thought_asks_for_what_it_needs_and_ends_with_a_line() -> None:
    model = Model()
    thought = await _thinker(model).think(HERE, waiting=True)
    assert thought is not None
    assert (thought.brain, thought.decision.line) == ("language", "say hello")
    assert model.asked == [("be kind", True)]


async def test_the_intents_near_a_sentence_are_sent_to_the_brain_and_none_without_vectors() -> None:
    async def compare(sentence: str) -> tuple[tuple[str, float], ...]:
        return ((f"hail for {sentence}", 0.9),)

    runs = {FALLBACK: Understanding()}
    thinker = Thinker("Eliza", runs, lambda: FALLBACK, _recall, Model().ask, lambda: 0.0, compare=compare)
    thought = await thinker.think(HERE, waiting=False)
    assert thought is not None
    assert thought.decision.line == "say hail for who goes there"
    thought = await Thinker("Eliza", runs, lambda: FALLBACK, _recall, Model().ask, lambda: 0.0).think(
        HERE, waiting=False
    )
    assert thought is not None
    assert thought.decision.line == "look"


async def test_what_is_recalled_is_sent_to_the_brain() -> None:
    thought = await _thinker(Model(), choose=lambda: FALLBACK).think(HERE, waiting=False)
    assert thought is not None
    assert thought.decision.line == "say key, 2"


async def test_one_thought_is_in_flight_at_a_time() -> None:
    model = Model()
    model.gate.clear()
    thinker = _thinker(model)
    first = asyncio.ensure_future(thinker.think(HERE, waiting=False))
    await asyncio.sleep(0)
    assert thinker.busy
    assert await thinker.think(HERE, waiting=True) is None
    model.gate.set()
    assert await first is not None
    assert not thinker.busy
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "error", [Unavailable("nobody answers"), Refusal("nowhere"), ZeroDivisionError("oh"), RuntimeError("late")]
)
async def test_when_the_model_fails_the_instinct_takes_the_turn_and_says_why(error: Exception) -> None:
    model = Model()
    model.answer = error
    thinker = _thinker(model)
    thought = await thinker.think(HERE, waiting=False)
    assert thought is not None
    assert thought.brain == FALLBACK
    assert thinker.last_error is not None
    assert str(error) in thinker.last_error or type(error).__name__ in thinker.last_error
    assert not thinker.busy

    model.answer = "say I am back"
    thought = await thinker.think(HERE, waiting=False)
    assert thought is not None
    assert thought.brain == "language"
    assert thinker.last_error is None


async def test_a_reply_that_holds_no_command_is_a_failure_too() -> None:
    model = Model()
    model.answer = ""
    thinker = _thinker(model)
    thought = await thinker.think(HERE, waiting=False)
    assert thought is not None
    assert thought.brain == FALLBACK
    assert "nothing that could be done" in str(thinker.last_error)


async def test_the_flag_falls_when_the_last_brain_raises() -> None:
    thinker = Thinker("Eliza", {FALLBACK: Broken()}, lambda: FALLBACK, _recall, Model().ask, lambda: 0.0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await thinker.think(HERE, waiting=False)
        assert not thinker.busy


async def test_the_flag_falls_when_a_thought_is_cancelled() -> None:
    model = Model()
    model.gate.clear()
    thinker = _thinker(model)
    thought = asyncio.ensure_future(thinker.think(HERE, waiting=False))
    await asyncio.sleep(0)
    thought.cancel()
    await asyncio.gather(thought, return_exceptions=True)
    assert not thinker.busy


async def test_every_brain_notices_and_the_one_whose_turn_it_is_wishes() -> None:
    language = Speaking(1.0)
    turn = ["language"]
    thinker = _thinker(Model(), language, lambda: turn[0])
    assert thinker.notice(SEEN) == 1.0
    turn[0] = FALLBACK
    assert thinker.notice(SEEN) == 3.0
    assert language.noticed == [SEEN, SEEN]


async def test_a_thought_keeps_what_was_recalled_and_asked_and_why_a_reply_was_rejected() -> None:
    thought = await _thinker(Model(), choose=lambda: FALLBACK).think(HERE, waiting=True)
    assert thought is not None
    assert [(one.query, [found.text for found in one.found]) for one in thought.lookups] == [("key", ["key, 2"])]
    assert (thought.waiting, thought.instead, thought.asked) == (True, "", ())

    thought = await _thinker(Model(), Doubting()).think(HERE, waiting=False)
    assert thought is not None
    assert [(one.hint, one.rejected) for one in thought.asked] == [
        ("", "that was said before"),
        ("that was said before", ""),
    ]
    assert thought.lookups == ()


async def test_a_thought_that_the_instinct_took_over_keeps_what_the_model_replied_and_why_it_did_not_do() -> None:
    model = Model()
    model.answer = "say again"
    thought = await _thinker(model, Doubting()).think(HERE, waiting=False)
    assert thought is not None
    assert thought.brain == FALLBACK
    assert "that was said before, too" in thought.instead
    assert [one.rejected for one in thought.asked] == ["that was said before", "that was said before, too"]
    assert len(thought.lookups) == 1


async def test_an_error_that_is_told_rather_than_raised_is_a_failure_and_stays_in_the_thought() -> None:
    async def ask(hint: str, waiting: bool) -> ModelCall:
        return ModelCall(hint=hint, tokens=7, error="the host is down")

    runs = {"language": Speaking(), FALLBACK: Remembering()}
    thinker = Thinker("Eliza", runs, lambda: "language", _recall, ask, lambda: 0.0)
    thought = await thinker.think(HERE, waiting=False)
    assert thought is not None
    assert (thought.brain, thinker.last_error, thought.instead) == (FALLBACK, "the host is down", "the host is down")
    assert thought.asked == (ModelCall(hint="be kind", tokens=7, error="the host is down"),)


async def test_what_went_into_one_thought_is_not_in_the_next() -> None:
    thinker = _thinker(Model(), Doubting())
    await thinker.think(HERE, waiting=False)
    thought = await thinker.think(HERE, waiting=False)
    assert thought is not None
    assert len(thought.asked) == 2


async def test_the_trace_of_a_line_is_that_of_its_step_and_a_turn_that_passed_says_little_more_than_why() -> None:
    thought = await _thinker(Model(), choose=lambda: FALLBACK).think(HERE, waiting=True)
    assert thought is not None
    step = Step(12, "2026-11-20T07:21:37.123Z", "#1", "say key, 2", "Nobody is here.", failed=True)
    trace = trace_of(thought, HERE, "#1", "2026-11-20T07:21:38.000Z", 15, step)
    assert (trace.step, trace.at, trace.line, trace.refused) == (12, step.at, "say key, 2", "Nobody is here.")
    assert (trace.name, trace.place, trace.brain, trace.waiting) == ("Eliza", "The Garden", FALLBACK, True)
    assert trace.lookups == thought.lookups

    trace = trace_of(thought, HERE, "#1", "2026-11-20T07:21:38.000Z", 15, None)
    assert (trace.step, trace.at, trace.line, trace.lookups) == (15, "2026-11-20T07:21:38.000Z", None, ())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
WORDS = st.text(max_size=20)
MEMORY = st.builds(
    Perception,
    who=WORDS,
    kind=st.sampled_from(KINDS),
    text=WORDS,
    actor=st.none() | WORDS.filter(bool),
    place=st.none() | WORDS.filter(bool),
    reason=st.none() | WORDS.filter(bool),
    failed=st.booleans(),
    mark=st.none() | st.sampled_from(MARKS),
    event=st.none(),
)


@given(st.lists(MEMORY, max_size=6))
def test_what_a_step_left_reads_back_from_its_record(left: list[Perception]) -> None:
    assert left_by({"step": 1, "left": [perceived_to_json(one) for one in left]}) == left


@given(JSON, MEMORY)
def test_whatever_a_hand_wrote_into_the_ledger_is_passed_over_and_the_rest_stays(
    rubbish: object, good: Perception
) -> None:
    assert left_by({"step": 1, "left": [rubbish, perceived_to_json(good)]})[-1:] == [good]
    assert left_by({"step": 1, "left": rubbish}) == []


def test_a_record_that_left_nothing_leaves_nothing() -> None:
    assert left_by({"step": 1}) == []


def test_perceptions_are_grouped_by_who_had_them_in_order() -> None:
    one, two, three = (Perception(who, "saw", text) for who, text in (("#1", "a"), ("#2", "b"), ("#1", "c")))
    assert by_witness([one, two, three]) == {"#1": [one, three], "#2": [two]}
