"""The numbers of "The Complexity Trap": a summary at 43 memories, ten of which stay, and masks before."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.compaction.plan import DueFold
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import MemoryState
from agents.compaction.strategies.hybrid import due, manual, next_at
from tests.lives import Life

DEFAULT = CompactionSettings(strategy="hybrid")


def test_the_golden_triggers() -> None:
    assert due(MemoryState(42, 0), DEFAULT) is None
    assert due(MemoryState(43, 0), DEFAULT) == DueFold(1, 33)
    assert due(MemoryState(75, 33, 1), DEFAULT) is None
    assert due(MemoryState(76, 33, 1), DEFAULT) == DueFold(34, 66)
    assert next_at(MemoryState(50, 33, 1), DEFAULT) == 76


def test_asked_for_everything_but_the_newest_ten_is_folded() -> None:
    assert manual(MemoryState(12, 0), DEFAULT) == DueFold(1, 2)
    assert manual(MemoryState(10, 0), DEFAULT) is None


@pytest.mark.parametrize("at_once", [False, True])
def test_a_life_folds_at_43_and_76_however_its_memories_arrive(tmp_path: Path, at_once: bool) -> None:
    life = Life(tmp_path, settings=DEFAULT)
    for batch in [list(range(80))] if at_once else [[number] for number in range(80)]:
        life.remember(*(f"I saw lamp {number} by the Cistern in the evening." for number in batch))
        life.compactor.fold_due_now()
    assert life.covered() == [(1, 33), (34, 66)]
    assert [commit.newest.covers for commit in life.commits] == [(1, 33), (1, 66)]


def test_results_are_masked_before_anything_is_folded(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=DEFAULT)
    for number in range(20):
        life.remember(f"The Library\n{number} shelves stand here. " + "Dust lies on all of them. " * 20, kind="result")
        life.remember("I walk on.", kind="did")
    shown = life.compactor.view.shown().tail
    assert ["whole in life#" in entry.text for entry in shown[::2]] == [True] * 10 + [False] * 10
    assert life.commits == []
