"""The lines of an archive: memories, events, and lines that are damaged or were edited.

No I/O and no repairs: bad lines are skipped and counted, so that callers can report them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard

import orjson

from agents.memory.entries import Entry
from agents.memory.summaries import TIERS
from mud.sanitize import sanitize_json
from mud.storage.jsonl import LONGEST_LINE

HIGHEST = 10**12
"""The highest number of a memory, step or fold; lines with a higher one cannot be read."""
LEAP = 1_000_000
"""The longest gap in an archive's numbers; lines with a number beyond it cannot be read."""
COMMITS = frozenset({"auto_compact", "manual_compact", "rebuild"})
"""The events that name the summaries in use; the last one in the archive holds."""


_TEXT = rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+"'
_TEXT_OR_NULL = rb"(?:null|%b)" % _TEXT
_MEMORY = re.compile(
    rb'^{"seq":([1-9]\d{0,11}),"at":%(text)b,"kind":%(text)b,"actor":%(null)b,"place":%(null)b,"text":%(text)b,'
    rb'"reason":%(null)b,"failed":(?:true|false),"importance":\d{1,2},"source":(0|[1-9]\d{0,11})'
    rb'(?:,"mark":%(text)b)?(?:,"id":%(text)b)?(?:,"from":%(text)b)?}\n' % {b"text": _TEXT, b"null": _TEXT_OR_NULL},
    re.MULTILINE,
)
"""A memory as `Entry.to_json` writes it. Groups: its number and its ledger step."""


class NamedSummary(NamedTuple):
    """A summary as named by a commit line. `covers`: first and last memory; `file`: its version."""

    covers: tuple[int, int]
    file: str


class CommitLine(NamedTuple):
    """A checked commit line. `number`: folds up to this one (0: unknown); `named`: at least one summary by tier."""

    line: Mapping[str, Any]
    number: int
    named: Mapping[str, NamedSummary]


def is_commit(line: Mapping[str, Any]) -> bool:
    """Return whether a line claims to be a commit; `parse_commit` checks it."""
    event = line.get("event")
    return "seq" not in line and isinstance(event, str) and event in COMMITS


def parse_commit(line: Mapping[str, Any]) -> CommitLine | None:
    """Return the checked commit line; None when it is none or malformed."""
    number = line.get("number", 0)
    if not is_commit(line) or not is_number(number) or number < 0:
        return None
    named: dict[str, NamedSummary] = {}
    for tier in TIERS:
        record = line.get(tier)
        if record is not None:
            one = _named(record)
            if one is None:
                return None
            named[tier] = one
    return CommitLine(line, number, named) if named else None


def _named(record: object) -> NamedSummary | None:
    if not isinstance(record, dict) or not isinstance(record.get("covers"), dict):
        return None
    first, last, file = record["covers"].get("first"), record["covers"].get("last"), record.get("file")
    if not (is_number(first) and is_number(last) and 1 <= first <= last and isinstance(file, str)):
        return None
    return NamedSummary((first, last), file)


def last_commit(data: bytes) -> tuple[CommitLine | None, int]:
    """Return the last valid commit line, and how many invalid ones follow it.

    It searches bytes: decoding a whole file costs 25 ms, this under one. Texts cannot match, as their quotation marks
    are escaped.
    """
    end, broken = len(data), 0
    while (at := data.rfind(b'"event":', 0, end)) >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        line = decode(data[start : data.find(b"\n", at)])
        if line is None or is_commit(line):
            found = parse_commit(line) if line is not None else None
            if found is not None:
                return found, broken
            broken += 1
        end = start
    return None, broken


