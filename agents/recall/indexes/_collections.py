"""How vectors are laid out in chromadb, whether embedded or on a server: cosine, our own vectors, never its embedder.

    memories    a collection for each agent, asked without any filter
    documents   SHARDS collections for the summaries and notes of all agents, asked with a filter for the agent

Measured (384 numbers, 1,000 memories of an agent): chromadb's filter costs 4 to 5 ms on its own, because it lists what
it lets through in SQLite, and grows with that: 40 ms at 20,000. A collection without a filter answers in 1 to 2 ms. An
agent's few documents do not pay for a collection of their own, which holds 2.6 MB and four files while it is open.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.recall.documents import NoRoom
from agents.recall.indexes import Metadata
from mud.world.narration import counted

MEMORY = "memory"
DOCUMENTS = ("memory_summary", "note")
SHARDS = 32
"""Collections for documents. With 1,000 agents of 30 each one question takes 2.5 ms over 16, and 1.5 over 64."""
PAGE = 1000
"""Collections listed at once."""

LIFE = {
    "space": "cosine",
    "ef_search": 200,
    "max_neighbors": 24,
    "ef_construction": 100,
    "num_threads": 1,
    "sync_threshold": 256,
}
"""The graph of one agent's memories. chromadb's own 16 neighbours found 0.997 of 100,000 clustered vectors by
themselves, 24 all of them; 32, built more thoroughly, fell below 1,000 vectors a second. What was put since the last
sync is read again by every call (single puts of 7 ms with 100, 14 with 1,000); each sync writes a list of all ids."""
SHELF = {**LIFE, "max_neighbors": 128, "ef_construction": 800, "ef_search": 300, "sync_threshold": 100}
"""The graph of a shard of documents, few and often of one form: of 400 hashed texts that differ in a number only, half
were never found by themselves with 16 neighbours, a tenth with 64; with 128 every one was."""


class Collections:
    """An index in chromadb.

    Args:
        client: chromadb's client; its `close` is called at the end.
        prefix: what the names of this index's collections begin with.
        model: the model's name. Collections of this prefix that another one filled are deleted.
        dimension: how many numbers a vector has.
        vault: whose they are, written on each where several share a server. Those of the same vault with another prefix
            are deleted too: nobody knows them any more.
        most: collections that may be open at once; 0 when it is not ours to say.
    """

    def __init__(self, client: Any, prefix: str, model: str, dimension: int, vault: str = "", most: int = 0) -> None:
        self._client, self._prefix, self._allowed = client, prefix, most
        self._mark: dict[str, str | int] = {"model": model, "dimension": dimension, "vault": vault}
        self._most: int = client.get_max_batch_size()
        self._open: dict[str, Any] = {}
        for collection in list(_listed(client)):
            data = collection.metadata or {}
            named = collection.name.startswith(prefix)
            if named and (data.get("model"), data.get("dimension")) == (model, dimension):
                self._open[collection.name] = collection
            elif named or (vault and data.get("vault") == vault):
                client.delete_collection(collection.name)
        self.empty = not self._open
        """Whether it began with nothing: all new, or all of another model."""

    def _life(self, agent: str) -> str:
        return f"{self._prefix}life-{hashlib.sha256(agent.encode()).hexdigest()[:24]}"

    def _shelf(self, agent: str) -> str:
        # Not hash(): that differs from process to process.
        return f"{self._prefix}shelf-{zlib.crc32(agent.encode()) % SHARDS}"

    def _made(self, name: str, agent: str | None) -> Any:
        if name not in self._open:
            if 0 < self._allowed <= len(self._open):
                raise NoRoom(
                    f"files for only {counted(self._allowed, 'agent')} may be open: raise the limit (ulimit -n)"
                )
            self._open[name] = self._client.get_or_create_collection(
                name,
                metadata=self._mark if agent is None else {**self._mark, "agent": agent},
                configuration={"hnsw": SHELF if agent is None else LIFE},
                embedding_function=None,
            )
        return self._open[name]

    def put(self, ids: Sequence[str], vectors: NDArray[np.float32], metadata: Sequence[Metadata]) -> None:
        """Add or replace vectors, collection by collection."""
        parts: dict[tuple[str, str | None], dict[str, int]] = {}
        for row, (one, data) in enumerate(zip(ids, metadata, strict=True)):
            agent = str(data["agent"])
            part = (self._life(agent), agent) if data["type"] == MEMORY else (self._shelf(agent), None)
            parts.setdefault(part, {})[one] = row
        for (name, agent_of_life), rows in parts.items():
            collection, chosen = self._made(name, agent_of_life), list(rows.items())
            for start in range(0, len(chosen), self._most):
                some = chosen[start : start + self._most]
                places = [row for _, row in some]
                # Replaced in its place, a vector can cut others off: of 538 put twice 2 were never found again by their
                # own, put three times 3; taken out before, none.
                if there := collection.get(ids=[one for one, _ in some], include=[])["ids"]:
                    collection.delete(ids=there)
                collection.upsert(
                    ids=[one for one, _ in some],
                    embeddings=vectors[places],
                    metadatas=None if agent_of_life else [_stored(metadata[row]) for row in places],
                )

    def remove(self, agent: str, ids: Collection[str]) -> None:
        """Take documents out."""
        gone = list(ids)
        if shelf := self._open.get(self._shelf(agent)):
            for start in range(0, len(gone), self._most):
                shelf.delete(ids=gone[start : start + self._most])

    def forget(self, agent: str) -> None:
        """Take everything of an agent out."""
        if life := self._open.pop(self._life(agent), None):
            self._client.delete_collection(life.name)
        if shelf := self._open.get(self._shelf(agent)):
            shelf.delete(where={"agent": agent})

    def nearest(self, vector: NDArray[np.float32], agent: str, types: Collection[str], k: int) -> dict[str, float]:
        """Return the k nearest of one agent and of these types."""
        found: dict[str, float] = {}
        for collection, where in self._asked(agent, types):
            answer = collection.query(
                query_embeddings=vector[None, :], n_results=max(1, k), where=where, include=["distances"]
            )
            found |= {one: 1.0 - float(far) for one, far in zip(answer["ids"][0], answer["distances"][0], strict=True)}
        return dict(sorted(found.items(), key=lambda one: -one[1])[: max(0, k)])

    def _asked(self, agent: str, types: Collection[str]) -> Iterator[tuple[Any, dict[str, Any] | None]]:
        """Yield the collections to ask, each with its filter: always of one key, two take ten times as long."""
        life, shelf = self._open.get(self._life(agent)), self._open.get(self._shelf(agent))
        if life and MEMORY in types:
            yield life, None
        if shelf and set(DOCUMENTS) <= set(types):
            yield shelf, {"agent": agent}
        elif shelf:
            yield from ((shelf, {"kind": f"{agent}|{kind}"}) for kind in types if kind in DOCUMENTS)

    def count(self, agent: str) -> int:
        """Return how many memories of an agent have a vector."""
        life = self._open.get(self._life(agent))
        return int(life.count()) if life else 0

    def documents(self) -> list[str]:
        """Return the id of every document's vector."""
        shelves = (one for one in self._open.values() if "agent" not in one.metadata)
        return [one for shelf in shelves for one in shelf.get(include=[])["ids"]]

    def close(self) -> None:
        """Write everything down and close."""
        self._open.clear()
        self._client.close()


def _listed(client: Any) -> Iterator[Any]:
    """Yield every collection there is."""
    start = 0
    while page := client.list_collections(limit=PAGE, offset=start):
        yield from page
        start += len(page)


def _stored(metadata: Metadata) -> dict[str, str | int]:
    """Return what is kept beside a document, with the one key that is asked for: a filter on two takes ten times as
    long."""
    return {**metadata, "kind": f"{metadata['agent']}|{metadata['type']}"}
