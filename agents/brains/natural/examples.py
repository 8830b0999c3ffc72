"""The nearest of a set of example sentences by the words in common: the cosine of their words and pairs of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, sqrt
from typing import NamedTuple


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
        counts = Counter(feature for row in self.rows for feature in self._features(row.words))
        self._rarest = log(1 + len(self.rows))
        self._weights = {feature: log(1 + len(self.rows) / count) for feature, count in counts.items()}
        self._index: dict[str, list[tuple[int, float]]] = {}
        for number, row in enumerate(self.rows):
            for feature, share in self._shares(row.words).items():
                self._index.setdefault(feature, []).append((number, share))

    def nearest(self, words: Sequence[str], asks: bool, without: int = -1) -> tuple[tuple[str, float], ...]:
        """Return intents by their similarity to a sentence, 0 to 1, best first; those with a counterexample nearer not.

        Args:
            words: the masked words of the sentence.
            asks: whether it is a question; it is compared with such alone.
            without: the number of a row to leave out.
        """
        found: dict[int, float] = {}
        for feature, mine in self._shares(words).items():
            for number, share in self._index.get(feature, ()):
                found[number] = found.get(number, 0.0) + mine * share
        rows = ((number, self.rows[number], score) for number, score in found.items())
        return best_intents((row, score) for number, row, score in rows if row.asks is asks and number != without)

    def _features(self, words: Sequence[str]) -> dict[str, None]:
        stems = [self._stem(word) for word in words]
        pairs = zip(("^", *stems), (*stems, "$"), strict=True)
        return dict.fromkeys([*stems, *(f"{one} {other}" for one, other in pairs)])

    def _shares(self, words: Sequence[str]) -> Mapping[str, float]:
        weights = {feature: self._weights.get(feature, self._rarest) for feature in self._features(words)}
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
