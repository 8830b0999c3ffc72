"""The numbers of seed 003: asleep from 70 % of the window on, awake at 80 %; twenty or a fifth of the window stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.compaction.gauge import Surroundings
from agents.compaction.plan import EMERGENCY, SLEEP, Fold
from agents.compaction.settings import CompactionSettings
from agents.compaction.standing import Standing
from agents.compaction.strategies.sleep import due, manual
from tests.lives import Life

DEFAULT = CompactionSettings(strategy="sleep")


def standing(tokens: int, *, asleep: bool, total: int = 100, fitting: int = 0) -> Standing:
    return Standing(
        total, 0, 0, 1000, asleep, tokens=lambda: tokens, fitting=lambda most: fitting if most == 200 else -1
    )


def words(tokens: int, number: int) -> str:
    """Return a memory of so many tokens, four characters each."""
    return f"I saw lamp {number}. ".ljust(4 * tokens, "-")


@pytest.mark.parametrize(("asleep", "share", "reason"), [(True, 700, SLEEP), (False, 800, EMERGENCY)])
def test_the_golden_triggers(asleep: bool, share: int, reason: str) -> None:
    assert due(standing(share, asleep=asleep), DEFAULT) is None
    assert due(standing(share + 1, asleep=asleep), DEFAULT) == Fold(1, 80, reason)


def test_what_stays_is_the_larger_of_twenty_and_a_fifth_of_the_window() -> None:
    assert manual(standing(0, asleep=False, fitting=7), DEFAULT) == Fold(1, 80)
    assert manual(standing(0, asleep=False, fitting=33), DEFAULT) == Fold(1, 67)


def test_where_the_newest_alone_are_too_much_all_but_half_of_them_are_folded() -> None:
    assert due(standing(900, asleep=False, total=18), DEFAULT) == Fold(1, 8, EMERGENCY), "ten of eighteen stay"
    assert due(standing(900, asleep=False, total=1), DEFAULT) == Fold(1, 1, EMERGENCY)
    assert manual(standing(900, asleep=False, total=18), DEFAULT) is None


@pytest.mark.parametrize("at_once", [False, True])
def test_somebody_awake_folds_over_80_percent_however_memories_arrive(tmp_path: Path, at_once: bool) -> None:
    life = Life(tmp_path, settings=DEFAULT, around=Surroundings(window=lambda: 1000))
    for batch in [list(range(85))] if at_once else [[number] for number in range(85)]:
        life.remember(*(words(10, number) for number in batch))
        life.compactor.fold_due_now()
    assert life.covered() == [(1, 61)], "at 81 memories of ten tokens; twenty of them stay"
    assert life.commits[0].reason == EMERGENCY


def test_who_falls_asleep_folds_over_70_percent_at_once(tmp_path: Path) -> None:
    asleep = False
    life = Life(tmp_path, settings=DEFAULT, around=Surroundings(window=lambda: 1000, asleep=lambda: asleep))
    life.remember(*(words(10, number) for number in range(75)))
    assert not life.compactor.due()
    asleep = True
    life.compactor.fold_due_now()
    assert life.covered() == [(1, 55)], "all but the newest twenty of now, not of when 70 % were reached"
    assert life.commits[0].reason == SLEEP
    life.remember(*(words(10, number) for number in range(30)))
    assert not life.compactor.due()
