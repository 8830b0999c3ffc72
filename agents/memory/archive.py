"""The archive: every memory of one life, one JSON line each, in files that are only ever appended to.

It forgets nothing, changes nothing and decides nothing. Beside the memories stand event lines (a commit of summaries,
an import): they have `event` and no `seq`, and are never counted, shown or recalled. A new file begins every `per_file`
memories, is named by its first and begins with the last commit line again, so that opening an archive needs its last
file alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeGuard

from agents.memory.entries import Entry
from mud.storage.jsonl import JsonlWriter, read_jsonl

COMMITS = frozenset({"auto_compact", "manual_compact", "rebuild"})
"""The events that say which summaries hold from now on; the last of them is the truth."""

PER_FILE = 4096
"""Memories in one file."""

COUNTED = 256
"""Memories of the last source that are counted at the start at most; no step leaves as many with one character."""

_NAME = re.compile(r"\d{10,}\.jsonl")


class LineWriter(Protocol):
    """What the archive writes with: `mud.storage.jsonl.JsonlWriter`, or one that fails on command."""

    @property
    def message(self) -> str | None:
        """What had to be set aside when the file was opened; None when it was whole."""
        ...

    def append(self, lines: Sequence[str]) -> None:
        """Write all lines at once, or raise OSError and leave the file as it was."""
        ...

    def sync(self) -> None:
        """Have the kernel put everything on the disk."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class Archive:
    """One life's archive.

    Args:
        folder: where its files are; made when something is first written.
        per_file: memories in one file.
        open_writer: opens a file for appending.
    """

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
        """What a reader knows of beyond the files."""
        self.total = 0
        self.last_source = 0
        self.last_source_count = 0
        self.last_commit: dict[str, Any] | None = None

    def open(self, writable: bool) -> list[str]:
        """Learn where the life stands, from the end of the last file.

        Args:
            writable: this process may write; a torn last line is then set aside, where a reader only passes it over.

        Returns:
            What the owner should know, one sentence each.

        Raises:
            OSError: when the files cannot be read, or not be opened for writing.
        """
        self.close()
        self._writable = writable
        self._held.clear()
        self.total, self.last_source, self.last_source_count, self.last_commit = 0, 0, 0, None
        self._firsts = self._files()
        messages = []
        if self._firsts and self._firsts[0] != 1:
            messages.append(f"archive: the memories before {self._firsts[0]} are missing; their file is gone")
        if writable and self._firsts:
            messages += self._open_last()
        self._learn(messages)
        return messages

    def _files(self) -> list[int]:
        if not self._folder.is_dir():
            return []
        return sorted(int(path.stem) for path in self._folder.iterdir() if _NAME.fullmatch(path.name))

    def _path(self, first: int) -> Path:
        return self._folder / f"{first:010d}.jsonl"

    def _open_last(self) -> list[str]:
        self._writer = self._open_writer(self._path(self._firsts[-1]))
        return [f"archive: {self._writer.message}"] if self._writer.message else []

    def _learn(self, messages: list[str]) -> None:
        """Find total, last source and last commit from the end of the last file, or of the one before if need be."""
        counted = False
        for back, first in enumerate(reversed(self._firsts)):
            data = _whole_lines(self._path(first).read_bytes())
            self.total = self.total or first - 1
            # A step's memories may lie in two files, never in three.
            counted = counted or self._learn_last(data, first, messages) or back > 0
            if self.last_commit is None:
                self.last_commit = _last_commit(data)
            if counted and self.total >= first:
                return

    def _learn_last(self, data: bytes, first: int, messages: list[str]) -> bool:
        """Count the memories of the last source backwards; return whether there is nothing more to count."""
        for raw in _backwards(data):
            line = _decode(raw)
            if line is None or ("seq" in line and not _is_number(line["seq"])):
                messages.append(f"archive/{first:010d}.jsonl: a line near the end cannot be read and is passed over")
            elif "seq" in line:
                source = line.get("source")
                source = source if _is_number(source) else 0  # a hand may have written anything
                if not self.last_source_count:
                    self.total, self.last_source = line["seq"], source
                if source != self.last_source or self.last_source_count == COUNTED:
                    return True
                self.last_source_count += 1
        return False

    def append(self, entries: Sequence[Entry]) -> None:
        """Write entries, those of one file in one write. They must go on where the archive ends.

        Raises:
            OSError: when they cannot be written; `total` says how far it came.
            ValueError: when their numbers do not go on from `total`.
        """
        done = 0
        while done < len(entries):
            if entries[done].seq != self.total + 1:
                raise ValueError(f"memory {entries[done].seq} cannot follow memory {self.total}")
            room = self._per_file - (self.total + 1 - self._firsts[-1]) if self._firsts else 0
            fresh = room <= 0
            part = entries[done : done + (self._per_file if fresh else room)]
            self._write(part, fresh)
            done += len(part)

    def _write(self, part: Sequence[Entry], fresh: bool) -> None:
        lines = [entry.to_json() for entry in part]
        if fresh:
            if self.last_commit is not None:
                lines.insert(0, _encode(self.last_commit))
            self._begin(part[0].seq, lines)
        else:
            self._ready().append(lines)
        for entry in part:
            self._count(entry)

    def _begin(self, first: int, lines: list[str]) -> None:
        """Begin a new file with these lines; the old one stays the last until they are written."""
        if not self._writable:
            raise RuntimeError("this archive was opened for reading")
        self._folder.mkdir(parents=True, exist_ok=True)
        writer = self._open_writer(self._path(first))
        try:
            writer.append(lines)
        except BaseException:
            writer.close()
            raise
        if self._writer is not None:
            self._writer.sync()
            self._writer.close()
        self._writer = writer
        self._firsts.append(first)

    def _ready(self) -> LineWriter:
        if not self._writable:
            raise RuntimeError("this archive was opened for reading")
        if self._writer is None:
            self._open_last()
        assert self._writer is not None
        return self._writer

    def hold(self, entries: Sequence[Entry]) -> None:
        """Count entries as the archive's that stand in no file yet: for a reader, who knows of them from elsewhere.

        Raises:
            ValueError: when their numbers do not go on from `total`.
        """
        for entry in entries:
            if entry.seq != self.total + 1:
                raise ValueError(f"memory {entry.seq} cannot follow memory {self.total}")
            self._held.append(entry)
            self._count(entry)

    def _count(self, entry: Entry) -> None:
        count = self.last_source_count if entry.source == self.last_source else 0
        self.total, self.last_source, self.last_source_count = entry.seq, entry.source, count + 1

    def append_event(self, event: dict[str, Any]) -> None:
        """Write an event line.

        Args:
            event: what happened; must have `event` and neither `seq` nor `text`.

        Raises:
            OSError: when it cannot be written.
        """
        if "event" not in event or "seq" in event or "text" in event:
            raise ValueError("an event line has 'event' and neither 'seq' nor 'text'")
        if self._firsts:
            self._ready().append([_encode(event)])
        else:
            self._begin(1, [_encode(event)])
        if event["event"] in COMMITS:
            self.last_commit = event

    def read(self, first: int, last: int) -> list[Entry]:
        """Return the memories from `first` to `last`, both included, as far as there are any.

        Raises:
            OSError: when a file cannot be read.
        """
        first, last = max(1, first), min(last, self.total)
        found: list[Entry] = []
        for number, start in enumerate(self._firsts):
            end = self._firsts[number + 1] - 1 if number + 1 < len(self._firsts) else self.total - len(self._held)
            if start <= last and end >= first:
                found += _entries(self._path(start).read_bytes(), max(first, start), min(last, end))
        return found + [entry for entry in self._held if first <= entry.seq <= last]

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield every event, oldest first. A commit line repeated at the start of a file comes once."""
        repeated: dict[str, Any] | None = None
        for first in self._firsts:
            for line in read_jsonl(self._path(first)):
                if line.data is None or "event" not in line.data or line.data == repeated:
                    continue
                if line.data["event"] in COMMITS:
                    repeated = line.data
                yield line.data

    def sync(self) -> None:
        """Have what was written put on the disk.

        Raises:
            OSError: when the disk says it is not.
        """
        if self._writer is not None:
            self._writer.sync()

    def close(self) -> None:
        """Let go of the last file; doing so twice is allowed."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _encode(event: dict[str, Any]) -> str:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))


