"""The waterfall's numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.plan import DueFold
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import MemoryState
from agents.compaction.strategies.waterfall import due, manual, next_at
from tests.lives import Life, heard

DEFAULT = CompactionSettings()


def test_the_golden_triggers() -> None:
    watermark, folds = 0, []
    for total in range(1, 400):
        if fold := due(MemoryState(total, watermark), DEFAULT):
            folds.append((total, fold.first, fold.last))
            watermark = fold.last
    assert folds == [(129, 1, 65), (193, 66, 129), (257, 130, 193), (321, 194, 257), (385, 258, 321)]


def test_a_manual_fold_takes_everything_outside_the_immediate_window() -> None:
    assert manual(MemoryState(100, 0), DEFAULT) == DueFold(1, 36)
    assert manual(MemoryState(300, 193), DEFAULT) == DueFold(194, 236)
    assert manual(MemoryState(64, 0), DEFAULT) is None
    assert manual(MemoryState(100, 36), DEFAULT) is None


@given(st.integers(0, 2000), st.integers(0, 2000), st.integers(1, 200), st.integers(1, 200))
def test_a_fold_is_due_exactly_from_next_at_on(total: int, watermark: int, immediate: int, recent: int) -> None:
    settings = CompactionSettings(immediate_window=immediate, recent_window=recent)
    at = next_at(MemoryState(total, watermark), settings)
    assert at is not None
    assert (due(MemoryState(total, watermark), settings) is not None) == (total >= at)


@pytest.mark.parametrize(("immediate", "recent"), [(64, 64), (8, 8), (1, 1), (3, 50), (50, 3)])
def test_folds_that_come_late_take_the_ranges_they_would_have_taken_on_time(
    immediate: int, recent: int, tmp_path: Path
) -> None:
    settings = CompactionSettings(immediate_window=immediate, recent_window=recent)
    life = Life(tmp_path / "on-time", settings=settings)
    life.live(90)
    late = Life(tmp_path / "late", settings=settings)
    late.memory.append([heard(f"word {number}") for number in range(90)], "2026-11-20T07:21:37.123Z", 1)
    late.compactor.fold_due_now()
    assert late.memory.watermark == life.memory.watermark
    assert [commit.newest.covers for commit in late.commits] == [commit.newest.covers for commit in life.commits]
