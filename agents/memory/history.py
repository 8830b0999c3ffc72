"""Reads an archive's files without opening it: events, lost memories, importance by hindsight, imported lines.

Event lines, such as folds and masks, are read with their position. Searching bytes takes a tenth of the time of
decoding: texts cannot match, as their quotation marks are escaped.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from agents.memory.archive import (
    archive_files,
    decode,
    entries,
    files_of,
    is_broken,
    line_at,
    line_of,
    numbered,
    read_lines,
)
from agents.memory.corrections import EVENT as CORRECTION
from agents.memory.corrections import Corrections, parse_correction
from agents.memory.entries import ORIGIN, Entry, Range, is_memory, is_number, merged, missing, spoken
from agents.memory.journal import FILE, HISTORY
from agents.memory.memory import Memory
from agents.memory.summaries import TIERS, is_commit, parse_commit
from mud.clock import parse_iso
from mud.errors import Problem, VaultProblem
from mud.storage.files import OWN_LIMIT, READ_LIMIT, read_if_there
from mud.storage.jsonl import LONGEST_LINE
from mud.storage.paths import matching

IMPORTANCE = "importance"
"""The event that changes the importance of memories; their own lines never change, and the last event holds."""
REACH = 512  # memories between such an event and those it names, at most: how far a reader has to look for it
_LEAST, _MOST = 1, 10
_SEQ = re.compile("[0-9]{1,18}")
_EVENT, _MEMORY = b'"event":', b'{"seq":'
_FROM = re.compile(rb'"from":"([0-9a-f]{16})"')

Event = tuple[int, dict[str, Any]]  # an event line, after the number of the memory before it


def events(archive: Path, first: int, last: int, name: str = "") -> list[Event]:
    """Return the event lines after the memories `first..last`.

    Events before the first memory have number 0 and belong to a range that begins with 1. Searching for one `name` is
    ten times as fast as for all (empty). Raises OSError.
    """
    found = (event for _, part in events_by_file(archive, first, last, name) for event in part)
    return [event for event in found if (first if first > 1 else 0) <= event[0] <= last]


def events_by_file(archive: Path, first: int, last: int, name: str = "") -> Iterator[tuple[int, list[Event]]]:
    """Yield for each file that may hold `first..last` its last memory and its events; the next one is read later."""
    for start, end, path in files_of(archive, first, last):
        yield end, list(_events(read_lines(path), start, name))


def _events(data: bytes, start: int, name: str = "") -> Iterator[Event]:
    """Yield the events of one file, but not what the start of a later file only repeats of the file before."""
    wanted, at = f'"{name}"'.encode() if name else b"", data.find(_EVENT)
    while at >= 0:
        begin, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        line = decode(data[begin:end]) if data.startswith(wanted, data.find(b'"', at + len(_EVENT))) else None
        before = data.rfind(b"\n" + _MEMORY, 0, begin) + 1
        repeated = start > 1 and not data.startswith(_MEMORY, before) and line is not None and _is_repeated(line)
        if line is not None and "seq" not in line and isinstance(line.get("event"), str) and not repeated:
            number = data[before + len(_MEMORY) : data.find(b",", before)] if data.startswith(_MEMORY, before) else b""
            yield int(number) if number.isdigit() and len(number) < 19 else start - 1, line
        at = data.find(_EVENT, end)


def _is_repeated(line: Mapping[str, Any]) -> bool:
    return is_commit(line) or line.get("event") == CORRECTION


def every(archive: Path, last: int, corrections: Corrections) -> Iterator[Entry]:
    """Yield the memories up to a number with their corrections. Reads file by file, so it may run in a thread.

    Raises OSError.
    """
    for start, end, path in files_of(archive, 1, last):
        yield from corrections.entries(entries(read_lines(path), start, start, min(end, last)))


def last_event(archive: Path, name: str) -> dict[str, Any] | None:
    """Return the last event of a name; None when there is none. Raises OSError."""
    for start, path in reversed(archive_files(archive)):
        if found := list(_events(read_lines(path), start, name)):
            return found[-1][1]
    return None


def tail(archive: Path, first: int, last: int, names: Sequence[str]) -> tuple[list[Entry], list[Event]]:
    """Return readable memories and the named events after them, in one pass. May run in a thread. Raises OSError."""
    memories: list[Entry] = []
    found: list[Event] = []
    for start, _, path in files_of(archive, first, last) if first <= last else []:
        data = read_lines(path)
        if (begin := line_of(data, first)) > 0:
            data, start = data[begin:], max(start, first)
        memories += entries(data, start, first, last)
        found += [event for name in names for event in _events(data, start, name) if first <= event[0] <= last]
    return memories, sorted(found, key=lambda event: event[0])


def newest(archive: Path, before: int, marks: Sequence[bytes], files: int) -> tuple[list[dict[str, Any] | None], int]:
    """Return the last line with each mark before a memory, and the first memory that was searched.

    `marks`: bytes of a line as the program writes it, such as `"kind":"dream"`. `files`: how many files to search at
    most, backwards.
    """
    found: list[dict[str, Any] | None] = [None] * len(marks)
    looked = before
    for start, path in reversed([one for one in archive_files(archive) if one[0] < before][-files:]):
        data = read_lines(path)
        end = line_of(data, before) if looked == before else -1
        looked = start
        for place, mark in enumerate(marks):
            at = data.rfind(mark, 0, end if end >= 0 else len(data)) if found[place] is None else -1
            if at >= 0:
                found[place] = line_at(data, at)
        if None not in found:
            break
    return found, looked


def raw_line(archive: Path, seq: int) -> str | None:
    """Return the line of a memory as it stands in the archive; None when there is none. Raises OSError."""
    for _, _, path in files_of(archive, seq, seq):
        data = read_lines(path)
        if (start := line_of(data, seq)) >= 0:
            return data[start : data.find(b"\n", start)].decode("utf-8", "replace")
    return None


def size(folder: Path) -> tuple[int, int]:
    """Return the total bytes of an archive's files, and their number. Raises OSError."""
    files = archive_files(folder)
    return sum(path.stat().st_size for _, path in files), len(files)


