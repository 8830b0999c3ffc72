"""Vectors in chromadb, with cosine distance and our own vectors: embedded in a folder, or on a server (`chroma run`).

Each agent's memories have a collection, queried without a filter: that takes 1 to 2 ms, and a filter 4 to 5 ms more at
1,000 memories, 40 at 20,000. Documents share `SHARDS` collections, as an open one takes 2.6 MB and four files. Only one
process may open the folder, and after an unclean end it may crash; several vaults may share a server.
"""

from __future__ import annotations

import hashlib
import resource
import socket
import uuid
import zlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import chromadb
import httpx
import numpy as np
from chromadb.config import Settings, System
from numpy.typing import NDArray

from agents.recall.documents import MEMORY, NoRoom, StoreFailed
from agents.recall.indexes import Index, Metadata, Place, index
from mud.world.narration import counted

FOLDER = "chroma"
DOCUMENTS = ("memory_summary", "note")
SHARDS = 16
"""A query with a filter takes 1 ms over 1,000 documents, 2 over 3,000, 5 over 6,000 and 13 over 10,000: with 10,000
agents of five documents, 2 to 3 ms with so many collections and 60 with one. These take 64 open files."""
PAGE = 1000

LIFE = {
    "space": "cosine",
    "ef_search": 200,
    "max_neighbors": 24,
    "ef_construction": 100,
    "num_threads": 1,
    "sync_threshold": 256,
}
"""For memories. With 16 neighbours 0.997 of 100,000 clustered vectors found themselves, with 24 all; with 32 fewer than
1,000 are inserted a second. Every call reads what was put since the last sync (7 ms a put with 100, 14 with 1,000)."""
SHELF = {**LIFE, "max_neighbors": 128, "ef_construction": 800, "ef_search": 300, "sync_threshold": 100}
"""For documents, often alike: of 400 texts differing in one number, 16 neighbours missed half, 64 a tenth, 128 none."""

HANDLES = 5
"""Files per open collection; chromadb divides the process's limit by this number."""
ENOUGH = 1 << 19

PATIENCE = httpx.Timeout(30.0, connect=3.0)
"""Seconds. A server on a busy machine may take long for a large batch."""
API = "chromadb.api.fastapi.FastAPI"
HEARTBEAT = "/api/v2/heartbeat"
IDENTITY = "vault-id"
"""File with a random name for this vault, in the index's folder."""


class Collections:
    """An index in chromadb. `most` limits the open collections; 0 for no limit.

    Deletes its prefix's collections of another model, and on a shared server the vault's with another prefix.
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

    @property
    def lives(self) -> int:
        """The number of lives that have a collection."""
        return sum("agent" in one.metadata for one in self._open.values())

    def _life(self, agent: str) -> str:
        return f"{self._prefix}life-{hashlib.sha256(agent.encode()).hexdigest()[:24]}"

    def _shelf(self, agent: str) -> str:
        # Not hash(), which differs between processes.
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
                # Delete first: replacing in place made 2 of 538 vectors unreachable.
                if there := collection.get(ids=[one for one, _ in some], include=[])["ids"]:
                    collection.delete(ids=there)
                collection.upsert(
                    ids=[one for one, _ in some],
                    embeddings=vectors[places],
                    metadatas=None if agent_of_life else [_stored(metadata[row]) for row in places],
                )

    def remove(self, agent: str, ids: Collection[str]) -> None:
        gone = list(ids)
        for part in filter(None, (self._open.get(self._shelf(agent)), self._open.get(self._life(agent)))):
            for start in range(0, len(gone), self._most):
                part.delete(ids=gone[start : start + self._most])

    def forget(self, agent: str) -> None:
        if life := self._open.pop(self._life(agent), None):
            self._client.delete_collection(life.name)
        if shelf := self._open.get(self._shelf(agent)):
            shelf.delete(where={"agent": agent})

    def nearest(self, vector: NDArray[np.float32], agent: str, types: Collection[str], k: int) -> dict[str, float]:
        found: dict[str, float] = {}
        for collection, where in self._asked(agent, types):
            answer = collection.query(
                query_embeddings=vector[None, :], n_results=max(1, k), where=where, include=["distances"]
            )
            found |= {one: 1.0 - float(far) for one, far in zip(answer["ids"][0], answer["distances"][0], strict=True)}
        return dict(sorted(found.items(), key=lambda one: -one[1])[: max(0, k)])

    def _asked(self, agent: str, types: Collection[str]) -> Iterator[tuple[Any, dict[str, Any] | None]]:
        """Yield each collection to query with its filter. A filter on two keys would take ten times as long."""
        life, shelf = self._open.get(self._life(agent)), self._open.get(self._shelf(agent))
        if life and MEMORY in types:
            yield life, None
        if shelf and set(DOCUMENTS) <= set(types):
            yield shelf, {"agent": agent}
        elif shelf:
            yield from ((shelf, {"kind": f"{agent}|{kind}"}) for kind in types if kind in DOCUMENTS)

    def count(self, agent: str) -> int:
        life = self._open.get(self._life(agent))
        return int(life.count()) if life else 0

    def documents(self) -> list[str]:
        shelves = (one for one in self._open.values() if "agent" not in one.metadata)
        return [one for shelf in shelves for one in shelf.get(include=[])["ids"]]

    def close(self) -> None:
        self._open.clear()
        self._client.close()


def _listed(client: Any) -> Iterator[Any]:
    start = 0
    while page := client.list_collections(limit=PAGE, offset=start):
        yield from page
        start += len(page)


def _stored(metadata: Metadata) -> dict[str, str | int]:
    """Add the combined key that queries filter by."""
    return {**metadata, "kind": f"{metadata['agent']}|{metadata['type']}"}


# -- embedded ----------------------------------------------------------------------------------------------------------


def _raised() -> int:
    """Raise the limit of open files; return how many collections chromadb can then hold open.

    Beyond that, it loses unsynced entries: with 40 agents and 20 allowed, every second query failed.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return ENOUGH if soft == resource.RLIM_INFINITY else soft // HANDLES


