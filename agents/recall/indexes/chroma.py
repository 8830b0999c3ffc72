"""Vectors in chromadb, embedded in this process: cosine, our own vectors, no telemetry, one collection.

One process at a time may open a folder; after an unclean end opening it may crash the process (that is why it lives in
a child, which deletes the folder first).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.config import Settings
from numpy.typing import NDArray

from agents.recall.indexes._index import Index, Metadata, index

NAME = "memories"
GRAPH = {"space": "cosine", "ef_search": 300, "max_neighbors": 128, "ef_construction": 800}
"""How densely the graph is knit and how widely it is searched. With chromadb's own 16 neighbours, of 400 vectors that
are all about equally alike (hashed texts of one form) half were never found by their own text, with 64 a tenth; with
128 every one was, at the same speed of adding and 2.3 ms a question. Vectors of MiniLM were all found with 16 too."""


class ChromaIndex:
    """One collection in one folder.

    Args:
        folder: chromadb's own.
        model: the model's name; a collection that was filled by another is deleted.
        dimension: how many numbers a vector has.
    """

    def __init__(self, folder: Path, model: str, dimension: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._client: Any = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        mark = {"model": model, "dimension": dimension}
        collection = self._collection(mark)
        if dict(collection.metadata or {}) != mark:
            self._client.delete_collection(NAME)
            collection = self._collection(mark)
        self._vectors = collection
        self._most = self._client.get_max_batch_size()

    def _collection(self, mark: dict[str, Any]) -> Any:
        return self._client.get_or_create_collection(
            NAME,
            metadata=mark,
            configuration={"hnsw": GRAPH},
            embedding_function=None,
        )

    def ids(self) -> list[str]:
        """Return the id of every vector in it."""
        return list(self._vectors.get(include=[])["ids"])

    def put(self, ids: Sequence[str], vectors: NDArray[np.float32], metadata: Sequence[Metadata]) -> None:
        """Add or replace vectors."""
        for start in range(0, len(ids), self._most):
            some = slice(start, start + self._most)
            self._vectors.upsert(
                ids=list(ids[some]), embeddings=vectors[some], metadatas=[dict(one) for one in metadata[some]]
            )

    def remove(self, ids: Collection[str]) -> None:
        """Take these out."""
        gone = list(ids)
        for start in range(0, len(gone), self._most):
            self._vectors.delete(ids=gone[start : start + self._most])

    def nearest(self, vector: NDArray[np.float32], agent: str, types: Collection[str], k: int) -> dict[str, float]:
        """Return the k nearest of one agent and of these types."""
        where = {"$and": [{"agent": agent}, {"type": {"$in": sorted(types)}}]}
        found = self._vectors.query(
            query_embeddings=vector[None, :], n_results=max(1, k), where=where, include=["distances"]
        )
        return {one: 1.0 - float(far) for one, far in zip(found["ids"][0], found["distances"][0], strict=True)}

    def close(self) -> None:
        """Write everything down and let go."""
        self._client.close()


@index("chroma", "chromadb, embedded: an HNSW graph in one folder.")
def CHROMA(folder: Path, model: str, dimension: int) -> Index:
    """Open it."""
    return ChromaIndex(folder, model, dimension)
