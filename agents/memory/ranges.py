"""Ranges of memory numbers, both ends included."""

from __future__ import annotations

from collections.abc import Iterable

Range = tuple[int, int]


def spoken(first: int, last: int) -> str:
    """Return a range in words: `memory 3`, `memories 3-5`."""
    return f"memory {first}" if first == last else f"memories {first}-{last}"


def missing(numbers: Iterable[int], first: int, last: int) -> list[Range]:
    """Return the runs of `first..last` that are missing in `numbers`, which are ascending and within it."""
    gaps: list[Range] = []
    expected = first
    for number in numbers:
        if number > expected:
            gaps.append((expected, number - 1))
        expected = number + 1
    if expected <= last:
        gaps.append((expected, last))
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
