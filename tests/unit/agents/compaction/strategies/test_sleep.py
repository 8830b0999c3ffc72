"""The numbers of seed 003: asleep from 70 % of the window on, awake at 80 %; twenty or a fifth of the window stay."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.compaction.plan import EMERGENCY, SLEEP, DueFold
from agents.compaction.rebuild import REBUILD
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import MemoryState
from agents.compaction.strategies.sleep import due, manual
from agents.compaction.view import StrategyContext
from agents.llm.backend import Completion
from mud.errors import Unavailable
from tests.lives import Life, reply, waiting_model
from tests.rebuilds import rebuilding, tiles

DEFAULT = CompactionSettings(strategy="sleep")


def standing(tokens: int, *, asleep: bool, total: int = 100, fitting: int = 0) -> MemoryState:
    return MemoryState(
        total, 0, 0, 1000, asleep, tokens=lambda: tokens, fitting=lambda most: fitting if most == 200 else -1
    )


def words(tokens: int, number: int) -> str:
    """Return a memory of so many tokens, four characters each."""
    return f"I saw lamp {number}. ".ljust(4 * tokens, "-")


@pytest.mark.parametrize(("asleep", "share", "reason"), [(True, 700, SLEEP), (False, 800, EMERGENCY)])
def test_the_golden_triggers(asleep: bool, share: int, reason: str) -> None:
    assert due(standing(share, asleep=asleep), DEFAULT) is None
    assert due(standing(share + 1, asleep=asleep), DEFAULT) == DueFold(1, 80, reason)


def test_what_stays_is_the_larger_of_twenty_and_a_fifth_of_the_window() -> None:
    assert manual(standing(0, asleep=False, fitting=7), DEFAULT) == DueFold(1, 80)
    assert manual(standing(0, asleep=False, fitting=33), DEFAULT) == DueFold(1, 67)


def test_where_the_newest_alone_are_too_much_all_but_half_of_them_are_folded() -> None:
    assert due(standing(900, asleep=False, total=18), DEFAULT) == DueFold(1, 8, EMERGENCY), "ten of eighteen stay"
    assert due(standing(900, asleep=False, total=1), DEFAULT) == DueFold(1, 1, EMERGENCY)
    assert manual(standing(900, asleep=False, total=18), DEFAULT) is None


@pytest.mark.parametrize("at_once", [False, True])
def test_somebody_awake_folds_over_80_percent_however_memories_arrive(tmp_path: Path, at_once: bool) -> None:
    life = Life(tmp_path, settings=DEFAULT, context=StrategyContext(window=lambda: 1000))
    for batch in [list(range(85))] if at_once else [[number] for number in range(85)]:
        life.remember(*(words(10, number) for number in batch))
        life.compactor.fold_due_now()
    assert life.covered() == [(1, 61)], "at 81 memories of ten tokens; twenty of them stay"
    assert life.commits[0].reason == EMERGENCY


def test_who_falls_asleep_folds_over_70_percent_at_once(tmp_path: Path) -> None:
    asleep = False
    life = Life(tmp_path, settings=DEFAULT, context=StrategyContext(window=lambda: 1000, asleep=lambda: asleep))
    life.remember(*(words(10, number) for number in range(75)))
    assert not life.compactor.due()
    asleep = True
    life.compactor.fold_due_now()
    assert life.covered() == [(1, 55)], "all but the newest twenty of now, not of when 70 % were reached"
    assert life.commits[0].reason == SLEEP
    life.remember(*(words(10, number) for number in range(30)))
    assert not life.compactor.due()


def test_an_emergency_overtakes_a_fold_that_waits_for_its_model(tmp_path: Path) -> None:
    asleep = True
    life = Life(
        tmp_path,
        settings=DEFAULT,
        model=waiting_model,
        context=StrategyContext(window=lambda: 1000, asleep=lambda: asleep),
    )
    life.remember(*(words(10, number) for number in range(75)))
    folding = life.compactor.fold_due()
    folding.send(None)
    assert not life.compactor.emergency(), "it is not so much yet that it could not wait"
    asleep = False
    life.remember(*(words(10, number) for number in range(200)))
    assert life.compactor.emergency()
    assert not life.compactor.due(), "nothing else begins meanwhile"
    commits = life.compactor.fold_due_now()
    assert {commit.reason for commit in commits} == {EMERGENCY}
    assert (life.compactor.busy, life.compactor.view.tokens() < 800) == (True, True)
    assert not life.compactor.emergency()
    with pytest.raises(StopIteration):
        folding.send(reply("I saw lamp 1. I saw lamp 2."))
    assert (life.commits, life.memory.warnings, life.compactor.busy) == (commits, [], False)
    assert "came too late" in life.compactor.notice
    assert tiles(life)


async def test_a_rebuild_yields_to_an_emergency_and_can_be_asked_for_again(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=DEFAULT, context=StrategyContext(window=lambda: 1000))
    for number in range(85):
        life.remember(words(10, number))
        life.compactor.fold_due_now()
    before = list(life.commits)
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def model(prompt: str, profile: str) -> Completion:
        asked.set()
        await go_on.wait()
        return reply("I saw lamp 1.")

    life.model = model
    running = asyncio.ensure_future(rebuilding(life).run(REBUILD))
    await asked.wait()
    life.remember(*(words(10, number) for number in range(200)))
    assert not life.compactor.due()
    later = life.compactor.fold_due_now()
    assert later[0].first == before[-1].last + 1
    assert life.compactor.view.tokens() < 800
    go_on.set()
    with pytest.raises(Unavailable, match="folded in an emergency meanwhile"):
        await running
    assert life.commits == [*before, *later]
    assert not life.compactor.busy
    assert tiles(life)
    assert rebuilding(life).check(REBUILD) == life.memory.watermark
    assert (await rebuilding(life).run(REBUILD)).made[-1].covers == (1, life.memory.watermark)
