"""What waits while the archive cannot be written, and what does not even fit there."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from agents.compaction.status import coverage, holes, status
from agents.memory.memory import WAITING
from mud.errors import Unavailable
from mud.world.events import Perception
from tests.lives import Life, heard

Ledger = list[tuple[int, list[Perception]]]


def recover(life: Life, ledger: Ledger) -> None:
    """Give a memory what a ledger has and it has not, as a start does."""
    memory = life.memory
    for number, left in ledger:
        if memory.last_source <= number:
            held = memory.last_source_count if memory.last_source == number else 0
            memory.append(left[held:], "2026-11-20T07:21:37.123Z", number)


@pytest.mark.parametrize("full_to_the_end", [True, False])
def test_what_does_not_fit_while_the_archive_cannot_be_written_comes_back_in_order(
    tmp_path: Path, full_to_the_end: bool
) -> None:
    life = Life(tmp_path)
    life.set(auto_enabled=False)
    ledger: Ledger = [(number, [heard(f"{number}, {at}") for at in range(90)]) for number in range(1, 61)]
    steps = iter(ledger)

    def live(count: int) -> None:
        for number, left in islice(steps, count):
            life.memory.append(left, "2026-11-20T07:21:37.123Z", number)

    live(3)
    life.disk.full = True
    live(52)
    assert (life.memory.waiting, life.memory.missing_from) == (WAITING, 49)
    assert "from step 49 on did not fit" in life.memory.warnings[-1]
    assert life.memory.last_source == 3
    life.disk.full = full_to_the_end
    live(5)
    assert (life.memory.missing_from, life.memory.last_source) == (49, 3 if full_to_the_end else 49)
    assert holes(coverage(life.compactor.view.shown()), life.memory.total + life.memory.waiting) == ([], [])
    warnings = status(life.compactor.view)["warnings"]
    assert any("come back at the next start" in text for text in warnings)
    life.disk.full = False
    if not full_to_the_end:
        life.memory.close()
    life.start()
    recover(life, ledger)
    assert [entry.text for entry in life.memory.tail] == [one.text for _, left in ledger for one in left]
    assert [entry.seq for entry in life.memory.tail] == list(range(1, 5401))
    assert (life.memory.missing_from, life.memory.warnings) == (None, [])


def test_records_from_outside_that_do_not_fit_are_refused_aloud(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.disk.full = True
    with pytest.raises(Unavailable, match="nothing more is taken up"):
        life.memory.append_raw([{"text": f"word {number}"} for number in range(6000)])
    life.disk.full = False
    with pytest.raises(Unavailable, match="nothing more is taken up"):
        life.memory.append_raw([{"text": "one more"}])