def encode(event: Mapping[str, Any]) -> str:
    """Return an event as a line, without the newline."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))


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


def is_number(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer (no bool) of at most `HIGHEST`."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= HIGHEST


def whole_lines(data: bytes) -> bytes:
    """Return the data up to its last newline; the rest is still being written, or torn."""
    return data[: data.rfind(b"\n") + 1]


def backwards(data: bytes) -> Iterator[bytes]:
    """Yield the lines from the last to the first, without blank ones."""
    end = len(data) - 1
    while end >= 0:
        start = data.rfind(b"\n", 0, end) + 1
        if raw := data[start:end].strip():
            yield raw
        end = start - 1


def in_order(
    lines: Iterable[dict[str, Any] | None], before: int | None, begins: int
) -> tuple[list[dict[str, Any]], int, int]:
    """Return the memories whose numbers continue, the number of broken lines, and of lines out of order.

    A number continues when it follows the one before; each skipped line in between allows one more. After a hole, two
    lines that follow each other are accepted too: somebody took a line out.

    Args:
        lines: decoded, in file order; None for one that could not be decoded.
        before: the memory before the first line; None when unknown, then the first two consecutive lines are the
            start.
        begins: the memory in the file's name.
    """
    known, before = before is not None, before or 0
    taken: list[dict[str, Any]] = []
    broken = odd = passed = 0
    last_odd: dict[str, Any] | None = None
    for line in lines:
        if line is not None and "seq" not in line:
            continue
        if line is None or not is_number(line["seq"]) or line["seq"] > begins + LEAP:
            broken, passed, last_odd = broken + 1, passed + 1, None
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


def entries(data: bytes, begins: int, first: int, last: int) -> list[Entry]:
    """Return the readable entries `first..last` of one file; `begins` is the memory in its name.

    Texts hold no raw newline, so lines as this program writes them are found by their first bytes. A file that was
    edited or damaged is decoded from its start.
    """
    start = line_of(data, first)
    stop = line_of(data, last + 1) if start >= 0 else -1
    part = data[max(0, start) : stop if stop >= 0 else len(data)]
    found = _within(map(decode, whole_lines(part).split(b"\n")), first, last)
    if [entry.seq for entry in found] != list(range(first, last + 1)):
        raws = (raw for raw in whole_lines(data).split(b"\n") if raw.strip())
        found = _within(in_order(map(decode, raws), begins - 1, begins)[0], first, last)
    return found


def sources_of(data: bytes, first: int) -> list[int] | None:
    """Return the ledger step of each memory of a file, in order; None when a line is damaged or out of order.

    Only events are decoded, which takes a third of the time. `first` is the memory in the file's name.
    """
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    found = _MEMORY.findall(data)
    if len(data) >= LONGEST_LINE or list(map(int, (seq for seq, _ in found))) != list(range(first, first + len(found))):
        return None
    events = [raw for raw in data.split(b"\n") if raw.startswith(b'{"event":')]
    if len(found) + len(events) != data.count(b"\n") or not all(map(_is_event, events)):
        return None
    return [int(source) for _, source in found]


def _is_event(raw: bytes) -> bool:
    """Return whether a line is an event and, if it is a commit, a valid one."""
    line = decode(raw)
    if line is None or "seq" in line or not isinstance(line.get("event"), str):
        return False
    return not is_commit(line) or parse_commit(line) is not None


def line_of(data: bytes, seq: int) -> int:
    """Return the offset of the last line with a number, or -1; a skipped damaged line may have the same number."""
    mark = b'{"seq":%d,' % seq
    at = data.rfind(b"\n" + mark)
    return at + 1 if at >= 0 else (0 if data.startswith(mark) else -1)


def _within(lines: Iterable[dict[str, Any] | None], first: int, last: int) -> list[Entry]:
    found = (
        _entry(line)
        for line in lines
        if line is not None and is_number(line.get("seq")) and first <= line["seq"] <= last
    )
    return [entry for entry in found if entry is not None]


def is_whole(line: Mapping[str, Any]) -> bool:
    """Return whether a memory's line has every required key, with strings where they belong."""
    for key in ("at", "kind", "text"):
        if not isinstance(line.get(key), str):
            return False
    for key in ("actor", "place", "reason"):
        if (value := line.get(key)) is not None and not isinstance(value, str):
            return False
    return True


def _entry(line: dict[str, Any]) -> Entry | None:
    if not is_whole(line):
        return None
    if is_number(line.get("source", 0)) and is_number(line.get("importance", 3)):
        return Entry.from_json(line)
    kept = {key: value for key, value in line.items() if key not in ("source", "importance") or is_number(value)}
    return Entry.from_json(kept)
