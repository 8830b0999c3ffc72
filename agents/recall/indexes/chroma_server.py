"""Vectors on a chroma server (`chroma run`); several vaults may share it, each with a prefix of its own."""

from __future__ import annotations

import hashlib
import socket
import uuid
from pathlib import Path
from typing import Any

import httpx
from chromadb import Collection
from chromadb.api.fastapi import FastAPI
from chromadb.config import Settings, System

from agents.recall.documents import StoreFailed
from agents.recall.indexes import Index, Place, index
from agents.recall.indexes._collections import Collections

PATIENCE = httpx.Timeout(30.0, connect=3.0)
"""Seconds. A server on a busy machine may take long for a large batch."""
API = "chromadb.api.fastapi.FastAPI"
HEARTBEAT = "/api/v2/heartbeat"
IDENTITY = "vault-id"
"""File with a random name for this vault, in the index's folder."""


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
        return [Collection(self._server, model, None) for model in self._server.list_collections(limit, offset)]

    def get_or_create_collection(self, name: str, *, embedding_function: None, **more: Any) -> Any:
        return Collection(self._server, self._server.get_or_create_collection(name, **more), embedding_function)

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


@index("chroma_server", "A chroma server at an address, shared or not.")
def CHROMA_SERVER(place: Place, model: str, dimension: int) -> Index:
    """Open it; collections that this vault left under an earlier identity are deleted."""
    client = _Client(place.server.rstrip("/"))
    vault = f"{socket.gethostname()}:{place.folder.resolve()}"
    return Collections(client, f"loci-{_identity(place.folder)}-", model, dimension, vault)
