"""What every strategy keeps, whatever it decides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.compaction.plan import CompactionSettings
from agents.compaction.strategies._strategy import Strategy
from agents.memory.integrity import coverage, holes
from tests.lives import STRATEGIES, Life, heard

EVERY = pytest.mark.parametrize("strategy", list(STRATEGIES), ids=lambda strategy: strategy.name)
WINDOWS = [(64, 64), (8, 8), (1, 1), (3, 50), (50, 3)]


@EVERY
def test_it_says_what_it_is(strategy: Strategy) -> None:
    assert strategy.help.endswith(".")


@EVERY
@pytest.mark.parametrize(("immediate", "recent"), WINDOWS)
def test_what_it_folds_begins_at_the_watermark_and_exists(strategy: Strategy, immediate: int, recent: int) -> None:
    settings = CompactionSettings(immediate_window=immediate, recent_window=recent)
    for total in range(0, 300, 7):
        for watermark in range(0, total + 1, 5):
            for fold in (strategy.due(total, watermark, settings), strategy.manual(total, watermark, settings)):
                assert fold is None or (fold[0] == watermark + 1 and fold[0] <= fold[1] <= total)


@EVERY
@pytest.mark.parametrize(("immediate", "recent"), WINDOWS)
def test_a_life_is_shown_whole_at_every_moment_and_the_same_late_or_on_time(
    strategy: Strategy, immediate: int, recent: int, tmp_path: Path
) -> None:
    settings = replace(CompactionSettings(), strategy=strategy.name, immediate_window=immediate, recent_window=recent)
    life = Life(tmp_path / "on-time", settings=settings)
    for _ in range(90):
        life.live(1)
        assert holes(coverage(life.memory), life.memory.total) == ([], [])
    late = Life(tmp_path / "late", settings=settings)
    late.memory.append([heard(f"word {number}") for number in range(90)], "2026-11-20T07:21:37.123Z", 1)
    late.compactor.fold_due_now()
    assert late.memory.watermark == life.memory.watermark
    assert [commit.recent.covers for commit in late.commits] == [commit.recent.covers for commit in life.commits]
