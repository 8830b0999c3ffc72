"""Finds which memories an archive's files hold, without decoding them.

A file holds the memories from the number in its name to the next file's. Counting bytes takes a few hundredths of a
second for a hundred thousand lines; only a file with a wrong count is read line by line. Damage inside a line is found
by `agents.memory.examining`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from agents.memory.lines import LEAP, decode, entries, is_number
from agents.memory.ranges import Range, merged, missing
from mud.storage.paths import read_bytes

_NAME = re.compile(r"\d{10,}\.jsonl")
_BEGINS = b'{"seq":'


def archive_files(folder: Path) -> list[tuple[int, Path]]:
    """Return an archive's files in order, each with its first memory; none after a gap over `LEAP`. Raises OSError."""
    if not folder.is_dir():
        return []
    found = sorted((int(path.stem), path) for path in folder.iterdir() if _NAME.fullmatch(path.name))
    leaps = (at for at, (one, after) in enumerate(pairwise([(1, folder), *found])) if after[0] > one[0] + LEAP)
    return found[: next(leaps, None)]


def lost(folder: Path, first: int, last: int, total: int) -> list[Range]:
    """Return the missing runs of `first..last`, as far as a quick look tells. `total`: expected memories."""
    if first > last:
        return []
    files = archive_files(folder)
    gaps: list[Range] = [(first, min(last, files[0][0] - 1 if files else last))]
    for (begins, path), (after, _) in pairwise([*files, (total + 1, folder)]):
        start, end = max(first, begins), min(last, after - 1)
        if start <= end and not _whole(data := read_bytes(path, own=True), begins, after - 1):
            gaps += missing((entry.seq for entry in entries(data, begins, start, end)), start, end)
    return merged(gap for gap in gaps if gap[0] <= gap[1])


def _whole(data: bytes, first: int, last: int) -> bool:
    """Return whether a file has as many memory lines as `first..last`, both of these, and no odd line."""
    memories = data.count(b"\n" + _BEGINS) + data.startswith(_BEGINS)
    if memories != last - first + 1 or data.count(b"\n") != data.count(b"}\n"):
        return False
    return all(
        data.startswith(mark) or data.rfind(b"\n" + mark) >= 0
        for mark in (b'{"seq":%d,' % seq for seq in (first, last))
    )


def broken_lines(data: bytes, begins: int) -> list[int]:
    """Return the numbers of a file's unreadable lines; `begins` is the memory in its name."""
    lines = ((number, decode(raw)) for number, raw in enumerate(data.split(b"\n"), 1) if raw.strip())
    return [number for number, line in lines if _is_broken(line, begins)]


def _is_broken(line: Mapping[str, Any] | None, begins: int) -> bool:
    return line is None or ("seq" in line and not (is_number(line["seq"]) and line["seq"] <= begins + LEAP))


def size(folder: Path) -> tuple[int, int]:
    """Return the total bytes of an archive's files, and their number. Raises OSError."""
    files = archive_files(folder)
    return sum(path.stat().st_size for _, path in files), len(files)


def without(first: int, last: int, gaps: Sequence[Range]) -> list[Range]:
    """Return what is left of a range without `gaps`, which are in order and inside it."""
    ends = [(first - 1, first - 1), *gaps, (last + 1, last + 1)]
    return [(before[1] + 1, after[0] - 1) for before, after in pairwise(ends) if after[0] - before[1] > 1]
