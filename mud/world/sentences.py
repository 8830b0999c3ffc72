"""Splitting English text into sentences."""

from __future__ import annotations

import re

_END = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"”'’)]))\s+|\n+")
_ABBREVIATED = re.compile(r"(?<![\w.])(?:mr|mrs|ms|mme|dr|st|prof|rev|capt|e\.g|i\.e)\.\Z", re.IGNORECASE)
_LONGEST = 5
"""Characters of an abbreviation with its full stop."""


def is_abbreviated(text: str, end: int) -> bool:
    """Return whether the full stop before an offset belongs to an abbreviation such as `Mr.`."""
    return _ABBREVIATED.search(text, max(0, end - _LONGEST), end) is not None


def sentences(text: str) -> list[str]:
    """Split a text into sentences with their marks; sentences within a quotation are split too."""
    found, start = [], 0
    for end in _END.finditer(text):
        if "\n" in end[0] or not is_abbreviated(text, end.start()):
            found.append(text[start : end.start()].strip())
            start = end.end()
    return [one for one in (*found, text[start:].strip()) if one]
