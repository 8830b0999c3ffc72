"""Checks every line of an archive: a sixth of a second for a hundred thousand memories.

It only reads. A memory is unreadable when `agents.memory.lines.entries` does not find it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from agents.memory.lines import (
    LEAP,
    decode,
    entries,
    is_commit,
    is_number,
    is_whole,
    parse_commit,
    sources_of,
    whole_lines,
)
from agents.memory.ranges import Range, merged, missing, spoken
from agents.memory.scan import archive_files
from mud.storage.paths import read_bytes

NO_JSON = "cannot be read; expected one JSON object, with the number of a memory as seq or an event"
NOT_WHOLE = "cannot be read; expected at, kind and text, each a text"
NO_COMMIT = "is a commit that cannot be used; expected what its summaries cover, and their files"

Wrong = tuple[str, int, str]
"""File name, line number (0: the whole file) and a sentence."""


class Examined(NamedTuple):
    """The result of `examine`.

    Args:
        unreadable: lost or unreadable memories before the last readable one.
        sources: the ledger step of each readable memory, in ascending order; eight bytes each.
        last_source: step of the last memory; 0 when there is none.
    """

    wrong: list[Wrong]
    unreadable: list[Range]
    sources: array[int]
    last_source: int

    def count_from(self, step: int) -> int:
        """Return how many memories a ledger step left."""
        return bisect_right(self.sources, step) - bisect_left(self.sources, step)


Look = Callable[[Path, Callable[[], None]], Examined]
"""The type of `examine`."""


def examine(archive: Path, between: Callable[[], None] = lambda: None) -> Examined:
    """Check every line of an archive, except a last line that is still being written.

    `between` is called before each file; what it raises ends the check. Files that cannot be read are reported;
    OSError is raised for the folder only.
    """
    files = archive_files(archive)
    known = {path.name for _, path in files}
    others = sorted(path.name for path in archive.glob("*.jsonl") if path.name not in known)
    wrong: list[Wrong] = [
        (name, 0, f"nothing reads this file; expected a name such as {1:010d}.jsonl") for name in others
    ]
    if files and files[0][0] > 1:
        gone = f"{spoken(1, files[0][0] - 1)}: the file before this one is gone"
        wrong.append((files[0][1].name, 1, f"there is nothing of {gone}; expected it beside this one"))
    unreadable: list[Range] = [(1, files[0][0] - 1)] if files and files[0][0] > 1 else []
    sources = array("q")
    last = 0
    for (first, path), (after, _) in pairwise([*files, (0, archive)]):
        between()
        try:
            data = whole_lines(read_bytes(path, own=True))
        except OSError as error:
            wrong.append((path.name, 0, f"it cannot be read: {error.strerror or error}"))
            unreadable += [(first, after - 1)] if after else []
            continue
        steps = sources_of(data, first)
        if steps is not None and (not after or len(steps) == after - first):
            sources.extend(steps)
            last = steps[-1] if steps and steps[-1] else last
            continue
        found = _File(first, after - 1 if after else None)
        found.look(data)
        wrong += [(path.name, number, message) for number, message in found.told()]
        if found.wrong or found.gaps():
            unreadable += _unreadable(data, first, found.end)
        sources.extend(found.sources)
        last = found.last_source or last
    if any(one > other for one, other in pairwise(sources)):
        sources = array("q", sorted(sources))
    return Examined(wrong, merged(unreadable), sources, last)


def first_after(archive: Path, step: int) -> tuple[str, int]:
    """Return file and line of the first memory of a later ledger step, else of the last line. Raises OSError."""
    place = ("", 0)
    for _, path in archive_files(archive):
        for number, line in _numbered(whole_lines(read_bytes(path, own=True))):
            place = (path.name, number)
            if line is not None and "seq" in line and is_number(line.get("source")) and line["source"] > step:
                return place
    return place


def _numbered(data: bytes) -> Iterator[tuple[int, dict[str, Any] | None]]:
    return ((number, decode(raw)) for number, raw in enumerate(data.split(b"\n"), 1) if raw.strip())


def _unreadable(data: bytes, first: int, end: int) -> list[Range]:
    """Return the memories `first..end` that `entries` does not find in a file."""
    numbers = sorted({entry.seq for entry in entries(data, first, first, end)}) if end >= first else []
    return missing(numbers, first, end)


class _File:
    """One file of an archive. `first`: the memory in its name; `last`: where it must end, None for the last file."""

    def __init__(self, first: int, last: int | None) -> None:
        self.first, self.last = first, last
        self.wrong: list[tuple[int, str]] = []
        self.sources: list[int] = []
        self.last_source = 0
        self._lines: dict[int, int] = {}
        """The line number of each memory."""
        self._broken: list[int] = []
        self._count = 0

    @property
    def end(self) -> int:
        return self.last if self.last is not None else max(self._lines, default=self.first - 1)

    def look(self, data: bytes) -> None:
        highest, lines = self.first - 1, self._lines
        for number, line in _numbered(data):
            self._count = number
            if line is None or ("seq" not in line and not isinstance(line.get("event"), str)):
                self._say(number, NO_JSON, broken=True)
            elif "seq" not in line:
                if is_commit(line) and parse_commit(line) is None:
                    self._say(number, NO_COMMIT)
            elif not is_number(seq := line["seq"]) or seq > self.first + LEAP:
                self._say(number, NO_JSON, broken=True)
            elif seq in lines:
                self._say(number, f"memory {seq} stands here again; expected it once (first in line {lines[seq]})")
            elif seq < self.first or (self.last is not None and seq > self.last):
                self._say(number, f"memory {seq} does not belong into this file; expected {self._span()}")
            else:
                self._take(number, seq, highest, line)
                highest = max(highest, seq)

    def _take(self, number: int, seq: int, highest: int, line: Mapping[str, Any]) -> None:
        self._lines[seq] = number
        if seq < highest:
            self._say(number, f"memory {seq} stands behind memory {highest}; expected them in order")
        if not is_whole(line):
            self._say(number, NOT_WHOLE, broken=True)
            return
        source = line.get("source")
        self.last_source = source if is_number(source) else 0
        self.sources.append(self.last_source)

    def _say(self, number: int, message: str, *, broken: bool = False) -> None:
        if broken:
            self._broken.append(number)
        self.wrong.append((number, message))

    def _span(self) -> str:
        return f"{spoken(self.first, self.last)}" if self.last is not None else f"memory {self.first} and later ones"

    def gaps(self) -> list[Range]:
        if self.last is None and not self._lines:
            return []
        return missing(sorted(self._lines), self.first, self.end)

    def told(self) -> list[tuple[int, str]]:
        """Return what is wrong, by line: one message for consecutive lines with the same fault, a gap where it ends.

        A gap that unreadable lines may have filled is reported with them.
        """
        told = [_row(list(alike)) for _, alike in groupby(_in_rows(self.wrong), key=lambda one: one[0])]
        for first, last in self.gaps():
            start, end = self._lines.get(first - 1, 0), self._lines.get(last + 1, self._count + 1)
            if sum(start < number < end for number in self._broken) < last - first + 1:
                lost = f"{spoken(first, last)} {'is' if first == last else 'are'} lost before this line"
                told.append((min(end, max(self._count, 1)), f"{lost}; expected every memory from {self.first} on"))
        return sorted(told)


def _in_rows(wrong: Iterable[tuple[int, str]]) -> Iterator[tuple[tuple[int, str], int]]:
    """Yield a key and the line number of each bad line; consecutive lines with the same message share the key."""
    for place, (number, message) in enumerate(wrong):
        yield (number - place, message), number


def _row(alike: list[tuple[tuple[int, str], int]]) -> tuple[int, str]:
    (_, message), first = alike[0]
    if message not in (NO_JSON, NOT_WHOLE, NO_COMMIT):
        return first, message
    return first, f"this line {message}" if len(
        alike
    ) == 1 else f"this line and {len(alike) - 1} more behind it {message}"
