"""Vectors from spelling alone: hashed words and letter trigrams. No weights, no synonyms."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.recall.embedders import Embedder, embedder, unit

DIMENSION = 384
_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """The hashing trick (Weinberger et al., 2009): each feature adds or subtracts 1 (trigrams 0.5) at one index."""

    model = "hashing-words-3grams-1"
    dimension = DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for feature, weight in _features(text.lower()):
                # Not hash(), which differs between processes.
                number = int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest())
                row[number % DIMENSION] += weight if number >> 63 else -weight
            if not row.any():
                row[0] = 1.0
        return unit(rows)


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text):
        yield word, 1.0
        framed = f"<{word}>"
        for start in range(len(framed) - 2):
            yield framed[start : start + 3], 0.5


@embedder("hashing", "Spelling alone, no weights: light and quick, knows no synonyms.")
def HASHING(folder: Path) -> Embedder:
    return HashingEmbedder()
