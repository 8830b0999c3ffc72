"""The sliding window hides and writes nothing."""

from __future__ import annotations

from pathlib import Path

from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import MemoryState
from agents.compaction.strategies.sliding_window import hides
from tests.lives import Life

DEFAULT = CompactionSettings(strategy="sliding_window")


def test_all_but_the_newest_five_are_hidden() -> None:
    assert hides(MemoryState(5, 0), DEFAULT) is None
    assert hides(MemoryState(6, 0), DEFAULT) == (1, 1)
    assert hides(MemoryState(100, 65), DEFAULT) == (66, 95)
    assert hides(MemoryState(70, 65), DEFAULT) is None


def test_nothing_is_written_and_another_strategy_takes_up_what_was_hidden(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=DEFAULT)
    life.live(150)
    assert (life.commits, life.compactor.view.shown().hidden) == ([], (1, 145))
    assert life.compactor.view.tokens() == sum(-(-len(entry.text) // 4) for entry in life.memory.newest(5))
    life.set(strategy="waterfall")
    life.live(1)
    assert life.covered() == [(1, 65)]
