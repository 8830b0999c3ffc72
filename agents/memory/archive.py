"""The archive: every memory of one agent, one JSON line each, in append-only files.

Besides memories there are event lines (commits of summaries, imports): they have `event` and no `seq`. Each file is
named by its first memory and begins with a copy of the last commit line and of all corrections, so that opening an
archive needs its last file alone. Lines that are damaged or were edited are skipped and counted, never repaired.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import orjson

from agents.memory.corrections import EVENT, Correction, parse_correction
from agents.memory.entries import Entry, is_number
from agents.memory.summaries import CommitLine, is_commit, parse_commit
from mud.sanitize import sanitize_json
from mud.storage.files import sync_files
from mud.storage.jsonl import LONGEST_LINE, JsonlWriter
from mud.storage.paths import LINK, first_link, make_folder, read_bytes, unsafe

PER_FILE = 4096
COUNTED = 256  # memories of the last step that are counted at opening at most; no step leaves one character as many
LEAP = 1_000_000  # the longest gap in an archive's numbers; lines with a number beyond it cannot be read
_LOOKED_AT = 320  # lines read at the end of a file at opening: room for `COUNTED` memories and some events
_NAME = re.compile(r"\d{10,}\.jsonl")
_MEMORY, _EVENT, _CORRECTION = b'{"seq":', b'"event":', f'"{EVENT}"'.encode()


def archive_files(folder: Path) -> list[tuple[int, Path]]:
    """Return an archive's files in order, each with its first memory; none after a gap over `LEAP`.

    Raises OSError, also for a folder that is a link.
    """
    if not folder.is_dir():
        return []
    if (link := first_link(folder)) is not None:
        raise unsafe(link, LINK)
    found = sorted((int(path.stem), path) for path in folder.iterdir() if _NAME.fullmatch(path.name))
    leaps = (at for at, (one, after) in enumerate(pairwise([(1, folder), *found])) if after[0] > one[0] + LEAP)
    return found[: next(leaps, None)]


def files_of(folder: Path, first: int, last: int) -> list[tuple[int, int, Path]]:
    """Return the files that should hold `first..last`, each with its first and last memory. Raises OSError."""
    files = archive_files(folder)
    ends = [*(start - 1 for start, _ in files[1:]), last]
    found = ((start, end, path) for (start, path), end in zip(files, ends, strict=False))
    return [one for one in found if one[0] <= last and one[1] >= first]


def read_lines(path: Path) -> bytes:
    """Return a file up to its last newline; the rest is still being written, or torn. Raises OSError."""
    data = read_bytes(path, own=True)
    return data[: data.rfind(b"\n") + 1]


def decode(raw: bytes) -> dict[str, Any] | None:
    """Return the JSON object of a line, sanitized; None when it is none or too long."""
    if len(raw) >= LONGEST_LINE:
        return None
    try:
        try:
            line = orjson.loads(raw)
        except ValueError:  # Python's parser accepts more than orjson
            line = json.loads(raw)
        return sanitize_json(raw, line) if isinstance(line, dict) else None
    except (ValueError, RecursionError):
        return None


def numbered(data: bytes) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the lines that are not blank, decoded, with their numbers."""
    return ((number, decode(raw)) for number, raw in enumerate(data.split(b"\n"), 1) if raw.strip())


def line_at(data: bytes, at: int) -> dict[str, Any] | None:
    """Return the line that holds the byte at an offset, decoded."""
    return decode(data[data.rfind(b"\n", 0, at) + 1 : data.find(b"\n", at)])


def line_of(data: bytes, seq: int) -> int:
    """Return the offset of the last line with a number, or -1; a skipped damaged line may have the same number."""
    mark = b"%b%d," % (_MEMORY, seq)
    at = data.rfind(b"\n" + mark)
    return at + 1 if at >= 0 else (0 if data.startswith(mark) else -1)


def entries(data: bytes, begins: int, first: int, last: int) -> list[Entry]:
    """Return the readable entries `first..last` of the lines of one file; `begins` is the memory in its name.

    Texts hold no raw newline, so lines as this program writes them are found by their first bytes. A file that was
    edited or damaged is decoded from its start.
    """
    start = line_of(data, first)
    stop = line_of(data, last + 1) if start >= 0 else -1
    part = data[max(0, start) : stop if stop >= 0 else len(data)]
    found = _within(map(decode, part.split(b"\n")), first, last)
    if [entry.seq for entry in found] != list(range(first, last + 1)):
        found = _within(_in_order((line for _, line in numbered(data)), begins - 1, begins)[0], first, last)
    return found


