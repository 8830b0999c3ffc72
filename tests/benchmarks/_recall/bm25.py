"""BM25 of whole memories, the yardstick of lexical search (Robertson and Zaragoza, 2009). Pure.

    score = sum over the question's words of idf x tf x (k1 + 1) / (tf + k1 x (1 - b + b x length / mean length))
    idf = ln(1 + (n - count + 0.5) / (count + 0.5))

Words are compared in lower case; there are no stop words.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from agents.recall.tables import Stemmer

K1 = 1.2
B = 0.75
_WORD = re.compile(r"\w+")


class BM25:
    """An index of texts; `stemmed` compares Porter's stems, `k1` weighs repeated words."""

    def __init__(self, texts: Sequence[str], *, stemmed: bool = True, k1: float = K1) -> None:
        self._stemmer = Stemmer() if stemmed else None
        counted = [Counter(self._words(text)) for text in texts]
        self._lists: defaultdict[str, dict[int, float]] = defaultdict(dict)
        mean = sum(words.total() for words in counted) / max(1, len(counted)) or 1.0
        for place, words in enumerate(counted):
            norm = k1 * (1 - B + B * words.total() / mean)
            for word, often in words.items():
                self._lists[word][place] = often * (k1 + 1) / (often + norm)
        self._total = len(texts)

    def _words(self, text: str) -> list[str]:
        words = _WORD.findall(text.lower())
        stems = self._stemmer.stems(words) if self._stemmer is not None else {}
        return [stems.get(word, word) for word in words]

    def found(self, question: str, k: int) -> list[tuple[int, float]]:
        """Return the places of the `k` best texts with their scores, best first; of equal ones, the earlier first."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in self._words(question):
            having = self._lists.get(word, {})
            telling = math.log(1 + (self._total - len(having) + 0.5) / (len(having) + 0.5))
            for place, value in having.items():
                scores[place] += telling * value
        return sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:k]
