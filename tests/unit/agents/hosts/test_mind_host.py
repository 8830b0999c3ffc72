"""The process of minds on another machine, without Ray."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import time

import pytest

from agents.hosts._mind_host import PREFIX, UNUSED, MindHost
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


async def test_of_the_folders_of_others_only_old_ones_that_nobody_uses_are_removed(
    tmp_path: Path, temporary: Path
) -> None:
    vault, long_ago = tmp_path / "vault", time() - 2 * UNUSED
    killed, restarting, alive = (temporary / f"{PREFIX}{name}" for name in ("killed", "soon", "alive"))
    foreign = temporary / "loci-others"
    for folder in (killed, restarting, foreign):
        (folder / "index").mkdir(parents=True)
    async with _host(vault, "alive"):
        for folder in (killed, alive, foreign):
            os.utime(folder, (long_ago, long_ago))
        async with _host(vault):
            assert {*temporary.iterdir()} == {restarting, alive, foreign, temporary / f"{PREFIX}one"}
