"""Turns of folds: other work comes between them, and gets its share of the time."""

from __future__ import annotations

import asyncio

import pytest

from agents.compaction.turns import LOOK_AGAIN, MANY, WINDOW, FoldTurns
from tests.unit.agents.llm.stage import HandClock, settle


async def rounds(fold: float, other: float, folds: int = 6) -> list[str]:
    """Return what is done in which order by folds that are due at once, and by other work in every round."""
    clock, done = HandClock(), list[str]()
    turns = FoldTurns(clock)

    async def one() -> None:
        async with turns.turn():
            clock.advance(fold)
            done.append("fold")

    async def others() -> None:
        while done.count("fold") < folds:
            clock.advance(other)
            done.append("other")
            await asyncio.sleep(0)

    await asyncio.gather(others(), *(one() for _ in range(folds)))
    return done


@pytest.mark.parametrize(
    ("fold", "other", "in_a_row"),
    [(0.004, 0.0, 1), (0.004, 0.001, 1), (0.01, 0.021, 2), (0.013, 0.5, 3), (0.5, 0.5, 1)],
)
async def test_folds_take_turns_with_other_work(fold: float, other: float, in_a_row: int) -> None:
    runs = [len(run) for run in "".join(one[0] for one in await rounds(fold, other)).replace("o", " ").split()]
    assert sum(runs) == 6
    assert max(runs) == in_a_row


async def test_a_turn_that_nobody_takes_any_more_stops_nobody() -> None:
    turns, done = FoldTurns(HandClock()), list[int]()

    async def one(number: int) -> None:
        async with turns.turn():
            done.append(number)

    tasks = [asyncio.ensure_future(one(number)) for number in range(3)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert done == [0, 2]


async def test_many_talk_for_as_long_as_many_memories_come() -> None:
    clock = HandClock()
    turns = FoldTurns(clock)
    turns.count(MANY - 1)
    assert not turns.many_talk()
    turns.count(1)
    assert turns.many_talk()
    quiet = asyncio.ensure_future(turns.quiet(lambda: True))
    for _ in range(8):
        clock.advance(LOOK_AGAIN)
        turns.count(MANY // 2 + 1)
        await settle()
    assert not quiet.done()
    clock.advance(2 * WINDOW)
    await settle()
    assert quiet.done()
    assert not turns.many_talk()
