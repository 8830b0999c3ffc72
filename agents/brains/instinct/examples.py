"""The nearest of a set of example sentences by the words in common: the cosine of their words and pairs of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import log, sqrt
from typing import NamedTuple

FEW, OF_FEW = 3, 0.4
"""How many of an intent's nearest examples count, and what their mean does beside the nearest one; measured."""
SAME = 0.95
"""Similarity from which on an example is the sentence itself, and decides alone."""
COMMON, LIKELY = 80, 40
"""Examples from which on a word is too common to look any up by, and how many of those looked up are compared."""


class Example(NamedTuple):
    """An example sentence as its masked words; `against` marks a counterexample, which is of any intent but this."""

    intent: str
    words: tuple[str, ...]
    asks: bool
    against: bool = False


class Examples:
    """Example sentences, immutable.

    Args:
        rows: the examples.
        stem: returns the stem of a word.
    """

    def __init__(self, rows: Iterable[Example], stem: Callable[[str], str]) -> None:
        self.rows, self._stem = tuple(rows), stem
        features = [self._features(row.words) for row in self.rows]
        counts = Counter(chain.from_iterable(features))
        self._rarest = log(1 + len(self.rows))
        self._weights = {feature: log(1 + len(self.rows) / count) for feature, count in counts.items()}
        self._shared = [*map(self._shares, features)]
        self._index: dict[str, list[int]] = {}
        for number, shares in enumerate(self._shared):
            for feature in shares:
                self._index.setdefault(feature, []).append(number)

    def nearest(self, words: Sequence[str], asks: bool, without: int = -1) -> tuple[tuple[str, float], ...]:
        """Return intents by their similarity to a sentence, 0 to 1, best first; those with a counterexample nearer not.

        Args:
            words: the masked words of the sentence.
            asks: whether it is a question; it is compared with such alone.
            without: the number of a row to leave out.
        """
        mine = self._shares(self._features(words))
        rare = [feature for feature in mine if len(self._index.get(feature, ())) <= COMMON] or [*mine]
        rough: dict[int, float] = {}
        for feature in rare:
            for number in self._index.get(feature, ()):
                rough[number] = rough.get(number, 0.0) + mine[feature] * self._shared[number][feature]
        likely = [number for number in rough if self.rows[number].asks is asks and number != without]
        likely = sorted(likely, key=lambda number: (-rough[number], number))[:LIKELY]
        scores = (sum(share * self._shared[number].get(one, 0.0) for one, share in mine.items()) for number in likely)
        return best_intents(zip((self.rows[number] for number in likely), scores, strict=True))

    def _features(self, words: Sequence[str]) -> dict[str, None]:
        stems = [*map(self._stem, words)]
        return dict.fromkeys([*stems, *map("{} {}".format, ("^", *stems), (*stems, "$"))])

    def _shares(self, features: Iterable[str]) -> Mapping[str, float]:
        weights = {feature: self._weights.get(feature, self._rarest) for feature in features}
        length = sqrt(sum([weight * weight for weight in weights.values()])) or 1.0
        return {feature: weight / length for feature, weight in weights.items()}


def best_intents(scored: Iterable[tuple[Example, float]]) -> tuple[tuple[str, float], ...]:
    """Return intents by similarity, best first: that of the nearest example, and the mean of the nearest few.

    An intent with a counterexample that is nearer is left out.
    """
    scores: dict[str, list[float]] = {}
    against: dict[str, float] = {}
    for row, score in scored:
        if row.against:
            against[row.intent] = max(score, against.get(row.intent, 0.0))
        else:
            scores.setdefault(row.intent, []).append(score)
    found: list[tuple[str, float]] = []
    for name, some in scores.items():
        few = sorted(some, reverse=True)[:FEW]
        if few[0] > against.get(name, 0.0):
            blend = (1 - OF_FEW) * few[0] + OF_FEW * sum(few) / FEW
            found.append((name, few[0] if few[0] > SAME else blend))
    return tuple(sorted(found, key=lambda pair: (-pair[1], pair[0])))
