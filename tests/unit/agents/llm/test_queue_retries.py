"""What may pass is tried again after a pause, within bounds; nothing else is."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.backend import Refused, TransientError
from agents.llm.backends.scripted import ScriptedModel, Turn
from agents.llm.hosts import HostState
from agents.llm.profiles import LLMProfile
from agents.llm.queue import FIRST_PAUSE, JITTER, Urgency
from mud.clock import VirtualClock
from mud.errors import Unavailable
from tests.unit.agents.llm.stage import Stage, settle

A = LLMProfile(backend="scripted", host="a", timeout=60, retries=2)
BUSY = TransientError("a answered 503")


def over(*turns: Turn, profile: LLMProfile = A, chance: Random | None = None) -> Stage:
    return Stage({"a": ScriptedModel(turns)}, {"think": profile}, clock=VirtualClock(), chance=chance)


async def test_a_host_that_is_too_busy_is_asked_again_and_the_job_is_answered() -> None:
    stage = over(BUSY, BUSY, "well")
    assert (await stage.ask("x")).text == "well"
    assert len(stage.models["a"].prompts) == 3
    assert (stage.queue.totals.asked, stage.queue.totals.answered) == (1, 1)
    assert stage.queue.health()[0].state is HostState.UP


async def test_a_host_that_goes_on_being_too_busy_is_left_alone() -> None:
    stage = over(*[BUSY] * 9, profile=replace(A, retries=10))
    with pytest.raises(Unavailable, match="503"):
        await stage.ask("x")
    assert len(stage.models["a"].prompts) == 3
    assert stage.queue.health()[0].state is HostState.DOWN


@pytest.mark.parametrize("error", [Refused("too long"), Unavailable("nothing answers at a"), ZeroDivisionError()])
async def test_nothing_else_is_tried_again(error: Exception) -> None:
    stage = over(error, "well")
    with pytest.raises(Unavailable):
        await stage.ask("x")
    assert len(stage.models["a"].prompts) == 1


async def test_no_try_begins_after_half_of_the_timeout() -> None:
    stage = over(TransientError("come back later", after=31.0), "well")
    with pytest.raises(Unavailable, match="come back later"):
        await stage.ask("x")
    stage = over(TransientError("come back soon", after=29.0), "well")
    assert (await stage.ask("x")).text == "well"


async def test_a_person_is_not_kept_waiting_for_a_long_pause() -> None:
    stage = over(TransientError("come back later", after=5.0), "well")
    with pytest.raises(Unavailable, match="come back later"):
        await stage.ask("x", Urgency.PERSON)
    stage = over(BUSY, "well")
    assert (await stage.ask("x", Urgency.PERSON)).text == "well"


async def test_a_resting_job_holds_up_nobody_and_is_cancelled_like_any_other() -> None:
    stage = Stage({"a": ScriptedModel([BUSY, "well"])}, {"think": A})
    resting = stage.ask("x")
    await settle()
    assert (stage.queue.waiting, stage.queue.running) == (1, 0)
    other = asyncio.create_task(stage.queue.ask(lambda: "y", "think", Urgency.THINK, "Moss"))
    assert (await other).text == "well"
    resting.cancel()
    await settle()
    assert (stage.queue.waiting, stage.queue.totals.cancelled) == (0, 1)


async def test_a_resting_job_ends_when_the_queue_is_closed() -> None:
    stage = Stage({"a": ScriptedModel([BUSY, "well"])}, {"think": A})
    resting = stage.ask("x")
    await settle()
    await stage.queue.close(5)
    with pytest.raises(Unavailable, match="the world closed"):
        await resting


@given(st.integers(), st.none() | st.floats(0, 20))
async def test_a_pause_differs_within_bounds_and_is_never_shorter_than_the_host_asks(
    seed: int, after: float | None
) -> None:
    stage = over(TransientError("busy", after), "well", chance=Random(seed))
    await stage.ask("x")
    low, high = (max((1 + side * JITTER) * FIRST_PAUSE, after or 0) for side in (-1, 1))
    assert low <= stage.elapsed() <= high
