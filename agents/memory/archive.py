"""The archive: every memory of one agent, one JSON line each, in append-only files.

Besides memories there are event lines (commits of summaries, imports): they have `event` and no `seq`. Each file is
named by its first memory and begins with a copy of the last commit line, so that opening an archive needs its last
file alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from agents.memory.entries import Entry
from agents.memory.lines import (
    CommitLine,
    backwards,
    decode,
    encode,
    entries,
    in_order,
    is_commit,
    is_number,
    last_commit,
    parse_commit,
    whole_lines,
)
from agents.memory.scan import archive_files, broken_lines
from mud.storage.jsonl import JsonlWriter
from mud.storage.paths import make_folder, read_bytes

PER_FILE = 4096

COUNTED = 256
"""Memories of the last step that are counted at opening at most; no step leaves one character as many."""

_LOOKED_AT = 320
"""Lines read at the end of a file at opening: room for `COUNTED` memories and some events."""


class LineWriter(Protocol):
    """The interface of `mud.storage.jsonl.JsonlWriter`; tests pass one that fails."""

    @property
    def message(self) -> str | None:
        """What was set aside when the file was opened; None when it was whole."""
        ...

    def append(self, lines: Sequence[str]) -> None:
        """Write all lines at once, or raise OSError and leave the file as it was."""
        ...

    def sync(self) -> None: ...

    def close(self) -> None: ...


class Archive:
    """The archive of one agent. The folder is created on the first write."""

    def __init__(
        self, folder: Path, per_file: int = PER_FILE, open_writer: Callable[[Path], LineWriter] = JsonlWriter
    ) -> None:
        self._folder = folder
        self._per_file = per_file
        self._open_writer = open_writer
        self._writer: LineWriter | None = None
        self._writable = False
        self._firsts: list[int] = []
        self._held: list[Entry] = []
        """Entries that a reader has beyond the files."""
        self.total = 0
        self.last_source = 0
        self.last_source_count = 0
        self.last_commit: CommitLine | None = None

    def open(self, writable: bool) -> list[str]:
        """Read the state from the last file's end; return messages. A writer sets a torn line aside. Raises OSError."""
        self.close()
        self._writable = writable
        self._held.clear()
        self.total, self.last_source, self.last_source_count, self.last_commit = 0, 0, 0, None
        if writable:
            make_folder(self._folder.parent, above=True)  # only here: a folder removed later is not made again
        self._firsts = [first for first, _ in archive_files(self._folder)]
        messages = []
        if self._firsts and self._firsts[0] != 1:
            messages.append(f"archive: the memories before {self._firsts[0]} are missing; their file is gone")
        if writable and self._firsts:
            messages += self._open_last()
        self._learn(messages)
        return messages

    def _path(self, first: int) -> Path:
        return self._folder / f"{first:010d}.jsonl"

    def _open_last(self) -> list[str]:
        self._writer = self._open_writer(self._path(self._firsts[-1]))
        return [f"archive: {self._writer.message}"] if self._writer.message else []

    def _learn(self, messages: list[str]) -> None:
        """Find total, last step and last commit in the last file, or in earlier ones if needed."""
        counted = named = False
        for back, first in enumerate(reversed(self._firsts)):
            data = whole_lines(read_bytes(self._path(first), own=True))
            self.total = self.total or first - 1
            if not counted:  # a step's memories may be in two files, never in three
                counted = self._learn_last(data, first, messages) or back > 0
            named = named or self._learn_commit(data, first, messages)
            if counted and named and self.total >= first:
                return

    def _learn_last(self, data: bytes, first: int, messages: list[str]) -> bool:
        """Count the memories of the last step backwards; return whether the count is complete."""
        raws = list(islice(backwards(data), _LOOKED_AT))
        whole = len(raws) < _LOOKED_AT
        lines, broken, odd = in_order(map(decode, reversed(raws)), first - 1 if whole else None, first)
        if not lines and not whole:
            whole = True
            lines, broken, odd = in_order(map(decode, reversed(list(backwards(data)))), first - 1, first)
        name = f"archive/{first:010d}.jsonl"
        if broken:
            line = broken_lines(data, first)[-broken]  # the whole file is searched only when something is wrong
            where = f"{name}:{line}: " + ("this line" if broken == 1 else f"this line and {broken - 1} more")
            messages.append(f"{where} cannot be read and {_are(broken)} passed over")
        if odd:
            messages.append(f"{name}: {_lines(odd)} near the end {_are(odd)} out of order and passed over")
        for line in reversed(lines):
            source = line.get("source")
            source = source if is_number(source) else 0  # people may have written anything
            if not self.last_source_count:
                self.total, self.last_source = max(self.total, line["seq"]), source
            if source != self.last_source or self.last_source_count == COUNTED:
                return True
            self.last_source_count += 1
        return not whole

    def _learn_commit(self, data: bytes, first: int, messages: list[str]) -> bool:
        """Find the last commit line of a file; return whether earlier files can be skipped.

        They are needed when this one is empty, or the line that should repeat the commit is broken.
        """
        self.last_commit, broken = last_commit(data)
        if broken:
            text = (
                f"{broken} commit lines cannot be read and are" if broken > 1 else "a commit line cannot be read and is"
            )
            messages.append(f"archive/{first:010d}.jsonl: {text} passed over; what was committed before holds")
        if self.last_commit is not None:
            return True
        return bool(data) and not broken and decode(data[: data.find(b"\n")]) is not None

    def append(self, entries: Sequence[Entry]) -> None:
        """Append entries, with one write per file.

        Raises:
            OSError: when they cannot be written; `total` tells how many were.
            ValueError: when they do not follow `total`.
        """
        while entries:
            if entries[0].seq != self.total + 1:
                raise ValueError(f"memory {entries[0].seq} cannot follow memory {self.total}")
            room = self._per_file - (self.total + 1 - self._firsts[-1]) if self._firsts else 0
            fresh = room <= 0
            most = self._per_file if fresh else room
            self._write(entries[:most], fresh)
            entries = entries[most:]

    def _write(self, part: Sequence[Entry], fresh: bool) -> None:
        lines = [entry.to_json() for entry in part]
        if fresh:
            if self.last_commit is not None:
                lines.insert(0, encode(self.last_commit.line))
            self._begin(part[0].seq, lines)
        else:
            self._ready().append(lines)
        self._count(part)

    def _begin(self, first: int, lines: list[str]) -> None:
        """Begin a new file with these lines; the old one stays the last until they are written."""
        if not self._writable:
            raise RuntimeError("this archive was opened for reading")
        self.sync()  # first: after the append, a failure would cause the lines to be written twice
        make_folder(self._folder)
        writer = self._open_writer(self._path(first))
        try:
            writer.append(lines)
        except BaseException:
            writer.close()
            raise
        old, self._writer = self._writer, writer
        self._firsts.append(first)
        if old is not None:
            old.close()

    def _ready(self) -> LineWriter:
        if self._writer is not None:
            return self._writer
        if not self._writable:
            raise RuntimeError("this archive was opened for reading")
        self._open_last()
        assert self._writer is not None
        return self._writer

    def hold(self, entries: Sequence[Entry]) -> None:
        """Count entries that are in no file yet, for a reader. Raises ValueError when they do not follow `total`."""
        for entry in entries:
            if entry.seq != self.total + 1:
                raise ValueError(f"memory {entry.seq} cannot follow memory {self.total}")
            self._held.append(entry)
            self._count((entry,))

    def _count(self, part: Sequence[Entry]) -> None:
        source, count = part[-1].source, 1
        while count < len(part) and part[-1 - count].source == source:
            count += 1
        before = self.last_source_count if count == len(part) and source == self.last_source else 0
        self.total, self.last_source, self.last_source_count = part[-1].seq, source, before + count

    def append_event(self, event: Mapping[str, Any]) -> None:
        """Append an event line, which has `event` and neither `seq` nor `text`.

        Raises:
            OSError: when it cannot be written.
            ValueError: when it is malformed, or a commit that names no summaries.
        """
        if "event" not in event or "seq" in event or "text" in event:
            raise ValueError("an event line has 'event' and neither 'seq' nor 'text'")
        commit = parse_commit(event)
        if commit is None and is_commit(event):
            raise ValueError("a commit line names the summaries that hold: what they cover, and their files")
        if self._firsts:
            self._ready().append([encode(event)])
        else:
            self._begin(1, [encode(event)])
        self.last_commit = commit or self.last_commit

    def read(self, first: int, last: int) -> list[Entry]:
        """Return the memories `first..last`, as far as there are any. Raises OSError."""
        first, last = max(1, first), min(last, self.total)
        found: list[Entry] = []
        for number, start in enumerate(self._firsts):
            end = self._firsts[number + 1] - 1 if number + 1 < len(self._firsts) else self.total - len(self._held)
            if start <= last and end >= first:
                found += entries(read_bytes(self._path(start), own=True), start, max(first, start), min(last, end))
        return found + [entry for entry in self._held if first <= entry.seq <= last]

    def where(self, first: int, last: int) -> str:
        """Return the names of the files that should hold a range."""
        names = []
        for seq in (first, last):
            at = bisect_right(self._firsts, seq)
            names.append(f"archive/{self._firsts[at - 1] if at else seq:010d}.jsonl")
        return " to ".join(dict.fromkeys(names))

    def sync(self) -> None:
        if self._writer is not None:
            self._writer.sync()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _lines(count: int) -> str:
    return "a line" if count == 1 else f"{count} lines"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
