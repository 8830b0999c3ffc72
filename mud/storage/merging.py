"""Merging two changes of one text, line by line. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple


class _Hunk(NamedTuple):
    """The lines `start` to `end` of the base became other ones."""

    start: int
    end: int
    lines: Sequence[str]


def merge(base: str, one: str, other: str) -> str | None:
    """Return a text with the changes from `base` to `one` and from `base` to `other`; None where both meet.

    Changes of neighbouring lines meet too, unless they are the same.
    """
    if one == other or other == base:
        return one
    if one == base:
        return other
    lines = base.splitlines(keepends=True)
    first, second = (_hunks(lines, text.splitlines(keepends=True)) for text in (one, other))
    hunks = sorted([*first, *(hunk for hunk in second if hunk not in first)], key=lambda hunk: hunk[:2])
    merged: list[str] = []
    at = 0
    for number, hunk in enumerate(hunks):
        if number and hunk.start <= hunks[number - 1].end:
            return None
        merged += [*lines[at : hunk.start], *hunk.lines]
        at = hunk.end
    return "".join([*merged, *lines[at:]])


def _hunks(base: Sequence[str], changed: Sequence[str]) -> list[_Hunk]:
    codes = SequenceMatcher(None, base, changed, autojunk=False).get_opcodes()
    return [_Hunk(a, b, changed[c:d]) for what, a, b, c, d in codes if what != "equal"]
