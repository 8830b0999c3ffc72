"""The numbers of seed 001: five entries at least, then ten entries or 8,000 characters, and two that stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.compaction.plan import DueFold
from agents.compaction.settings import OFF, PRESETS, CompactionSettings
from agents.compaction.strategies import MemoryState
from agents.compaction.strategies.entry_summary import budgets, due, manual, next_at, waits
from tests.lives import Life

DEFAULT = CompactionSettings(strategy="entry_summary")


def standing(total: int, chars: int = 0, watermark: int = 0) -> MemoryState:
    return MemoryState(total, watermark, 1 if watermark else 0, chars=lambda: chars)


def words(chars: int, number: int = 0) -> str:
    """Return a memory of so many characters."""
    return f"I saw lamp {number} by the Cistern in the evening. ".ljust(chars, "-")


def folds(settings: CompactionSettings, most: int) -> list[tuple[int, DueFold]]:
    """Return at how many short memories which ones are folded."""
    watermark, found = 0, []
    for total in range(1, most + 1):
        if fold := due(standing(total, watermark=watermark), settings):
            found.append((total, fold))
            watermark = fold.last
    return found


def test_the_golden_triggers_by_entries_count_the_summary_as_one() -> None:
    assert folds(DEFAULT, 30) == [(10, DueFold(1, 8)), (17, DueFold(9, 15)), (24, DueFold(16, 22))]


def test_the_gate_of_five_beats_everything() -> None:
    assert due(standing(4, 200_000), DEFAULT) is None
    assert due(standing(5, 200_000), DEFAULT) == DueFold(1, 3)
    assert due(standing(11, 200_000, watermark=8), DEFAULT) is None, "three and the summary are four"
    assert due(standing(12, 200_000, watermark=8), DEFAULT) == DueFold(9, 10)


def test_characters_trigger_at_8000() -> None:
    assert due(standing(9, 7999), DEFAULT) is None
    assert due(standing(9, 8000), DEFAULT) == DueFold(1, 7)


@pytest.mark.parametrize("at_once", [False, True])
def test_a_life_folds_at_10_17_and_24_however_its_memories_arrive(tmp_path: Path, at_once: bool) -> None:
    life = Life(tmp_path, settings=DEFAULT)
    for batch in [list(range(30))] if at_once else [[number] for number in range(30)]:
        life.remember(*(words(60, number) for number in batch))
        life.compactor.fold_due_now()
    assert life.covered() == [(1, 8), (9, 15), (16, 22)]
    assert [commit.newest.covers for commit in life.commits] == [(1, 8), (1, 15), (1, 22)]
    assert [entry.seq for entry in life.memory.tail] == list(range(23, 31))


@pytest.mark.parametrize(("each", "at"), [(2000, 5), (1600, 5), (1599, 6), (1000, 8), (889, 9), (888, 10)])
@pytest.mark.parametrize("at_once", [False, True])
def test_a_life_folds_when_its_characters_are_8000(tmp_path: Path, each: int, at: int, at_once: bool) -> None:
    life = Life(tmp_path, settings=DEFAULT)
    for batch in [[0] * at] if at_once else [[0]] * at:
        life.remember(*(words(each) for _ in batch))
        life.compactor.fold_due_now()
    assert life.covered()[0] == (1, at - 2)


def test_the_summary_counts_with_its_characters(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=DEFAULT)
    life.remember(*(words(1600, number) for number in range(5)))
    life.compactor.fold_due_now()
    assert life.memory.longterm is not None
    chars = 2 * 1600 + len(life.memory.longterm.text)
    assert life.compactor.view.state().chars() == chars
    life.remember(words(60), words(8000 - chars - 61))
    assert not life.compactor.due()
    life.remember("!")
    assert life.compactor.due()


def test_asked_for_everything_but_the_newest_two_is_folded() -> None:
    assert manual(standing(4), DEFAULT) == DueFold(1, 2)
    assert manual(standing(2), DEFAULT) is None


PRESET_FOLDS = {
    "aggressive": (6, DueFold(1, 5), 3, 4000),
    "high_throughput": (5, DueFold(1, 4), 3, 3000),
    "long_research": (15, DueFold(1, 12), 8, 15_000),
    "small_context": (4, DueFold(1, 3), 2, 2000),
    "context_8k": (5, DueFold(1, 3), 5, 3000),
}
"""At how many entries a preset folds which, how many it wants at least, and at how many characters."""


@pytest.mark.parametrize("preset", sorted(set(PRESETS) - {OFF}))
def test_a_preset_folds_as_the_seed_says(preset: str) -> None:
    at, fold, gate, chars = PRESET_FOLDS[preset]
    settings = CompactionSettings(preset=preset)
    assert folds(settings, at) == [(at, fold)]
    assert next_at(standing(0), settings) == at
    assert due(standing(gate - 1, 1_000_000), settings) is None
    few = max(gate, settings.tuned().preserve_last_n_entries + 1)
    if few < at:
        assert due(standing(few, chars - 1), settings) is None
        assert due(standing(few, chars), settings) is not None


def test_the_preset_off_never_folds_by_itself_however_long_the_life() -> None:
    off = CompactionSettings(preset=OFF)
    assert folds(off, 2500) == []
    assert due(standing(5000, 10**9), off) is None
    assert next_at(standing(5000), off) is None
    assert budgets(standing(5000), off) == ()
    assert waits(standing(5000), off) == "only when asked for (the preset is off)"
    assert manual(standing(10), off) == DueFold(1, 8), "asked for it folds all the same"
