"""Whether a line says again what was said before, by the words it is made of. Pure."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from functools import lru_cache
from sys import intern

THRESHOLD = 0.8
"""Share of common words from which on two lines say the same."""
LOOKBACK = 20
"""Earlier lines that a line is compared with."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")


@lru_cache(maxsize=1 << 12)
def words_of(line: str) -> frozenset[str]:
    """Return the words of a line, without case."""
    # Each word is kept once for all lines, and there are thousands of these.
    return frozenset(intern(word.casefold().replace("’", "'")) for word in _WORD.findall(line))


def similarity(one: str, other: str) -> float:
    """Return the Jaccard index of two lines' words: common words divided by all words, 0 to 1."""
    first, second = _compared(one), _compared(other)
    return len(first & second) / len(first | second)


def repeats(line: str, earlier: Iterable[str]) -> str | None:
    """Return the first earlier line that this one says again; None when it is new."""
    mine = _compared(line)
    return next((other for other in earlier if _alike(mine, _compared(other))), None)


class RepetitionRate:
    """The share of spoken lines that repeat one of their speaker's last ones; 0 while nobody spoke."""

    def __init__(self) -> None:
        self.lines = 0
        """Spoken lines so far."""
        self.repeated = 0
        """How many of them repeat one of their speaker's last `LOOKBACK`."""
        self._last: dict[str, deque[frozenset[str]]] = defaultdict(lambda: deque(maxlen=LOOKBACK))

    @property
    def rate(self) -> float:
        """Repeated lines divided by all lines, 0 to 1."""
        return self.repeated / self.lines if self.lines else 0.0

    def add(self, speaker: str, words: str) -> bool:
        """Count one spoken line, without its quotation marks; return whether it repeats."""
        last = self._last[speaker]
        said = words_of(words) or frozenset(words.split())
        again = any(_alike(said, other) for other in last)
        last.append(said)
        self.lines += 1
        self.repeated += again
        return again


def _compared(line: str) -> frozenset[str]:
    """Return the words of a line; for a line without one its signs as one word, as those of `...`."""
    return words_of(line) or frozenset({" ".join(line.split())})


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two sets reach the threshold; sets of too different sizes, as most are, are not compared."""
    if min(len(one), len(other)) < THRESHOLD * max(len(one), len(other)):
        return False
    common = len(one & other)
    return common >= THRESHOLD * (len(one) + len(other) - common)
