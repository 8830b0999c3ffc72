"""An agent never has two thoughts waiting: the newer one takes the older one's place."""

from __future__ import annotations

import asyncio

import pytest

from agents.llm.backend import Completion
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.queue import Superseded, Urgency
from tests.unit.agents.llm.stage import Gate, Stage, settle


def asked(stage: Stage, prompt: str, owner: str, urgency: Urgency = Urgency.THINK) -> asyncio.Task[Completion]:
    return asyncio.create_task(stage.queue.ask(lambda: prompt, "think", urgency, owner))


async def busy(room: int = 64) -> tuple[Stage, Gate, asyncio.Task[Completion]]:
    """Return a stage whose host is busy with Moss."""
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, *["x"] * 9])}, room=room)
    moss = asked(stage, "moss", "Moss")
    await settle()
    return stage, gate, moss


async def test_a_newer_thought_takes_the_place_of_the_one_that_waits() -> None:
    stage, gate, moss = await busy()
    old, other = asked(stage, "old", "Eliza"), asked(stage, "other", "Fenwick")
    await settle()
    new = asked(stage, "new", "Eliza")
    with pytest.raises(Superseded, match="a newer thought of Eliza took the place of this one"):
        await old
    assert stage.queue.waiting == 2
    gate.open()
    await asyncio.gather(moss, other, new)
    assert stage.models["a"].prompts == ["moss", "new", "other"]
    totals = stage.queue.totals
    assert (totals.asked, totals.answered, totals.cancelled) == (4, 3, 1)


async def test_it_is_as_urgent_as_the_more_urgent_of_the_two() -> None:
    stage, gate, moss = await busy()
    old, other = asked(stage, "old", "Eliza", Urgency.PERSON), asked(stage, "other", "Fenwick")
    await settle()
    new = asked(stage, "new", "Eliza")
    gate.open()
    await asyncio.gather(moss, other, new, old, return_exceptions=True)
    assert stage.models["a"].prompts == ["moss", "new", "other"]


async def test_it_needs_no_room_of_its_own() -> None:
    stage, gate, moss = await busy(room=1)
    old = asked(stage, "old", "Eliza")
    await settle()
    new = asked(stage, "new", "Eliza")
    gate.open()
    assert (await new).text == "x"
    with pytest.raises(Superseded):
        await old
    await moss


async def test_summaries_of_one_agent_wait_side_by_side() -> None:
    stage, gate, moss = await busy()
    jobs = [asked(stage, str(number), "Eliza", Urgency.SUMMARIZE) for number in range(3)]
    await settle()
    assert stage.queue.waiting == 3
    gate.open()
    await asyncio.gather(moss, *jobs)
    assert stage.models["a"].prompts == ["moss", "0", "1", "2"]
