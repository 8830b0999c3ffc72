"""The nearest of a set of example sentences by the words in common: the cosine of their words and pairs of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, sqrt
from typing import NamedTuple

COMMON, LIKELY = 80, 40
"""Examples from which on a word is too common to look any up by, and how many of those looked up are compared."""


class Example(NamedTuple):
    """An example sentence as its masked words; `against` marks a counterexample, which is of any intent but this."""

    intent: str
    words: tuple[str, ...]
    against: bool = False


class Examples:
    """Example sentences, immutable.

    Args:
        rows: the examples.
        stem: returns the stem of a word.
    """

    def __init__(self, rows: Iterable[Example], stem: Callable[[str], str]) -> None:
        self.rows, self._stem = tuple(rows), stem
        counts: dict[str, int] = {}
        for row in self.rows:
            for feature in dict.fromkeys(self._features(row.words)):
                counts[feature] = counts.get(feature, 0) + 1
        self._rarest = log(1 + len(self.rows))
        self._weights = {feature: log(1 + len(self.rows) / count) for feature, count in counts.items()}
        self._rows = tuple(self._shares(row.words) for row in self.rows)
        self._index: dict[str, list[int]] = {}
        for number, shares in enumerate(self._rows):
            for feature in shares:
                self._index.setdefault(feature, []).append(number)

    def nearest(self, words: Sequence[str], without: int = -1) -> tuple[tuple[str, float], ...]:
        """Return intents by their similarity to a sentence, 0 to 1, best first; those with a counterexample nearer not.

        Args:
            words: the masked words of the sentence.
            without: the number of a row to leave out.
        """
        shares = self._shares(words)
        rare = [feature for feature in shares if len(self._index.get(feature, ())) <= COMMON] or [*shares]
        rough: dict[int, float] = {}
        for feature in rare:
            for number in self._index.get(feature, ()):
                rough[number] = rough.get(number, 0.0) + shares[feature] * self._rows[number][feature]
        rough.pop(without, None)
        likely = sorted(rough, key=lambda number: (-rough[number], number))[:LIKELY]
        return best_intents((self.rows[number], self._similarity(shares, self._rows[number])) for number in likely)

    @staticmethod
    def _similarity(one: Mapping[str, float], other: Mapping[str, float]) -> float:
        return sum(share * other[feature] for feature, share in one.items() if feature in other)

    def _features(self, words: Sequence[str]) -> list[str]:
        stems = [self._stem(word) for word in words]
        return [*stems, *(f"{one} {other}" for one, other in zip(("^", *stems), (*stems, "$"), strict=True))]

    def _shares(self, words: Sequence[str]) -> dict[str, float]:
        weights: dict[str, float] = {}
        for feature in self._features(words):
            weights[feature] = self._weights.get(feature, self._rarest)
        length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {feature: weight / length for feature, weight in weights.items()}


def best_intents(scored: Iterable[tuple[Example, float]]) -> tuple[tuple[str, float], ...]:
    """Return intents by the similarity of their nearest example, best first; those with a counterexample nearer not."""
    nearest: dict[str, float] = {}
    against: dict[str, float] = {}
    for row, score in scored:
        side = against if row.against else nearest
        side[row.intent] = max(score, side.get(row.intent, 0.0))
    kept = ((name, score) for name, score in nearest.items() if score > against.get(name, 0.0))
    return tuple(sorted(kept, key=lambda pair: (-pair[1], pair[0])))
