"""The marks of a quotation within a quotation, which a sentence taken out of it lacks. An apostrophe is no mark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_ENDS = {"'": "'", "‘": "’"}
_MARK = re.compile(
    r"""(?P<opens>(?<![^\s("“«\[—–-])['‘](?!(?:tis|twas|twere|em|til|till|cause|n|bout|round|neath|\d\ds?)\b)(?=\S))"""
    r"""|(?<=(?P<before>\S))['’](?!\w)""",
    re.I,
)
"""What may begin a quotation, words that leave out their beginning aside; and what may end one."""


def missing(text: str, found: Sequence[str]) -> list[tuple[str, str]]:
    """Return the marks that each sentence of a text lacks before and behind it when it stands alone.

    Args:
        text: the text.
        found: its sentences, in order.
    """
    quotations = list(_quotations(text)) if "'" in text or "‘" in text else []
    marks: list[tuple[str, str]] = []
    end = at = 0
    for one in found:
        start = text.index(one, end)
        end = start + len(one)
        at, before = _around(quotations, at, start)
        at, behind = _around(quotations, at, end)
        marks.append((text[before[0]] if before else "", text[behind[1]] if behind else ""))
    return marks


def _around(quotations: Sequence[tuple[int, int]], at: int, place: int) -> tuple[int, tuple[int, int] | None]:
    """Return the first quotation from one on that does not end before a place, and that one if it began before."""
    while at < len(quotations) and quotations[at][1] < place:
        at += 1
    return at, quotations[at] if at < len(quotations) and quotations[at][0] < place else None


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each quotation begins and ends; one without an end is none."""
    first, plural = -1, -1
    for mark in _MARK.finditer(text):
        at = mark.start()
        if mark["opens"]:
            if first >= 0 and plural >= 0:
                yield first, plural
            first, plural = at, -1
        elif first >= 0 and text[at] == _ENDS[text[first]]:
            if mark["before"] in "sS":  # `the dogs' bone`: the end only when no better one comes
                plural = at if plural < 0 else plural
                continue
            yield first, at
            first, plural = -1, -1
    if first >= 0 and plural >= 0:
        yield first, plural
