"""Whether a line says again what was said before, by the words it is made of. Pure."""

from __future__ import annotations

import re
from collections import deque
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
    mine = words_of(line)
    many = len(mine)
    for other in earlier:
        theirs = words_of(other)
        few = len(theirs)
        # Sets of too different sizes cannot reach it, and most are.
        if not (few >= threshold * many if few <= many else many >= threshold * few):
            continue
        common = len(mine & theirs)
        if common >= threshold * (many + few - common) and (many or similarity(line, other) >= threshold):
            return other
    return None


class RepetitionRate:
    """The share of spoken lines that repeat one of their speaker's last ones; 0 while nobody spoke.

    A line repeats another when the Jaccard index of their words is at least `THRESHOLD` (design, section 9); lines
    without a word when they are the same signs. Adding a line costs some microseconds and no line is kept.
    """

    def __init__(self) -> None:
        self.lines = 0
        """Spoken lines so far."""
        self.repeated = 0
        """How many of them repeat one of their speaker's last `LOOKBACK`."""
        self._last: dict[str, deque[frozenset[str]]] = {}

    @property
    def rate(self) -> float:
        """Repeated lines divided by all lines, 0 to 1."""
        return self.repeated / self.lines if self.lines else 0.0

    def add(self, speaker: str, words: str) -> bool:
        """Count one spoken line; return whether it repeats.

        Args:
            speaker: who spoke, a name or an id.
            words: what was said, without quotation marks and without a private reason.
        """
        last = self._last.get(speaker)
        if last is None:
            last = self._last[speaker] = deque(maxlen=LOOKBACK)
        said = words_of(words) or frozenset(words.split())  # signs hold no word, so they are like no line with words
        again = any(_alike(said, other) for other in last)
        last.append(said)
        self.lines += 1
        self.repeated += again
        return again


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of words reach the threshold; sets of too different sizes are not looked at."""
    small, large = (one, other) if len(one) <= len(other) else (other, one)
    if len(small) < THRESHOLD * len(large):
        return False
    common = len(one & other)
    return common >= THRESHOLD * (len(one) + len(other) - common)