def _within(lines: Iterable[dict[str, Any] | None], first: int, last: int) -> list[Entry]:
    wanted = (line for line in lines if line is not None and is_number(seq := line.get("seq")) and first <= seq <= last)
    return [entry for entry in map(Entry.from_json, wanted) if entry is not None]


def _in_order(
    lines: Iterable[dict[str, Any] | None], before: int | None, begins: int
) -> tuple[list[dict[str, Any]], int, int]:
    """Return the memories whose numbers continue, the number of broken lines, and of lines out of order.

    A number continues when it follows the one before; each skipped line in between allows one more. After a hole, two
    lines that follow each other are accepted too: somebody took a line out. `lines`: decoded, in file order; None for
    one that could not be decoded. `before`: the memory before the first line; None when unknown, then the first two
    consecutive lines are the start. `begins`: the memory in the file's name.
    """
    known, before = before is not None, before or 0
    taken: list[dict[str, Any]] = []
    broken = odd = passed = 0
    last_odd: dict[str, Any] | None = None
    for line in lines:
        if line is None or is_broken(line, begins):
            broken, passed, last_odd = broken + 1, passed + 1, None
            continue
        if "seq" not in line:
            continue
        seq = line["seq"]
        if last_odd is not None and seq == last_odd["seq"] + 1 and last_odd["seq"] > before:
            taken.append(last_odd)
            odd, before, known = odd - 1 if known else 0, seq - 1, True
        if before < seq <= before + 1 + passed:
            taken.append(line)
            before, passed, last_odd = seq, 0, None
        else:
            odd, passed, last_odd = odd + 1, passed + 1, line
    return taken, broken, odd


def corrections_in(data: bytes) -> Iterator[Correction]:
    """Yield the corrections in the lines of one file."""
    at = data.find(_CORRECTION)
    while at >= 0:
        line = line_at(data, at)
        if line is not None and (found := parse_correction(line)) is not None:
            yield found
        at = data.find(_CORRECTION, max(at + 1, data.find(b"\n", at)))


def is_broken(line: Mapping[str, Any] | None, begins: int) -> bool:
    """Return whether a line is no object, or has an unusable number. `begins`: the memory in the file's name."""
    return line is None or ("seq" in line and not (is_number(line["seq"]) and line["seq"] <= begins + LEAP))