def lost(folder: Path, first: int, last: int, total: int) -> list[Range]:
    """Return the missing runs of `first..last`, as far as counting bytes tells. `total`: expected memories.

    A hundred thousand lines take a few hundredths of a second; only a file with a wrong count is read line by line.
    Damage inside a line is found by `examine`.
    """
    if first > last:
        return []
    files = files_of(folder, 1, total)
    gaps = [(first, min(last, files[0][0] - 1 if files else last))]
    for begins, ends, path in files:
        start, end = max(first, begins), min(last, ends)
        if start <= end and not _holds_all(data := read_lines(path), begins, ends):
            gaps += missing((entry.seq for entry in entries(data, begins, start, end)), start, end)
    return merged(gap for gap in gaps if gap[0] <= gap[1])


def _holds_all(data: bytes, first: int, last: int) -> bool:
    """Return whether a file has as many memory lines as `first..last`, both of these, and no odd line."""
    count = data.count(b"\n" + _MEMORY) + data.startswith(_MEMORY)
    whole = count == last - first + 1 and data.count(b"\n") == data.count(b"}\n")
    return whole and line_of(data, first) >= 0 and line_of(data, last) >= 0


def without(first: int, last: int, gaps: Sequence[Range]) -> list[Range]:
    """Return what is left of a range without `gaps`, which are in order and inside it."""
    ends = [(first - 1, first - 1), *gaps, (last + 1, last + 1)]
    return [(before[1] + 1, after[0] - 1) for before, after in pairwise(ends) if after[0] - before[1] > 1]


def weights_event(at: str, through: int, values: Mapping[int, int], method: str) -> dict[str, Any]:
    """Return the event line that sets importances. `through`: last memory weighed; `method`: `rules` or `model`."""
    valid = {str(seq): max(_LEAST, min(_MOST, value)) for seq, value in sorted(values.items())}
    return {"event": IMPORTANCE, "at": at, "through": through, "values": valid, "method": method}


