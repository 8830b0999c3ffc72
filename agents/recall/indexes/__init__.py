"""Ways to keep vectors and find the nearest, one file each. Loaded in recall's child process only.

To add one, write a module here with a function `@index("name", "one sentence about it")` that takes a `Place` (the
folder `.index/`, in which it makes its own, or a server's address) and the name and dimension of the model, and returns
an `Index`. It may lose what it keeps: the child process notices and fills it again. The contract tests try it.

Two families of vectors are kept apart: memories, of which one life may have a hundred thousand, and documents
(summaries and notes), of which it has some dozens. What the calls cost with chromadb, embedded, on one thread (for
`matrix` see there):

    put        0.4-0.9 ms a vector in batches of 128, up to 100,000 vectors of one agent; one alone 4-9 ms
    nearest    1-3 ms over an agent's memories, another 1-3 ms over its documents
    remove     some ms; forget: some 10 ms
    count      0.6 ms; documents: reads all their ids

`EmbeddingCache` and `Thesaurus` serve every index: what was embedded once, and the words that are like others, in RAM.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from agents.recall.databases import open_database, remove_database
from agents.recall.embedders import Embedder
from agents.recall.settings import EXACT

Vectors = NDArray[np.float32]
Metadata = Mapping[str, str | int]

QUESTIONS = 1000
"""Question vectors kept in RAM (1.5 MB)."""
MIN_SIMILARITY = 0.5
"""Cosine above which two words count as similar; 0.4 and 0.6 did about as well on the development data."""
MAX_SIMILAR = 12
"""More than are used, because not every agent's memories contain all of them."""
MAX_WORDS = 20_000
"""31 MB of vectors. The first words are kept; a text world rarely has more."""
MAX_FOUND = 5000
"""Cached results of `similar`. Comparing a word with 20,000 others takes a millisecond."""


class Index(Protocol):
    """Unit vectors of many agents, each with an id and a type: `memory`, `memory_summary` or `note`.

    The id of a memory is one of `documents.memory_id`.
    """

    @property
    def empty(self) -> bool:
        """Whether it was empty when opened."""
        ...

    def put(self, ids: Sequence[str], vectors: Vectors, metadata: Sequence[Metadata]) -> None:
        """Add vectors, or replace those of the same id, agent and family; metadata needs `agent` and `type`."""
        ...

    def remove(self, agent: str, ids: Collection[str]) -> None:
        """Remove vectors of an agent; unknown ids are ignored."""
        ...

    def forget(self, agent: str) -> None: ...

    def nearest(self, vector: Vectors, agent: str, types: Collection[str], k: int) -> dict[str, float]:
        """Return the k nearest of one agent and these types: ids with cosines, best first."""
        ...

    def count(self, agent: str) -> int: ...

    def documents(self) -> list[str]: ...

    def close(self) -> None:
        """Save and close. Closing twice is allowed."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where an index keeps its vectors.

    Args:
        folder: may not exist yet.
        server: the address of a server; empty for none.
        exact: vectors of a life up to which it is searched exactly, by an index that also knows another way.
    """

    folder: Path
    server: str = ""
    exact: int = EXACT


@dataclass(frozen=True, slots=True)
class IndexKind:
    """An index plug-in. `open` drops vectors of another model; raises `StoreFailed` if the server does not answer."""

    name: str
    help: str
    open: Callable[[Place, str, int], Index]


def index(name: str, help: str) -> Callable[[Callable[[Place, str, int], Index]], IndexKind]:
    """Decorator that makes a plug-in of a function that opens an index."""
    return lambda opened: IndexKind(name, help, opened)


# -- the cache and the thesaurus ---------------------------------------------------------------------------------------