def _decode(raw: bytes) -> dict[str, Any] | None:
    try:
        line = json.loads(raw)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _whole_lines(data: bytes) -> bytes:
    """Return the data up to its last newline: what follows is a line still being written, or torn."""
    return data[: data.rfind(b"\n") + 1]


def _backwards(data: bytes) -> Iterator[bytes]:
    """Yield the lines from the last to the first."""
    end = len(data) - 1
    while end >= 0:
        start = data.rfind(b"\n", 0, end) + 1
        yield data[start:end]
        end = start - 1


def _last_commit(data: bytes) -> dict[str, Any] | None:
    """Return the last commit line. Looks at bytes: decoding a whole file costs 25 ms, this well under one."""
    end = len(data)
    while (at := data.rfind(b'"event":', 0, end)) >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        line = _decode(data[start : data.find(b"\n", at)])
        if line is not None and "seq" not in line and line.get("event") in COMMITS:
            return line
        end = start
    return None


def _entries(data: bytes, first: int, last: int) -> list[Entry]:
    """Return the entries of one file in a range.

    No text holds a raw newline, so a line of ours is found by its first bytes; a file that another hand wrote is
    decoded from its start.
    """
    start = _line_of(data, first)
    stop = _line_of(data, last + 1) if start >= 0 else -1
    part = data[max(0, start) : stop if stop >= 0 else len(data)]
    found = _in_range(_whole_lines(part).split(b"\n"), first, last)
    if len(found) != last - first + 1:
        found = _in_range(_whole_lines(data).split(b"\n"), first, last)
    return found


def _line_of(data: bytes, seq: int) -> int:
    """Return the offset of the line of a memory, as this program writes it; -1 when there is none."""
    mark = b'{"seq":%d,' % seq
    if data.startswith(mark):
        return 0
    at = data.find(b"\n" + mark)
    return at + 1 if at >= 0 else -1


def _in_range(lines: Iterable[bytes], first: int, last: int) -> list[Entry]:
    found: dict[int, Entry] = {}
    for raw in lines:
        line = _decode(raw) if raw else None
        if line is not None and isinstance(line.get("seq"), int) and first <= line["seq"] <= last:
            try:
                found.setdefault(line["seq"], Entry.from_json(line))
            except KeyError:  # a line that lost a part is as unreadable as a broken one
                continue
    return [found[seq] for seq in sorted(found)]
