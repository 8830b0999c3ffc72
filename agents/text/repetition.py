"""Whether a line repeats an earlier one, by the words they share."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from functools import lru_cache
from sys import intern

THRESHOLD = 0.8
"""Share of common words from which two lines count as the same."""
LOOKBACK = 20

_WORD = re.compile(r"\w+(?:['’]\w+)*")


@lru_cache(maxsize=1 << 12)
def words_of(line: str) -> frozenset[str]:
    # interned, since there are thousands of lines
    return frozenset(intern(word.casefold().replace("’", "'")) for word in _WORD.findall(line))


def similarity(one: str, other: str) -> float:
    """Return the Jaccard index of two lines' words, 0 to 1."""
    first, second = _compared(one), _compared(other)
    return len(first & second) / len(first | second)


def repeats(line: str, earlier: Iterable[str]) -> str | None:
    """Return the first earlier line that this one repeats, or None."""
    mine = _compared(line)
    return next((other for other in earlier if _alike(mine, _compared(other))), None)


class RepetitionRate:
    """The share of spoken lines that repeat one of their speaker's last `LOOKBACK` lines."""

    def __init__(self) -> None:
        self.lines = 0
        self.repeated = 0
        self._last: dict[str, deque[frozenset[str]]] = defaultdict(lambda: deque(maxlen=LOOKBACK))

    @property
    def rate(self) -> float:
        return self.repeated / self.lines if self.lines else 0.0

    def add(self, speaker: str, words: str) -> bool:
        """Count one spoken line, without its quotation marks, and return whether it repeats."""
        last = self._last[speaker]
        said = words_of(words) or frozenset(words.split())
        again = any(_alike(said, other) for other in last)
        last.append(said)
        self.lines += 1
        self.repeated += again
        return again


def _compared(line: str) -> frozenset[str]:
    return words_of(line) or frozenset({" ".join(line.split())})


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(one), len(other)) < THRESHOLD * max(len(one), len(other)):
        return False
    common = len(one & other)
    return common >= THRESHOLD * (len(one) + len(other) - common)
