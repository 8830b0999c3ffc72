"""Made-up vectors for made-up memories, stored in an index's cache. Runs in a child process.

The vector of a text is the mean of a random one for each word, so that texts with common words are similar.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.recall import tables
from agents.recall.documents import digest_of
from agents.recall.embedders import Embedder, EmbedderKind
from agents.recall.indexes import EmbeddingCache
from agents.recall.lexical import LexicalIndex
from mud.registry import load

BATCH = 2048
_WORD = re.compile(r"\w+")


class MadeUpEmbedder:
    """Stands in for another embedder, with the same model name and dimension."""

    def __init__(self, model: str, dimension: int) -> None:
        self.model, self.dimension = model, dimension
        self._of_word = cache(self._random)

    def _random(self, word: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
        return np.random.default_rng(seed).standard_normal(self.dimension, dtype=np.float32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of length 1 for each text."""
        rows = np.stack(
            [sum((self._of_word(word) for word in _words(text)), np.zeros(self.dimension)) for text in texts]
        )
        unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower()) or [text]


def fill_cache(folder: str, lexical: str, embedder: str) -> int:
    """Make up a vector for every memory that waits for one, and return how many these were.

    Words get their real vectors, since questions are compared with them. `folder` is an `.index/` that no other process
    has open, and `lexical` the file in it that knows what waits.
    """
    model = load("agents.recall.embedders", EmbedderKind, "embedder").get(embedder).make(Path(folder), None)
    # A copy in memory, so that the file still lists these memories as waiting.
    index = LexicalIndex(Path(folder) / lexical, private=True)
    count = number = 0
    with closing(_cache(folder, MadeUpEmbedder(model.model, model.dimension))) as made:
        while found := index.do(tables.memories_waiting, BATCH, "", ()):
            [(agent, through, records)] = found
            if records:
                made.embed([one.digest for one in records], [one.text for one in records])
            index.do(tables.lives_embedded, [(agent, through)])
            count += len(records)
    with closing(_cache(folder, model)) as real:
        while some := index.do(tables.words_after, number, BATCH):
            words = [word for _, word in some]
            real.embed([digest_of(word) for word in words], words)
            number = some[-1][0]
    index.close()
    return count


def _cache(folder: str, embedder: Embedder) -> EmbeddingCache:
    return EmbeddingCache(Path(folder) / "embeddings.sqlite3", embedder)