def values_of(event: Mapping[str, Any]) -> dict[int, int]:
    """Return the valid values of an event line; people may have written anything."""
    values = event.get("values")
    if event.get("event") != IMPORTANCE or not isinstance(values, dict):
        return {}
    return {
        int(seq): value
        for seq, value in values.items()
        if isinstance(seq, str) and _SEQ.fullmatch(seq) and type(value) is int and _LEAST <= value <= _MOST
    }


def weighed(entries: Sequence[Entry], values: Mapping[int, int]) -> list[Entry]:
    """Return the entries, with their importance by hindsight where there is one."""
    return [
        entry._replace(importance=values[entry.seq])
        if values.get(entry.seq, entry.importance) != entry.importance
        else entry
        for entry in entries
    ]


def read_weighed(memory: Memory, first: int, last: int) -> list[Entry]:
    """Return memories by number as `Memory.read` does, with their importance by hindsight. Raises OSError."""
    found = memory.read(first, last)
    return weighed(found, _values(memory, first, last + REACH)) if found else []


def corrected_since(memory: Memory, number: int) -> tuple[int, list[Entry]]:
    """Return the number of the last correction, and the memories changed by those after a number. Raises OSError."""
    found: list[Entry] = []
    for seq in memory.corrections.since(number):
        found += memory.read(seq, seq)
    return memory.corrections.last, found


def last_values(memory: Memory) -> dict[int, int]:
    """Return the values of the importance events among the newest memories. Raises OSError."""
    return _values(memory, memory.total - REACH, memory.total)


def _values(memory: Memory, first: int, last: int) -> dict[int, int]:
    values: dict[int, int] = {}
    for _, event in events(memory.archive, max(1, first), min(memory.total, last), IMPORTANCE):
        values |= values_of(event)
    return values