# -- on a server -------------------------------------------------------------------------------------------------------


class _Session(httpx.Client):
    """HTTP session for chromadb's client: without proxies, and with `StoreFailed` for connection errors."""

    def __init__(self, address: str) -> None:
        super().__init__(timeout=PATIENCE, trust_env=False)
        self._address = address

    def request(self, *args: Any, **kwargs: Any) -> httpx.Response:
        try:
            return super().request(*args, **kwargs)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise StoreFailed(f"no chroma server answers at {self._address} ({type(error).__name__})") from error


class _Client:
    """The part of chromadb's client that `Collections` uses, over our own session. Raises `StoreFailed`.

    `chromadb.HttpClient` uses proxies, waits for ever and leaves connections open; none of that can be configured.
    """

    def __init__(self, address: str) -> None:
        # Imported here because an index in a folder does without it.
        from chromadb.api.fastapi import FastAPI

        self._session = _Session(address)
        try:
            beat = self._session.request("GET", address + HEARTBEAT)
            if beat.status_code != httpx.codes.OK or "heartbeat" not in beat.text:
                raise StoreFailed(f"what answers at {address} is no chroma server")
            options = Settings(chroma_api_impl=API, anonymized_telemetry=False)
            # The port is required but unused, because the address is complete.
            options.chroma_server_host, options.chroma_server_http_port = address, 0
            self._server: Any = System(options).instance(FastAPI)
        except BaseException:
            self._session.close()
            raise
        self._session.headers.update(self._server._session.headers)
        self._server._session.close()
        self._server._session = self._session
        self.get_max_batch_size = self._server.get_max_batch_size
        self.delete_collection = self._server.delete_collection

    def list_collections(self, limit: int, offset: int) -> list[Any]:
        return [
            chromadb.Collection(self._server, model, None) for model in self._server.list_collections(limit, offset)
        ]

    def get_or_create_collection(self, name: str, *, embedding_function: None, **more: Any) -> Any:
        return chromadb.Collection(
            self._server, self._server.get_or_create_collection(name, **more), embedding_function
        )

    def close(self) -> None:
        self._session.close()


def _identity(folder: Path) -> str:
    """Return an id unique to this vault, also among copies and vaults of other machines at the same path."""
    file = folder / IDENTITY
    chance = file.read_text().strip() if file.exists() else ""
    if not chance:
        chance = uuid.uuid4().hex
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(chance + "\n")
    return hashlib.sha256(f"{chance} {folder.resolve()}".encode()).hexdigest()[:16]


def collections_at(place: Place, model: str, dimension: int) -> Collections:
    """Open them; those that this vault left on the server under an earlier identity are deleted."""
    folder = place.folder / FOLDER
    if place.server:
        client = _Client(place.server.rstrip("/"))
        vault = f"{socket.gethostname()}:{folder.resolve()}"
        return Collections(client, f"loci-{_identity(folder)}-", model, dimension, vault)
    folder.mkdir(parents=True, exist_ok=True)
    most = _raised()
    embedded = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
    return Collections(embedded, "loci-", model, dimension, most=most)


@index("chroma", "chromadb: HNSW graphs in a folder, or on a server, which several vaults may share.")
def CHROMA(place: Place, model: str, dimension: int) -> Index:
    return collections_at(place, model, dimension)
