"""The process of minds on another machine, without Ray."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from time import time

import pytest

from agents.hosts._mind_host import PREFIX, UNUSED, MindHost, kept
from mud.errors import LociError
from mud.server.hosting import MAKER
from tests.vaults import copy_vault, without_vectors


async def test_it_opens_a_vault_that_was_not_there_at_first(tmp_path: Path) -> None:
    host = MindHost(str(tmp_path / "vault"), MAKER, secrets.token_hex(8))
    try:
        for _ in range(2):
            with pytest.raises(LociError, match="no vault"):
                await host.ready()
        without_vectors(copy_vault(tmp_path))
        assert await host.ready() == await host.pulse()
    finally:  # as its `end`, without that of this process
        await host._stack.aclose()
        shutil.rmtree(host._folder)


def test_of_the_folders_of_others_only_old_ones_that_nobody_keeps_are_removed(tmp_path: Path) -> None:
    alive, killed, restarting = (tmp_path / f"{PREFIX}{name}" for name in ("alive", "killed", "restarting"))
    foreign = tmp_path / "loci-others"
    kept(alive)
    for folder in (killed, restarting, foreign):
        (folder / "index").mkdir(parents=True)
    for folder in (alive, killed, foreign):
        os.utime(folder, (time() - 2 * UNUSED,) * 2)
    own = kept(tmp_path / f"{PREFIX}own")
    assert {*tmp_path.iterdir()} == {alive, restarting, foreign, own}
