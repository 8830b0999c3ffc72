"""The words of all lives as vectors: which of them are like the ones that a question uses. In the child process only.

Who asks for "coins" should find "pennies" by words too, though one was never said with the other. It refuses to
invent: only words that somebody lived through are ever named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

LIKE_ENOUGH = 0.5
"""Cosine from which a word counts as like another; with 0.4 and 0.6 the development data did about as well."""
MOST_ALIKE = 12
"""Words named for one: more than are used, as not every agent has lived through all of them."""
MOST_WORDS = 20_000
"""Words kept in RAM (31 MB); what is said first is kept, a text world rarely has more."""

MOST_FOUND = 5000
"""Words whose likes are kept until another word is learnt: comparing one with 20,000 takes a millisecond."""

Vectors = NDArray[np.float32]


class Thesaurus:
    """Words and their vectors.

    Args:
        dimension: how many numbers a vector has.
    """

    def __init__(self, dimension: int) -> None:
        self._words: list[str] = []
        self._numbers: dict[str, int] = {}
        self._vectors: Vectors = np.zeros((0, dimension), dtype=np.float32)
        self._found: dict[str, dict[str, float]] = {}

    @property
    def has_room(self) -> bool:
        """Whether it takes more words."""
        return len(self._words) < MOST_WORDS

    def learn(self, words: Sequence[str], vectors: Vectors) -> None:
        """Add words with their unit vectors, a row each; one that is known keeps its place."""
        new = [row for row, word in enumerate(words) if word not in self._numbers][: MOST_WORDS - len(self._words)]
        if not new:
            return
        self._found.clear()
        end = len(self._words) + len(new)
        if end > len(self._vectors):
            # Doubling, so that a life of single new words is not a life of copies.
            grown = np.zeros((max(end, 2 * len(self._vectors), 256), self._vectors.shape[1]), dtype=np.float32)
            grown[: len(self._words)] = self._vectors[: len(self._words)]
            self._vectors = grown
        self._vectors[len(self._words) : end] = vectors[new]
        for row in new:
            self._numbers[words[row]] = len(self._words)
            self._words.append(words[row])

    def unknown(self, words: Sequence[str]) -> list[str]:
        """Return those of these words that nobody ever said."""
        return [word for word in words if word not in self._numbers]

    def alike(self, words: Sequence[str], others: Mapping[str, Vectors]) -> dict[str, dict[str, float]]:
        """Return for each word those that are like it, with their cosines, the likest first.

        Args:
            words: words of a question.
            others: the vectors of those that are unknown.
        """
        known = [word for word in words if word in self._numbers or word in others]
        new = [word for word in known if word not in self._found]
        if new and self._words:
            asked = np.stack([self._of(word, others) for word in new])
            cosines = self._vectors[: len(self._words)] @ asked.T
            if len(self._found) > MOST_FOUND:
                self._found.clear()
            self._found.update((word, self._likest(word, cosines[:, column])) for column, word in enumerate(new))
        return {word: self._found[word] for word in known if word in self._found}

    def _of(self, word: str, others: Mapping[str, Vectors]) -> Vectors:
        number = self._numbers.get(word)
        vector: Vectors = others[word] if number is None else self._vectors[number]
        return vector

    def _likest(self, word: str, cosines: Vectors) -> dict[str, float]:
        rows = np.flatnonzero(cosines >= LIKE_ENOUGH)
        best = rows[np.argsort(-cosines[rows], kind="stable")][: MOST_ALIKE + 1]
        others = [row for row in best if self._words[row] != word][:MOST_ALIKE]
        return {self._words[row]: round(float(cosines[row]), 4) for row in others}
