"""The numbers of seed 004: over 12,000 tokens everything becomes one summary, if that saves 2,000."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.compaction.plan import DueFold
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import MemoryState
from agents.compaction.strategies.layered import due, manual
from agents.compaction.view import StrategyContext
from tests.lives import Life

DEFAULT = CompactionSettings(strategy="layered", threshold_tokens=12_000)


def words(tokens: int, number: int) -> str:
    """Return a memory of so many tokens, four characters each."""
    return f"I saw lamp {number} by the Cistern. ".ljust(4 * tokens, "-")


def test_the_golden_trigger() -> None:
    assert due(MemoryState(50, 20, tokens=lambda: 12_000), DEFAULT) is None
    assert due(MemoryState(50, 20, tokens=lambda: 12_001), DEFAULT) == DueFold(21, 50), (
        "and nothing stays word for word"
    )


def test_asked_for_everything_is_folded() -> None:
    assert manual(MemoryState(50, 20), DEFAULT) == DueFold(21, 50)
    assert manual(MemoryState(50, 50), DEFAULT) is None


@pytest.mark.parametrize("at_once", [False, True])
def test_a_life_folds_over_12000_tokens_however_its_memories_arrive(tmp_path: Path, at_once: bool) -> None:
    life = Life(tmp_path, settings=DEFAULT)
    for batch in [list(range(130))] if at_once else [[number] for number in range(130)]:
        life.remember(*(words(100, number) for number in batch))
        life.compactor.fold_due_now()
    assert life.covered() == [(1, 121)]
    assert [entry.seq for entry in life.memory.tail] == list(range(122, 131))


def test_a_life_waits_until_a_fold_can_save_2000_tokens(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=DEFAULT)
    life.set(threshold_tokens=1000)
    for number in range(30):
        life.remember(words(100, number))
        life.compactor.fold_due_now()
    assert life.covered() == [(1, 26)], "a summary has 600 tokens at most, and 2,600 less 600 are 2,000"
    assert life.commits[0].saved >= 2000
    assert life.compactor.skipped == 0


def test_a_fold_that_saves_too_little_in_the_end_is_counted_and_waits_for_what_it_must_save(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=DEFAULT, context=StrategyContext(counting=lambda: len))
    life.set(threshold_tokens=1000, max_summary_tokens=40, min_saving_tokens=1055)
    for number in range(21):
        life.remember(words(25, number))
        life.compactor.fold_due_now()
        assert life.compactor.skipped == (number >= 10), (
            "1,100 less 40 seem enough, but a summary takes more by this count"
        )
    assert life.commits == []
    assert life.logged.count("[Memory] Wren: Starting compaction (11 memories, 64 immediate, 64 recent)") == 1
    assert "and 1055 are asked for)" in life.logged[-1].replace("; they stay as they are", "")
    life.remember(words(25, 22))
    (commit,) = life.compactor.fold_due_now()
    assert commit.saved >= 1055, "another 1,055 tokens have come"
    assert (commit.first, commit.last) == (1, 22)


async def test_asked_for_a_fold_may_save_less(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=DEFAULT)
    life.remember(*(words(50, number) for number in range(10)))
    assert not life.compactor.due()
    commit = await life.compactor.fold_now()
    assert commit is not None
    assert 0 < commit.saved < 2000
    assert life.memory.tail == []
