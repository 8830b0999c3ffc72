"""A memory opened for reading: what its reader knows from elsewhere counts as lived, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.memory.archive import Archive
from agents.memory.entries import Entry
from agents.memory.memory import Memory
from mud.clock import VirtualClock
from mud.world.events import Perception

NOW = "2026-01-01T00:00:00.000Z"


def _memory(folder: Path, *, writable: bool, in_ram: int = 1024) -> Memory:
    memory = Memory("Wren", folder, VirtualClock(), in_ram=in_ram)
    memory.open(writable)
    return memory


def _seen(*words: str) -> list[Perception]:
    return [Perception("#1", "saw", word) for word in words]


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("in_ram", [2, 1024])
@pytest.mark.parametrize("written", [0, 3])
def test_what_a_reader_is_told_follows_what_is_written(tmp_path: Path, written: int, in_ram: int) -> None:
    writer = _memory(tmp_path, writable=True)
    writer.append(_seen(*(f"old {number}" for number in range(written))), NOW, 1)
    writer.close()
    before = _files(tmp_path)
    reader = _memory(tmp_path, writable=False, in_ram=in_ram)
    reader.append(_seen("one", "two"), NOW, 2)
    reader.append(_seen("three"), NOW, 3)
    lived = [*(f"old {number}" for number in range(written)), "one", "two", "three"]
    assert [entry.text for entry in reader.read(1, 99)] == [entry.text for entry in reader.tail] == lived
    assert [entry.text for entry in reader.view().tail] == lived
    assert [entry.text for entry in reader.read(written + 2, written + 2)] == ["two"]
    assert (reader.total, reader.waiting, reader.warnings) == (written + 3, 0, [])
    assert (reader.last_source, reader.last_source_count) == (3, 1)
    reader.close()
    assert _files(tmp_path) == before


def test_opening_again_forgets_what_was_not_written(tmp_path: Path) -> None:
    reader = _memory(tmp_path, writable=False)
    reader.append(_seen("one"), NOW, 1)
    reader.open(writable=False)
    assert (reader.total, reader.tail) == (0, [])


def test_what_does_not_follow_is_a_programming_error(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.open(writable=False)
    with pytest.raises(ValueError, match="memory 2 cannot follow memory 0"):
        archive.hold([Entry(2, NOW, "saw", None, None, "x")])


@pytest.mark.parametrize("writable", [False, True])
@pytest.mark.parametrize("line", ['{"seq":"two","at":"x"}', '{"seq":null}', '{"seq":true}', "[1]", "nonsense"])
def test_a_last_line_that_a_hand_mangled_is_passed_over_and_said(tmp_path: Path, line: str, writable: bool) -> None:
    writer = _memory(tmp_path, writable=True)
    writer.append(_seen("one"), NOW, 7)
    writer.close()
    (file,) = (tmp_path / "archive").iterdir()
    file.write_text(file.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    memory = Memory("Wren", tmp_path, VirtualClock())
    assert any("cannot be read" in message for message in memory.open(writable))
    assert (memory.total, memory.last_source) == (1, 7)
    memory.close()


def test_a_source_that_is_no_number_counts_as_none(tmp_path: Path) -> None:
    writer = _memory(tmp_path, writable=True)
    writer.append(_seen("one"), NOW, 7)
    writer.close()
    (file,) = (tmp_path / "archive").iterdir()
    file.write_text(file.read_text(encoding="utf-8").replace('"source":7', '"source":null'), encoding="utf-8")
    memory = _memory(tmp_path, writable=True)
    assert (memory.total, memory.last_source) == (1, 0)
    memory.close()