class EmbeddingCache:
    """A SQLite file of vectors by model and content hash, so that rebuilding an index embeds nothing again."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        self._path = path
        self._questions: dict[str, Vectors] = {}
        try:
            self._db = self._opened()
        except sqlite3.DatabaseError:
            remove_database(path)
            self._db = self._opened()

    def _opened(self) -> sqlite3.Connection:
        db = open_database(self._path)
        try:
            db.execute(
                "CREATE TABLE IF NOT EXISTS vectors (model TEXT NOT NULL, digest TEXT NOT NULL, vector BLOB NOT NULL, "
                "PRIMARY KEY (model, digest)) WITHOUT ROWID"
            )
            db.commit()
        except BaseException:
            db.close()
            raise
        return db

    def embed(self, digests: Sequence[str], texts: Sequence[str]) -> Vectors:
        """Return one row per text, computing only those whose digest is not cached."""
        known = self._stored(digests)
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        if new:
            made = self._embedder.embed(list(new.values()))
            known.update(zip(new, made, strict=True))
            self._write({digest: known[digest] for digest in new})
        return np.stack([known[digest] for digest in digests])

    def missing(self, digests: Sequence[str], texts: Sequence[str]) -> list[str]:
        """Return the distinct texts that `embed` would have to compute."""
        known = self._stored(digests)
        return list({one: text for one, text in zip(digests, texts, strict=True) if one not in known}.values())

    def missing_questions(self, texts: Sequence[str]) -> list[str]:
        return [text for text in dict.fromkeys(texts) if text not in self._questions]

    def embed_questions(self, texts: Sequence[str]) -> None:
        if new := self.missing_questions(texts):
            made = self._embedder.embed(new)
            while self._questions and len(self._questions) + len(new) > QUESTIONS:
                del self._questions[next(iter(self._questions))]
            self._questions.update(zip(new, made, strict=True))

    def question(self, text: str) -> Vectors:
        """Return the vector of a question or one of its words, cached in RAM only."""
        self.embed_questions([text])
        return self._questions[text]

    def _stored(self, digests: Sequence[str]) -> dict[str, Vectors]:
        if not self._path.exists():
            self._begin_anew()
        try:
            return {digest: vector for digest in digests if (vector := self._read(digest)) is not None}
        except sqlite3.DatabaseError:
            self._begin_anew()
            return {}

    def _begin_anew(self) -> None:
        self.close()
        remove_database(self._path)
        self._db = self._opened()

    def _read(self, digest: str) -> Vectors | None:
        row = self._db.execute(
            "SELECT vector FROM vectors WHERE model = ? AND digest = ?", (self._embedder.model, digest)
        ).fetchone()
        if row is None or len(row[0]) != 4 * self._embedder.dimension:
            return None
        return np.frombuffer(row[0], dtype="<f4").astype(np.float32)

    def _write(self, vectors: dict[str, Vectors]) -> None:
        rows = [(self._embedder.model, digest, vector.astype("<f4").tobytes()) for digest, vector in vectors.items()]
        try:
            with self._db:
                self._db.executemany("INSERT OR REPLACE INTO vectors (model, digest, vector) VALUES (?, ?, ?)", rows)
        except sqlite3.OperationalError:
            pass  # the disk is full or gone: they are computed again when needed
        except sqlite3.DatabaseError:
            self._begin_anew()

    def close(self) -> None:
        self._db.close()


class Thesaurus:
    """The words of all agents' memories with their vectors, so that a question with "coins" also matches "pennies"."""

    def __init__(self, dimension: int) -> None:
        self._words: list[str] = []
        self._numbers: dict[str, int] = {}
        self._vectors: Vectors = np.zeros((0, dimension), dtype=np.float32)
        self._found: dict[str, dict[str, float]] = {}

    @property
    def has_room(self) -> bool:
        return len(self._words) < MAX_WORDS

    def learn(self, words: Sequence[str], vectors: Vectors) -> None:
        new = [row for row, word in enumerate(words) if word not in self._numbers][: MAX_WORDS - len(self._words)]
        if not new:
            return
        self._found.clear()
        end = len(self._words) + len(new)
        if end > len(self._vectors):
            # Doubling avoids a copy for each new word.
            grown = np.zeros((max(end, 2 * len(self._vectors), 256), self._vectors.shape[1]), dtype=np.float32)
            grown[: len(self._words)] = self._vectors[: len(self._words)]
            self._vectors = grown
        self._vectors[len(self._words) : end] = vectors[new]
        for row in new:
            self._numbers[words[row]] = len(self._words)
            self._words.append(words[row])

    def unknown(self, words: Sequence[str]) -> list[str]:
        return [word for word in words if word not in self._numbers]

    def similar(self, words: Sequence[str], others: Mapping[str, Vectors]) -> dict[str, dict[str, float]]:
        """Map each word to similar words and their cosines, best first; `others` are the unknown words' vectors."""
        known = [word for word in words if word in self._numbers or word in others]
        new = [word for word in known if word not in self._found]
        if new and self._words:
            asked = np.stack(
                [self._vectors[self._numbers[word]] if word in self._numbers else others[word] for word in new]
            )
            cosines = self._vectors[: len(self._words)] @ asked.T
            if len(self._found) > MAX_FOUND:
                self._found.clear()
            self._found.update((word, self._most_similar(word, cosines[:, column])) for column, word in enumerate(new))
        return {word: self._found[word] for word in known if word in self._found}

    def _most_similar(self, word: str, cosines: Vectors) -> dict[str, float]:
        rows = np.flatnonzero(cosines >= MIN_SIMILARITY)
        best = rows[np.argsort(-cosines[rows], kind="stable")][: MAX_SIMILAR + 1]
        others = [row for row in best if self._words[row] != word][:MAX_SIMILAR]
        return {self._words[row]: round(float(cosines[row]), 4) for row in others}
