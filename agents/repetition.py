"""Whether a line says again what was said before, by the words it is made of. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

THRESHOLD = 0.8
"""Share of common words from which on two lines say the same."""
LOOKBACK = 20
"""Earlier lines that a line is compared with."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def words_of(line: str) -> frozenset[str]:
    """Return the words of a line, without case."""
    return frozenset(word.casefold().replace("’", "'") for word in _WORD.findall(line))


def similarity(one: str, other: str) -> float:
    """Return the Jaccard index of two lines' words: common words divided by all words, 0 to 1.

    Two lines without a word, such as `...` and `...`, are alike when they are the same signs.
    """
    first, second = words_of(one), words_of(other)
    if not first and not second:
        return 1.0 if one.split() == other.split() else 0.0
    return len(first & second) / len(first | second)


def repeats(line: str, earlier: Iterable[str], threshold: float = THRESHOLD) -> str | None:
    """Return the first earlier line that this one says again; None when it is new.

    Args:
        line: the words to be said.
        earlier: what was said before.
        threshold: the similarity from which on it counts.
    """
    return next((other for other in earlier if similarity(line, other) >= threshold), None)
