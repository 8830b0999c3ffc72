"""The process of minds on another machine, without Ray."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.hosts._mind_host import MindHost
from mud.errors import LociError
from mud.server.hosting import MAKER
from tests.vaults import copy_vault, without_vectors


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder for temporary files that is the test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@asynccontextmanager
async def _host(vault: Path, name: str = "one") -> AsyncIterator[MindHost]:
    """Make one that ends without the process of the test."""
    host = MindHost(str(vault), MAKER, name)
    try:
        yield host
    finally:
        await host._stack.aclose()


async def test_it_opens_a_vault_that_was_not_there_at_first(tmp_path: Path) -> None:
    async with _host(tmp_path / "vault") as host:
        for _ in range(2):
            with pytest.raises(LociError, match="no vault"):
                await host.ready()
        without_vectors(copy_vault(tmp_path))
        assert await host.ready() == await host.pulse()
