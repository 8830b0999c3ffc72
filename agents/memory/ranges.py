"""Ranges of memory numbers, both ends included, and references to them, such as `eliza#120-133`.

Masks and summaries contain references; `@archive` takes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from mud.sanitize import visible

Range = tuple[int, int]
_REFERENCE = re.compile(r"(?:(?P<owner>.*?)\s*#\s*)?(?P<first>\d{1,12})(?:\s*[-–]\s*(?P<last>\d{1,12}))?")


class Reference(NamedTuple):
    """A range of memories. `owner`: name, slug or id, empty for the reader's own; `last` may be smaller, as typed."""

    owner: str
    first: int
    last: int


def spoken(first: int, last: int) -> str:
    """Return a range in words: `memory 3`, `memories 3-5`."""
    return f"memory {first}" if first == last else f"memories {first}-{last}"


def missing(numbers: Iterable[int], first: int, last: int) -> list[Range]:
    """Return the runs of `first..last` that are missing in `numbers`, which are ascending and within it."""
    gaps: list[Range] = []
    for number in (*numbers, last + 1):
        if number > first:
            gaps.append((first, number - 1))
        first = number + 1
    return gaps


def merged(ranges: Iterable[Range]) -> list[Range]:
    """Merge ranges into the fewest, in order."""
    found: list[Range] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def reference(owner: str, first: int, last: int | None = None) -> str:
    """Return a reference such as `eliza#120` or `eliza#120-133`."""
    owner = visible(owner)  # a folder's name may hold any characters
    return f"{owner}#{first}" if last is None or last == first else f"{owner}#{first}-{last}"


def read_reference(text: str) -> Reference | None:
    """Parse a reference, with or without owner; None when it is none."""
    found = _REFERENCE.fullmatch(text.strip().strip("[]()").strip())
    if found is None:
        return None
    first = int(found["first"])
    return Reference((found["owner"] or "").strip(), first, int(found["last"] or first))
