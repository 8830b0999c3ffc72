"""A mind that several processes could write: what the one that was cut off still writes counts for nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.archive import Archive
from agents.memory.entries import Entry
from agents.memory.memory import Memory
from mud.clock import VirtualClock
from mud.storage.lease import FILE, Holder, holder_of, take
from mud.world.events import Perception

AT = "2026-11-20T07:21:37.123Z"


def entry(seq: int, text: str) -> Entry:
    return Entry(seq, AT, "heard", "Moss", "The Library", text, source=seq)


def texts(folder: Path) -> list[str]:
    archive = Archive(folder)
    assert archive.open(False) == []
    return [one.text for one in archive.read(1, archive.total)]


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3)), max_size=6))
def test_what_arrives_late_from_earlier_writers_is_in_no_memory(times: list[tuple[int, int]]) -> None:
    """Each writer in turn writes some memories; later, some that it had begun before it was cut off."""
    with tempfile.TemporaryDirectory() as name:
        folder, expected = Path(name), list[str]()
        for writer, (written, late) in enumerate(times):
            archive = Archive(folder)
            archive.open(True, begins_file=writer > 0)
            for _ in range(written):
                expected.append(f"writer {writer}, memory {len(expected) + 1}")
                archive.append([entry(len(expected), expected[-1])])
            archive.close()
            files = sorted(folder.glob("*.jsonl"))
            for number in range(late):
                for path in files[:-1]:
                    with path.open("a") as file:
                        file.write(entry(len(expected) + number, "late").to_json() + "\n")
            assert texts(folder) == expected


def test_a_late_memory_counts_for_nothing_once_the_next_writer_has_written(tmp_path: Path) -> None:
    before, after = Archive(tmp_path), Archive(tmp_path)
    before.open(True)
    before.append([entry(1, "both know this")])
    after.open(True, begins_file=True)
    before.append([entry(2, "late")])
    after.append([entry(2, "the next writer's")])
    before.append([entry(3, "later still")])
    assert texts(tmp_path) == ["both know this", "the next writer's"]


def heard(text: str) -> list[Perception]:
    return [Perception("#1", "heard", text, "Moss", "The Library")]


def test_where_nobody_ever_had_a_lease_none_is_taken(tmp_path: Path) -> None:
    memory = Memory("Moss", tmp_path, VirtualClock())
    memory.open(True)
    memory.append(heard("a"), AT, 1)
    memory.close()
    assert not (tmp_path / FILE).exists()


def test_a_memory_takes_the_lease_where_others_had_it_and_gives_it_back(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("1 a host that was cut off\n")
    memory = Memory("Moss", tmp_path, VirtualClock())
    memory.open(True)
    assert holder_of(tmp_path).epoch == 2
    memory.append(heard("a"), AT, 1)
    memory.close()
    assert holder_of(tmp_path) == Holder(2)


def test_a_memory_whose_lease_was_lost_keeps_waiting_what_it_cannot_write(tmp_path: Path) -> None:
    take(tmp_path)
    memory, other = (Memory("Moss", tmp_path, VirtualClock()) for _ in range(2))
    memory.open(True)
    memory.append(heard("a"), AT, 1)
    (tmp_path / FILE).write_text("2 somebody else\n")
    memory.append(heard("b"), AT, 2)
    assert memory.waiting == 1
    assert "somebody else holds the lease" in memory.warnings[0]
    other.open(False)
    assert [one.text for one in other.newest(9)] == ["a"]
