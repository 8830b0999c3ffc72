"""Who is asked when: the order of jobs, thoughts that take the place of older ones, retries, and how calls end."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.backend import Completion, Refused, TransientError
from agents.llm.backends.scripted import ScriptedModel, Turn
from agents.llm.hosts import HostState
from agents.llm.profiles import LLMProfile
from agents.llm.queue import AGES_AFTER, FIRST_PAUSE, JITTER, ROOM, Superseded, Urgency
from mud.clock import VirtualClock
from mud.errors import Unavailable
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
