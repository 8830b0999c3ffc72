"""A long text is found by its passages: pieces of some sentences, each with words and a vector of its own. Pure.

A passage is a stretch of the text as it stands: whole lines where they are short enough, else whole sentences, else
words. A short text is its own only passage. Measured on conversations regrouped into long memories, on such by one
speaker, and on short lines between long answers (README, "Recall"): passages of 250 to 400 characters found as much,
those of 120 and of 800 less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

LONG = 600
"""Characters up to which a text is its own only passage; a line of talk rarely has more."""
PASSAGE = 300
"""Characters of a passage, at most, while `MOST` of them are enough for the text."""
MOST = 64
"""Passages of one text; in a longer one they grow instead, so that every word stays in one and none is work for ever.
It is a power of two, because it numbers rows of the index."""
ORDINARY = 10_000
"""Characters of a long text whose passages are kept in RAM for the next question, of the last thousand texts."""
_PART = 32
"""Bits of a memory's number in a place."""
_MEMORY = (1 << _PART) - 1

_UNIT = re.compile(r"[^\n]+?(?:[.!?…]{1,8}[\"'”’)\]]{0,4}(?=\s)|$)\s*|\n\s*", re.MULTILINE)
"""A sentence with what follows it, or a blank beginning of a line."""


def place_of(seq: int, part: int = 0) -> int:
    """Return what a passage goes by: the number of its memory for the first, a number above all of those for others."""
    return part << _PART | seq


def memory_of(place: int) -> int:
    """Return the number of the memory that a passage is of."""
    return place & _MEMORY


def part_of(place: int) -> int:
    """Return which passage of its memory it is, from 0."""
    return place >> _PART


def beside(place: int, step: int, parts: Mapping[int, int]) -> int:
    """Return the place so many passages further on, in the same memory or another; what is nowhere, nothing stands at.

    Args:
        place: a passage.
        step: passages, at most as many as memories that come before; back below 0.
        parts: how many passages the long memories around it have.
    """
    if not parts:
        return place + step
    seq, part = memory_of(place), part_of(place)
    for _ in range(abs(step)):
        part += 1 if step > 0 else -1
        if part < 0:
            seq -= 1
            part = parts.get(seq, 1) - 1
        elif part >= parts.get(seq, 1):
            seq, part = seq + 1, 0
        if seq < 1:
            return 0
    return place_of(seq, part)


def parts_of(text: str) -> int:
    """Return how many passages a text has."""
    return len(passages(text))


def passages(text: str) -> tuple[str, ...]:
    """Return the passages of a text, in order; together they are all of it but blanks between them."""
    if len(text) <= LONG:
        return (text,)
    return _kept(text) if len(text) <= ORDINARY else _cut_up(text)


def _cut_up(text: str) -> tuple[str, ...]:
    # Two in a row are always more than one may have: half of `MOST` times the size is enough for all of the text.
    size = max(PASSAGE, -(-len(text) // (MOST // 2 - 1)))
    cuts = [0]
    end = 0
    for first, last in _units(text, size):
        if last - cuts[-1] > size and first > cuts[-1]:
            cuts.append(first)
        end = last
    found = (text[first:last].strip() for first, last in zip(cuts, [*cuts[1:], end], strict=True))
    return tuple(one for one in found if one) or (text,)


_kept = lru_cache(maxsize=1 << 10)(_cut_up)


def _units(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of what is not cut: lines, sentences of longer lines, words of longer sentences."""
    first = 0
    for line in text.splitlines(keepends=True):
        last = first + len(line)
        if len(line) <= size:
            yield first, last
        else:
            for sentence in _UNIT.finditer(text, first, last):
                yield from _cut(text, *sentence.span(), size)
        first = last


def _cut(text: str, first: int, last: int, size: int) -> Iterator[tuple[int, int]]:
    while last - first > size:
        blank = text.rfind(" ", first + 1, first + size)
        end = blank + 1 if blank > first else first + size
        yield first, end
        first = end
    yield first, last
