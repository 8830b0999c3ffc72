"""Reads the event lines of an archive, such as folds and masks, each with its position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agents.memory.entries import Entry
from agents.memory.lines import decode, entries, is_commit, line_of, whole_lines
from agents.memory.scan import archive_files
from mud.storage.paths import read_bytes

_EVENT = b'"event":'


def events(archive: Path, first: int, last: int, name: str = "") -> list[tuple[int, dict[str, Any]]]:
    """Return the event lines after the memories `first..last`, each with the number of the memory before it.

    Events before the first memory have number 0 and belong to a range that begins with 1. Searching for one `name` is
    ten times as fast as for all (empty). Raises OSError.
    """
    return [
        (seq, event)
        for _, found in events_by_file(archive, first, last, name)
        for seq, event in found
        if (first if first > 1 else 0) <= seq <= last
    ]


def events_by_file(
    archive: Path, first: int, last: int, name: str = ""
) -> Iterator[tuple[int, list[tuple[int, dict[str, Any]]]]]:
    """Yield for each file that may hold `first..last` its last memory and its events; the next one is read later."""
    files = archive_files(archive)
    ends = [*(start - 1 for start, _ in files[1:]), last]
    marked = _EVENT + f'"{name}"'.encode() if name else _EVENT
    for (start, path), end in zip(files, ends, strict=False):
        if start <= last and end >= first:
            yield end, list(_events(whole_lines(read_bytes(path, own=True)), start, marked))


def tail(
    archive: Path, first: int, last: int, names: Sequence[str]
) -> tuple[list[Entry], list[tuple[int, dict[str, Any]]]]:
    """Return readable memories and the named events after them, in one pass. May run in a thread. Raises OSError."""
    memories: list[Entry] = []
    found: list[tuple[int, dict[str, Any]]] = []
    files = archive_files(archive) if first <= last else []
    for (start, path), end in zip(files, [*(begins - 1 for begins, _ in files[1:]), last], strict=False):
        if start > last or end < first:
            continue
        data = whole_lines(read_bytes(path, own=True))
        begin = max(0, line_of(data, first))
        memories += entries(data[begin:], max(start, first) if begin else start, first, last)
        for name in names:
            found += _events(data[begin:], max(start, first) if begin else start, _EVENT + f'"{name}"'.encode())
    return memories, sorted(((seq, event) for seq, event in found if first <= seq <= last), key=lambda one: one[0])


def newest(archive: Path, before: int, marks: Sequence[bytes], files: int) -> tuple[list[dict[str, Any] | None], int]:
    """Return the last line with each mark before a memory, and the first memory that was searched.

    Args:
        marks: bytes of a line as the program writes it, such as `"kind":"dream"`.
        files: how many files to search at most, backwards.
    """
    found: list[dict[str, Any] | None] = [None] * len(marks)
    looked = before
    for start, path in reversed([one for one in archive_files(archive) if one[0] < before][-files:]):
        data = whole_lines(read_bytes(path, own=True))
        end = line_of(data, before) if looked == before else -1
        looked = start
        for place, mark in enumerate(marks):
            at = data.rfind(mark, 0, end if end >= 0 else len(data)) if found[place] is None else -1
            if at >= 0:
                found[place] = decode(data[data.rfind(b"\n", 0, at) + 1 : data.find(b"\n", at)])
        if None not in found:
            break
    return found, looked


def last_event(archive: Path, name: str) -> dict[str, Any] | None:
    for start, path in reversed(archive_files(archive)):
        for _, event in reversed(list(_events(whole_lines(read_bytes(path, own=True)), start))):
            if event["event"] == name:
                return dict(event)
    return None


def _events(data: bytes, start: int, mark: bytes = _EVENT) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the events of one file, each with the number of the memory before it.

    It searches bytes, as decoding a whole file costs 25 ms; texts cannot match, as their quotation marks are escaped.
    The commit at the start of a later file only repeats one of the file before.
    """
    at = data.find(mark)
    while at >= 0:
        begin = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        line = decode(data[begin:end])
        repeated = begin == 0 and start > 1 and line is not None and is_commit(line)
        if line is not None and "seq" not in line and isinstance(line.get("event"), str) and not repeated:
            yield _seq_before(data, begin, start), line
        at = data.find(mark, end)


def _seq_before(data: bytes, end: int, start: int) -> int:
    mark = b'{"seq":'
    at = data.rfind(b"\n" + mark, 0, end) + 1
    if at == 0 and not data.startswith(mark):
        return start - 1
    number = data[at + len(mark) : data.find(b",", at)]
    return int(number) if number.isdigit() and len(number) < 19 else start - 1