class OpenArchives:
    """Keeps the files of at most `most` archives open; the one that was written to longest ago is closed first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[Archive, None] = {}

    def use(self, archive: Archive) -> None:
        """Note that an archive writes to its file now."""
        self._open.pop(archive, None)
        self._open[archive] = None
        while len(self._open) > self._most:
            next(iter(self._open)).close()

    def closed(self, archive: Archive) -> None:
        self._open.pop(archive, None)


class Archive:
    """The archive of one agent. The folder is created on the first write, and the file opened with each if needed."""

    def __init__(
        self,
        folder: Path,
        per_file: int = PER_FILE,
        open_writer: Callable[[Path], JsonlWriter] = JsonlWriter,
        together: OpenArchives | None = None,
    ) -> None:
        self.folder = folder
        self._together = together
        self._unsynced = False
        """Whether the file was closed with lines that the disk may not have."""
        self._per_file = per_file
        self._open_writer = open_writer
        self._writer: JsonlWriter | None = None
        self._forget(writable=False)

    def _forget(self, writable: bool) -> None:
        self._writable = writable
        self._begins_file = False
        self._firsts: list[int] = []
        self._held: list[Entry] = []  # entries beyond the files: a reader's for good, a writer's for a moment
        self._written = (0, 0, 0)  # `total`, `last_source` and `last_source_count` without them
        self.total = self.last_source = self.last_source_count = 0
        self.last_commit: CommitLine | None = None
        self.corrections: dict[int, Correction] = {}  # by number

    def open(self, writable: bool, *, begins_file: bool = False) -> list[str]:
        """Read the state from the last file's end; return messages. A writer sets a torn line aside. Raises OSError.

        `begins_file`: write the next memory to a new file. What a writer before still appends to its own file then
        counts for nothing, as a file ends where the next begins.
        """
        self.close()
        self._forget(writable)
        if writable:
            make_folder(self.folder.parent, above=True)  # only here: a folder removed later is not made again
        self._firsts = [first for first, _ in archive_files(self.folder)]
        messages = []
        if self._firsts and self._firsts[0] != 1:
            messages.append(f"archive: the memories before {self._firsts[0]} are missing; their file is gone")
        if writable and self._firsts and (message := self._last_writer().message):
            messages.append(f"archive: {message}")
        self._learn(messages)
        self._begins_file = begins_file and bool(self._firsts) and self.total >= self._firsts[-1]
        if writable and self._firsts and self.total < self._firsts[-1] and (head := self._head()):
            self._write(head, 0)  # a file that was begun when the power failed may lack it
        return messages

    def _path(self, first: int) -> Path:
        return self.folder / f"{first:010d}.jsonl"

    def _learn(self, messages: list[str]) -> None:
        """Find total, last step, last commit and corrections in the last file, or in earlier ones if needed."""
        counted = named = False
        for back, first in enumerate(reversed(self._firsts)):
            data = read_lines(self._path(first))
            self.total = self.total or first - 1
            if not counted:  # a step's memories may be in two files, never in three
                counted = self._learn_last(data, first, messages) or back > 0
            named = named or self._learn_commit(data, first, messages)
            self.corrections = {one.number: one for one in corrections_in(data)} | self.corrections
            whole = len(self.corrections) >= max(self.corrections, default=0)
            if counted and named and whole and self.total >= first:
                return

    def _learn_last(self, data: bytes, first: int, messages: list[str]) -> bool:
        """Count the memories of the last step backwards; return whether the count is complete."""
        raws = list(islice(_backwards(data), _LOOKED_AT))
        whole = len(raws) < _LOOKED_AT
        lines, broken, odd = _in_order(map(decode, reversed(raws)), first - 1 if whole else None, first)
        if not lines and not whole:
            whole = True
            lines, broken, odd = _in_order((line for _, line in numbered(data)), first - 1, first)
        name = f"archive/{first:010d}.jsonl"
        if broken:  # the whole file is searched only when something is wrong
            number = [number for number, line in numbered(data) if is_broken(line, first)][-broken]
            some, are = ("this line", "is") if broken == 1 else (f"this line and {broken - 1} more", "are")
            messages.append(f"{name}:{number}: {some} cannot be read and {are} passed over")
        if odd:
            some, are = ("a line", "is") if odd == 1 else (f"{odd} lines", "are")
            messages.append(f"{name}: {some} near the end {are} out of order and passed over")
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

        They are needed when this one is empty, or the line that should repeat the commit is broken. Bytes are searched:
        decoding a whole file costs 25 ms, this under one. Texts cannot match, as their quotation marks are escaped.
        """
        at, broken = len(data), 0
        while self.last_commit is None and (at := data.rfind(_EVENT, 0, at)) >= 0:
            line = line_at(data, at)
            if line is None or is_commit(line):
                self.last_commit = parse_commit(line) if line is not None else None
                broken += self.last_commit is None
            at = data.rfind(b"\n", 0, at) + 1
        if broken:
            some, are = ("a commit line", "is") if broken == 1 else (f"{broken} commit lines", "are")
            wrong = f"{some} cannot be read and {are} passed over; what was committed before holds"
            messages.append(f"archive/{first:010d}.jsonl: {wrong}")
        return self.last_commit is not None or bool(data and not broken and line_at(data, 0) is not None)

    def append(self, entries: Sequence[Entry]) -> None:
        """Append entries, with one write per file.

        Raises OSError when they cannot be written (`total` tells how many were); ValueError when they do not follow.
        """
        while entries:
            self._check_next(entries[0])
            room = self._per_file - (self.total + 1 - self._firsts[-1]) if self._firsts and not self._begins_file else 0
            part = entries[: room if room > 0 else self._per_file]
            lines = [entry.to_json() for entry in part]
            if room <= 0:
                lines[:0] = self._head()
            self._write(lines, 0 if room > 0 else part[0].seq)
            self._begins_file = False
            self._count(part)
            entries = entries[len(part) :]

    def _head(self) -> list[str]:
        """Return the lines that a new file repeats."""
        commits = [self.last_commit.line] if self.last_commit is not None else []
        return [_line(one) for one in (*commits, *(one.event() for _, one in sorted(self.corrections.items())))]

    def hold(self, entries: Sequence[Entry]) -> None:
        """Count entries that are in no file yet. Raises ValueError when they do not follow `total`."""
        self._check_next(entries[0])
        if not self._held:
            self._written = self.total, self.last_source, self.last_source_count
        self._held += entries
        self._count(entries)

    @property
    def held(self) -> Sequence[Entry]:
        """The entries that are in no file yet."""
        return self._held

    @property
    def holds(self) -> bool:
        """Whether there are held entries."""
        return bool(self._held)

    def take_back(self) -> list[Entry]:
        """Return the held entries and count them no more, so that they can be appended."""
        held, self._held = self._held, []
        if held:
            self.total, self.last_source, self.last_source_count = self._written
        return held

    def _check_next(self, entry: Entry) -> None:
        if entry.seq != self.total + 1:
            raise ValueError(f"memory {entry.seq} cannot follow memory {self.total}")

    def _count(self, part: Sequence[Entry]) -> None:
        source, count = part[-1].source, 1
        while count < len(part) and part[-1 - count].source == source:
            count += 1
        before = self.last_source_count if count == len(part) and source == self.last_source else 0
        self.total, self.last_source, self.last_source_count = part[-1].seq, source, before + count

    def append_event(self, event: Mapping[str, Any]) -> None:
        """Append an event line, which has `event` and neither `seq` nor `text`.

        Raises OSError when it cannot be written; ValueError when it is malformed, or a commit that names no summaries.
        """
        if "event" not in event or "seq" in event or "text" in event:
            raise ValueError("an event line has 'event' and neither 'seq' nor 'text'")
        commit = parse_commit(event)
        if commit is None and is_commit(event):
            raise ValueError("a commit line names the summaries that hold: what they cover, and their files")
        self._write([_line(event)], 0 if self._firsts else 1)
        self.last_commit = commit or self.last_commit
        if (correction := parse_correction(event)) is not None:
            self.corrections[correction.number] = correction

    def _write(self, lines: list[str], first: int) -> None:
        """Write lines at once to the last file, or to a new one that begins with the memory `first`, unless 0."""
        if not self._writable:
            raise RuntimeError("this archive was opened for reading")
        if not first:
            self._last_writer().append(lines)
            return
        self.sync()  # first: after the append, a failure would cause the lines to be written twice
        writer = self._open_writer(self._path(first))
        try:
            writer.append(lines)
        except BaseException:
            writer.close()
            raise
        old, self._writer = self._writer, writer  # only now: until the lines are written, the old file stays the last
        self._firsts.append(first)
        if self._together is not None:
            self._together.use(self)
        if old is not None:
            old.close()

    def _last_writer(self) -> JsonlWriter:
        if self._writer is None:
            self._writer = self._open_writer(self._path(self._firsts[-1]))
        if self._together is not None:
            self._together.use(self)
        return self._writer

    def read(self, first: int, last: int) -> list[Entry]:
        """Return the memories `first..last`, as far as there are any. Raises OSError."""
        first, last = max(1, first), min(last, self.total)
        found: list[Entry] = []
        for start, after in pairwise([*self._firsts, self.total - len(self._held) + 1]):
            if start <= last and after > first:
                found += entries(read_lines(self._path(start)), start, max(first, start), min(last, after - 1))
        return found + [entry for entry in self._held if first <= entry.seq <= last]

    def where(self, first: int, last: int) -> str:
        """Return the names of the files that should hold a range."""
        places = ((bisect_right(self._firsts, seq), seq) for seq in (first, last))
        names = (f"archive/{self._firsts[at - 1] if at else seq:010d}.jsonl" for at, seq in places)
        return " to ".join(dict.fromkeys(names))

    @property
    def unsynced(self) -> bool:
        """Whether lines were written that the disk may not have."""
        return self._unsynced or (self._writer is not None and self._writer.unsynced)

    def take_unsynced(self) -> bool:
        """Return `unsynced`, and reset it, as the caller syncs or says that it could not."""
        was, self._unsynced = self.unsynced, False
        if self._writer is not None:
            self._writer.unsynced = False
        return was

    def note_unsynced(self) -> None:
        self._unsynced = True

    def sync(self) -> None:
        """Wait until the disk has all lines; may run in a thread. Raises OSError."""
        writer = self._writer
        try:
            if writer is not None:
                writer.sync()
            if self._unsynced and self._firsts:  # it may have been closed meanwhile
                self._unsynced = False
                sync_files([self._path(self._firsts[-1])])
        except OSError:
            self._unsynced = True
            raise

    def close(self) -> None:
        """Close the file; the next write opens it again."""
        if self._writer is not None:
            self._unsynced = self._unsynced or self._writer.unsynced
            self._writer.close()
            self._writer = None
        if self._together is not None:
            self._together.closed(self)


def _line(event: Mapping[str, Any]) -> str:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))


def _backwards(data: bytes) -> Iterator[bytes]:
    """Yield the lines from the last to the first, without blank ones."""
    end = len(data) - 1
    while end >= 0:
        start = data.rfind(b"\n", 0, end) + 1
        if raw := data[start:end].strip():
            yield raw
        end = start - 1
