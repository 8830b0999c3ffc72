"""Vectors that were computed once: content hash and model -> vector, so that a rebuild need not embed again.

Used in the child process only. A broken file is thrown away: it costs time, never an answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.recall.embedder import Embedder

Vectors = NDArray[np.float32]


QUESTIONS = 1000
"""Questions and their words whose vectors are kept in RAM (1.5 MB)."""


class EmbeddingCache:
    """The cache in one SQLite file, in front of an embedder.

    Args:
        path: the file.
        embedder: asked for what the cache does not know.
    """

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        self._path = path
        self._asked: dict[str, Vectors] = {}
        try:
            self._db = self._opened()
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)
            self._db = self._opened()

    def _opened(self) -> sqlite3.Connection:
        for end in ("-wal", "-shm"):
            if not self._path.exists():
                Path(f"{self._path}{end}").unlink(missing_ok=True)
        db = sqlite3.connect(self._path)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
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
        """Return the vectors of texts, a row each, computing only what was never computed.

        Args:
            digests: the texts' content hashes.
            texts: the texts.
        """
        known = self._kept(digests)
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        if new:
            made = self._embedder.embed(list(new.values()))
            known.update(zip(new, made, strict=True))
            self._keep({digest: known[digest] for digest in new})
        return np.stack([known[digest] for digest in digests])

    def missing(self, digests: Sequence[str], texts: Sequence[str]) -> list[str]:
        """Return those texts that `embed` would have to compute, each once."""
        known = self._kept(digests)
        return list({one: text for one, text in zip(digests, texts, strict=True) if one not in known}.values())

    def unasked(self, texts: Sequence[str]) -> list[str]:
        """Return those texts that `questions` would have to compute, each once."""
        return [text for text in dict.fromkeys(texts) if text not in self._asked]

    def questions(self, texts: Sequence[str]) -> None:
        """Compute what `question` is about to be asked for, all at once."""
        if new := self.unasked(texts):
            made = self._embedder.embed(new)
            while self._asked and len(self._asked) + len(new) > QUESTIONS:
                del self._asked[next(iter(self._asked))]
            self._asked.update(zip(new, made, strict=True))

    def question(self, text: str) -> Vectors:
        """Return the vector of a question or of a word in it; the last ones are kept in RAM, and none in the file."""
        if text not in self._asked:
            if len(self._asked) >= QUESTIONS:
                del self._asked[next(iter(self._asked))]
            self._asked[text] = self._embedder.embed([text])[0]
        return self._asked[text]

    def _kept(self, digests: Sequence[str]) -> dict[str, Vectors]:
        if not self._path.exists():
            self._begin_anew()
        try:
            return {digest: vector for digest in digests if (vector := self._known(digest)) is not None}
        except sqlite3.DatabaseError:
            self._begin_anew()
            return {}

    def _begin_anew(self) -> None:
        self.close()
        self._path.unlink(missing_ok=True)
        self._db = self._opened()

    def _known(self, digest: str) -> Vectors | None:
        row = self._db.execute(
            "SELECT vector FROM vectors WHERE model = ? AND digest = ?", (self._embedder.model, digest)
        ).fetchone()
        if row is None or len(row[0]) != 4 * self._embedder.dimension:
            return None
        return np.frombuffer(row[0], dtype="<f4").astype(np.float32)

    def _keep(self, vectors: dict[str, Vectors]) -> None:
        rows = [(self._embedder.model, digest, vector.astype("<f4").tobytes()) for digest, vector in vectors.items()]
        try:
            with self._db:
                self._db.executemany("INSERT OR REPLACE INTO vectors (model, digest, vector) VALUES (?, ?, ?)", rows)
        except sqlite3.OperationalError:
            pass  # the disk is full or gone: they are made again when they are needed again
        except sqlite3.DatabaseError:
            self._begin_anew()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