def with_digests(lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield each of the non-blank lines of a bulk import with the digest of all lines up to it.

    Each imported memory carries its digest, so that the archive alone tells where an interrupted import has to go on.
    Line ends do not count.
    """
    known = hashlib.sha256()
    for line in lines:
        known.update(line.strip() + b"\n")
        yield known.copy().hexdigest()[:16], line


def newest_of(archive: Path, wanted: Container[str] | None = None) -> tuple[str, int] | None:
    """Return the newest memory with one of these digests (None: any), as digest and number. Raises OSError."""
    for _, path in reversed(archive_files(archive)):
        data = read_lines(path)
        for one in reversed(list(_FROM.finditer(data))):
            digest = one[1].decode()
            line = line_at(data, one.start()) if wanted is None or digest in wanted else None
            if line is not None and isinstance(line.get("seq"), int) and line.get(ORIGIN) == digest:
                return digest, line["seq"]
    return None


def numbers_of(archive: Path) -> dict[str, int]:
    """Return the numbers of memories from bulk imports by id, read from the whole archive. Raises OSError."""
    found: dict[str, int] = {}
    for _, path in archive_files(archive):
        for raw in read_lines(path).split(b"\n"):
            line = decode(raw) if b'"id":' in raw else None
            if line is not None and is_number(line.get("seq")) and isinstance(line.get("id"), str):
                found[line["id"]] = line["seq"]
    return found


JOURNALS = (FILE, HISTORY)
_NO_JSON = "cannot be read; expected one JSON object, with the number of a memory as seq or an event"
_NOT_WHOLE = "cannot be read; expected at, kind and text, each a text"
_NO_TIME = "has a time that is none; expected one such as 2026-11-20T07:21:37.123Z as at"
_NO_CORRECTION = "is a correction that cannot be used; expected its number, and what was wrong and what is right"
_NO_COMMIT = "is a commit that cannot be used; expected what its summaries cover, and their files"

_TEXT = rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+"'
_DAY = rb"(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))"
_AT = rb'"[1-9]\d{3}-%bT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z"' % _DAY
"""A time as the program writes it. Of a leap day it is looked at more closely."""
_NULL = rb"(?:null|%b)" % _TEXT
_WRITTEN = re.compile(
    rb'^{"seq":([1-9]\d{0,11}),"at":%(at)b,"kind":%(text)b,"actor":%(null)b,"place":%(null)b,"text":%(text)b,'
    rb'"reason":%(null)b,"failed":(?:true|false),"importance":\d{1,2},"source":(0|[1-9]\d{0,11})'
    rb'(?:,"mark":%(text)b)?(?:,"id":%(text)b)?(?:,"from":%(text)b)?}\n' % {b"text": _TEXT, b"null": _NULL, b"at": _AT},
    re.MULTILINE,
)
"""A memory as `Entry.to_json` writes it. Groups: its number and its ledger step."""


class Examined(NamedTuple):
    """The result of `examine`."""

    wrong: list[tuple[str, int, str]]  # file name, line number (0: the whole file) and a sentence
    unreadable: list[Range]  # lost or unreadable memories before the last readable one
    sources: array[int]  # the ledger step of each readable memory, in ascending order; eight bytes each
    last_source: int  # step of the last memory; 0 when there is none

    def count_from(self, step: int) -> int:
        """Return how many memories a ledger step left."""
        return bisect_right(self.sources, step) - bisect_left(self.sources, step)


Look = Callable[[Path, Callable[[], None]], Examined]  # the type of `examine`


def examine(archive: Path, between: Callable[[], None] = lambda: None) -> Examined:
    """Check every line of an archive, except a last line that is still being written.

    `between` is called before each file; what it raises ends the check. Files that cannot be read are reported;
    OSError is raised for the folder only.
    """
    files = archive_files(archive)
    others = {path.name for path in archive.glob("*.jsonl")} - {path.name for _, path in files}
    expected = f"nothing reads this file; expected a name such as {1:010d}.jsonl"
    wrong: list[tuple[str, int, str]] = [(name, 0, expected) for name in sorted(others)]
    unreadable: list[Range] = []
    sources = array("q")
    last = 0
    if files and files[0][0] > 1:
        gone = f"{spoken(1, files[0][0] - 1)}: the file before this one is gone"
        wrong.append((files[0][1].name, 1, f"there is nothing of {gone}; expected it beside this one"))
        unreadable.append((1, files[0][0] - 1))
    for (first, path), (after, _) in pairwise([*files, (0, archive)]):
        between()
        try:
            data = read_lines(path)
        except OSError as error:
            wrong.append((path.name, 0, f"it cannot be read: {error.strerror or error}"))
            unreadable += [(first, after - 1)] if after else []
            continue
        steps = sources_of(data, first)
        if steps is None or (after and len(steps) != after - first):
            messages, gaps, steps = examine_file(data, first, after - 1 if after else None)
            wrong += [(path.name, number, message) for number, message in messages]
            unreadable += gaps
        sources.extend(steps)
        last = steps[-1] if steps and steps[-1] else last
    if any(one > other for one, other in pairwise(sources)):
        sources = array("q", sorted(sources))
    return Examined(wrong, merged(unreadable), sources, last)


def first_after(archive: Path, step: int) -> tuple[str, int]:
    """Return file and line of the first memory of a later ledger step, else of the last line. Raises OSError."""
    place = ("", 0)
    for _, path in archive_files(archive):
        for number, line in numbered(read_lines(path)):
            place = (path.name, number)
            if line is not None and "seq" in line and is_number(line.get("source")) and line["source"] > step:
                return place
    return place


def sources_of(data: bytes, first: int) -> list[int] | None:
    """Return the ledger step of each memory of a file, in order; None when a line is damaged or out of order.

    Only events are decoded, which takes a third of the time. `first` is the memory in the file's name.
    """
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    found = _WRITTEN.findall(data)
    if len(data) >= LONGEST_LINE or [int(seq) for seq, _ in found] != list(range(first, first + len(found))):
        return None
    events = [decode(raw) for raw in data.split(b"\n") if raw.startswith(b'{"event":')]
    if len(found) + len(events) != data.count(b"\n"):
        return None
    if any(line is None or "seq" in line or _fault(line, first) for line in events):
        return None
    return [int(source) for _, source in found]


def _fault(line: Mapping[str, Any] | None, first: int) -> str:
    """Return why a line is neither an event nor has the number of a memory; empty when it is or has."""
    if line is None or is_broken(line, first) or ("seq" not in line and not isinstance(line.get("event"), str)):
        return _NO_JSON
    if line.get("event") == CORRECTION and "seq" not in line and parse_correction(line) is None:
        return _NO_CORRECTION
    return _NO_COMMIT if is_commit(line) and parse_commit(line) is None else ""


def examine_file(data: bytes, first: int, last: int | None) -> tuple[list[tuple[int, str]], list[Range], list[int]]:
    """Return what is wrong by line, the unreadable memories, and the ledger step of each readable one.

    `first`: the memory in the file's name. `last`: the memory before the next file; None for the last file.
    """
    wrong: list[tuple[int, str]] = []
    lines: dict[int, int] = {}  # the line number of each memory
    sources: list[int] = []
    count, highest = 0, first - 1
    span = spoken(first, last) if last is not None else f"memory {first} and later ones"
    for number, line in numbered(data):
        count = number
        if line is None or "seq" not in line or is_broken(line, first):
            wrong += [(number, fault)] if (fault := _fault(line, first)) else []
        elif (seq := line["seq"]) in lines:
            wrong.append((number, f"memory {seq} stands here again; expected it once (first in line {lines[seq]})"))
        elif seq < first or (last is not None and seq > last):
            wrong.append((number, f"memory {seq} does not belong into this file; expected {span}"))
        else:
            lines[seq] = number
            if seq < highest:
                wrong.append((number, f"memory {seq} stands behind memory {highest}; expected them in order"))
            highest = max(highest, seq)
            wrong += [(number, fault)] if (fault := _fault_of_memory(line)) else []
            if is_memory(line):
                sources.append(source if is_number(source := line.get("source")) else 0)
    end = last if last is not None else highest
    gaps = missing(sorted(lines), first, end) if lines or last is not None else []
    if not wrong and not gaps:
        return [], [], sources
    messages, broken = list(_in_rows(wrong)), [number for number, why in wrong if why in (_NO_JSON, _NOT_WHOLE)]
    for begin, stop in gaps:
        after, before = lines.get(begin - 1, 0), lines.get(stop + 1, count + 1)
        if sum(after < number < before for number in broken) < stop - begin + 1:  # else these lines tell of it
            lost = f"{spoken(begin, stop)} {'is' if begin == stop else 'are'} lost before this line"
            messages.append((min(before, max(count, 1)), f"{lost}; expected every memory from {first} on"))
    found = sorted({entry.seq for entry in entries(data, first, first, end)})
    return sorted(messages), missing(found, first, end), sources


def _fault_of_memory(line: Mapping[str, Any]) -> str:
    if not is_memory(line):
        return _NOT_WHOLE
    try:
        parse_iso(line["at"])
    except ValueError:
        return f"memory {line['seq']} {_NO_TIME}"
    return ""


def _in_rows(wrong: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield one message for consecutive lines that cannot be read for the same reason, else one for each."""
    rows = groupby(enumerate(wrong), key=lambda one: (one[1][0] - one[0], one[1][1]))
    for (_, message), row in rows:
        numbers = [number for _, (number, _) in row]
        if message in (_NO_JSON, _NOT_WHOLE, _NO_COMMIT):
            these = "this line" if len(numbers) == 1 else f"this line and {len(numbers) - 1} more behind it"
            message = f"{these} {message}"
        yield numbers[0], message


def unreadable(folder: Path, inside: Container[str]) -> Iterator[Problem]:
    """Yield the problems of notes, summaries and journals; `folder` is `vault/agents/<slug>`, with `inside` in it."""
    notes = matching(folder / "notes", "[!.]*.md") if "notes" in inside else ()
    beside = [
        *(f"summaries/{tier}.md" for tier in TIERS if "summaries" in inside),
        *filter(inside.__contains__, JOURNALS),
    ]
    for path in (*notes, *(folder / name for name in beside)):
        yield from unreadable_file(folder, path)


def unreadable_file(folder: Path, path: Path) -> Iterator[Problem]:
    """Yield why one file in `folder` cannot be read: too long, no text, or a folder; none when it is missing."""
    file = f"agents/{folder.name}/{path.relative_to(folder).as_posix()}"
    try:
        limit = OWN_LIMIT if path.name in JOURNALS else READ_LIMIT
        read_if_there(path, limit, file, own=path.parent.name == "summaries")
    except VaultProblem as wrong:
        yield from wrong.problems
