"""Entries that are held for a moment: counted and shown at once, written with later ones, given back by the ledger."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.archive import Archive
from agents.memory.entries import Entry
from agents.memory.memory import Memory
from mud.clock import VirtualClock
from mud.world.events import Perception

AT = "2026-01-01T00:00:00.000Z"
STEPS = st.lists(
    st.tuples(st.sampled_from(["hold", "hold", "write", "write held", "note", "sync", "kill"]), st.integers(1, 3)),
    max_size=40,
)


def opened(folder: Path) -> Memory:
    memory = Memory("Ann", folder, VirtualClock(), in_ram=4)
    memory.open(writable=True)
    return memory


def recover(memory: Memory, ledger: list[list[Perception]]) -> None:
    """Append what the steps of a ledger left and the archive lacks, as at every start."""
    for number, left in enumerate(ledger, 1):
        if memory.last_source <= number:
            held = memory.last_source_count if memory.last_source == number else 0
            memory.append(left[held:], AT, number)


@given(STEPS)
def test_whatever_is_killed_when_each_entry_is_there_once_and_in_order(
    steps: list[tuple[str, int]],
) -> None:
    with TemporaryDirectory() as name:
        folder, ledger = Path(name) / "ann", list[list[Perception]]()
        memory = opened(folder)
        for do, count in steps:
            if do in ("hold", "write"):
                left = [Perception("#1", "saw", f"step {len(ledger) + 1}, thing {one}") for one in range(count)]
                ledger.append(left)
                memory.append(left, AT, len(ledger), hold=do == "hold")
            elif do == "write held":
                memory.write_held()
            elif do == "note":
                assert memory.record({"event": "micro_compact", "at": AT})
            elif do == "sync":
                assert memory.sync()
            else:  # nothing is closed, so what is held is gone
                memory = opened(folder)
                recover(memory, ledger)
            wanted = [one.text for left in ledger for one in left]
            assert memory.total == len(wanted)
            assert [entry.text for entry in memory.read(1, memory.total)] == wanted
            assert [entry.text for entry in memory.newest(5)] == wanted[-5:]
        memory.close()
        again = Archive(folder / "archive")
        again.open(writable=False)
        assert again.total == len([one for left in ledger for one in left])
        if ledger:
            assert (again.last_source, again.last_source_count) == (len(ledger), len(ledger[-1]))


def test_an_event_stands_after_the_entries_that_were_held_before_it(tmp_path: Path) -> None:
    memory = opened(tmp_path / "ann")
    memory.append([Perception("#1", "saw", "a pear")], AT, 1, hold=True)
    assert memory.record({"event": "micro_compact", "at": AT})
    lines = next((tmp_path / "ann/archive").iterdir()).read_text().splitlines()
    assert ["pear" in line for line in lines] == [True, False]


def test_held_entries_that_were_taken_back_follow_what_is_written(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive")
    archive.open(writable=True)
    archive.append([Entry(1, AT, "saw", None, None, "a", source=7), Entry(2, AT, "saw", None, None, "b", source=7)])
    held = [Entry(3, AT, "saw", None, None, "c", source=7), Entry(4, AT, "saw", None, None, "d", source=8)]
    archive.hold(held[:1])
    assert (archive.total, archive.last_source, archive.last_source_count) == (3, 7, 3)
    archive.hold(held[1:])
    assert (archive.total, archive.last_source, archive.last_source_count) == (4, 8, 1)
    assert archive.take_back() == held
    assert (archive.total, archive.last_source, archive.last_source_count) == (2, 7, 2)
    archive.append(held)
    assert not archive.holds
    assert [entry.text for entry in archive.read(1, 9)] == ["a", "b", "c", "d"]
