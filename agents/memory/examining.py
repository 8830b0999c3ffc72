"""Checks an agent's files without changing them: every line of the archive, and whether the others can be read.

A hundred thousand memories take a sixth of a second. A memory is unreadable when `agents.memory.archive.entries` does
not find it.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from agents.memory.archive import archive_files, decode, entries, is_broken, numbered, read_lines
from agents.memory.entries import is_memory, is_number
from agents.memory.journal import FILE, HISTORY
from agents.memory.ranges import Range, merged, missing, spoken
from agents.memory.summaries import TIERS, is_commit, parse_commit
from mud.errors import Problem, VaultProblem
from mud.storage.files import OWN_LIMIT, READ_LIMIT, read_if_there
from mud.storage.jsonl import LONGEST_LINE

JOURNALS = (FILE, HISTORY)
_NO_JSON = "cannot be read; expected one JSON object, with the number of a memory as seq or an event"
_NOT_WHOLE = "cannot be read; expected at, kind and text, each a text"
_NO_COMMIT = "is a commit that cannot be used; expected what its summaries cover, and their files"

_TEXT = rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+"'
_NULL = rb"(?:null|%b)" % _TEXT
_MEMORY = re.compile(
    rb'^{"seq":([1-9]\d{0,11}),"at":%(text)b,"kind":%(text)b,"actor":%(null)b,"place":%(null)b,"text":%(text)b,'
    rb'"reason":%(null)b,"failed":(?:true|false),"importance":\d{1,2},"source":(0|[1-9]\d{0,11})'
    rb'(?:,"mark":%(text)b)?(?:,"id":%(text)b)?(?:,"from":%(text)b)?}\n' % {b"text": _TEXT, b"null": _NULL},
    re.MULTILINE,
)
"""A memory as `Entry.to_json` writes it. Groups: its number and its ledger step."""


class Examined(NamedTuple):
    """The result of `examine`.

    Args:
        wrong: file name, line number (0: the whole file) and a sentence.
        unreadable: lost or unreadable memories before the last readable one.
        sources: the ledger step of each readable memory, in ascending order; eight bytes each.
        last_source: step of the last memory; 0 when there is none.
    """

    wrong: list[tuple[str, int, str]]
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
    found = _MEMORY.findall(data)
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
    return _NO_COMMIT if is_commit(line) and parse_commit(line) is None else ""


def examine_file(data: bytes, first: int, last: int | None) -> tuple[list[tuple[int, str]], list[Range], list[int]]:
    """Return what is wrong by line, the unreadable memories, and the ledger step of each readable one.

    Args:
        first: the memory in the file's name.
        last: the memory before the next file; None for the last file.
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
            if is_memory(line):
                sources.append(source if is_number(source := line.get("source")) else 0)
            else:
                wrong.append((number, _NOT_WHOLE))
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


def _in_rows(wrong: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield one message for consecutive lines that cannot be read for the same reason, else one for each."""
    rows = groupby(enumerate(wrong), key=lambda one: (one[1][0] - one[0], one[1][1]))
    for (_, message), row in rows:
        numbers = [number for _, (number, _) in row]
        if message in (_NO_JSON, _NOT_WHOLE, _NO_COMMIT):
            these = "this line" if len(numbers) == 1 else f"this line and {len(numbers) - 1} more behind it"
            message = f"{these} {message}"
        yield numbers[0], message


def unreadable(folder: Path) -> Iterator[Problem]:
    """Yield the problems of notes, summaries and journals; `folder` is `vault/agents/<slug>`."""
    beside = (*(f"summaries/{tier}.md" for tier in TIERS), *JOURNALS)
    for path in (*sorted((folder / "notes").glob("[!.]*.md")), *(folder / name for name in beside)):
        yield from unreadable_file(folder, path)


def unreadable_file(folder: Path, path: Path) -> Iterator[Problem]:
    """Yield why one file in `folder` cannot be read: too long, no text, or a folder; none when it is missing."""
    file = f"agents/{folder.name}/{path.relative_to(folder).as_posix()}"
    try:
        limit = OWN_LIMIT if path.name in JOURNALS else READ_LIMIT
        read_if_there(path, limit, file, own=path.parent.name == "summaries")
    except VaultProblem as wrong:
        yield from wrong.problems
