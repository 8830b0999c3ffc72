"""A process for minds that dies or hangs: it is told, and the next opening starts another."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from agents.hosts import HostPlace, HostSettings, Lease
from agents.hosts.process import ProcessHost
from mud.child_process import LONGEST
from mud.errors import Unavailable
from mud.server.hosting import MAKER, hosted
from tests.vaults import copy_vault, without_vectors

ELIZA = "#2001"
Start = Callable[..., ProcessHost]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Give a function that makes a host for a vault."""
    async with AsyncExitStack() as stack:
        vault = without_vectors(copy_vault(tmp_path))
        here = await stack.enter_async_context(hosted(vault, "here"))

        def made(longest: float = LONGEST, maker: str = MAKER) -> ProcessHost:
            host = ProcessHost(HostPlace(vault, "", maker, here, HostSettings), longest=longest)
            stack.push_async_callback(host.end)
            return host

        yield made


@asynccontextmanager
async def never(vault: Path, name: str) -> AsyncIterator[None]:
    """Make a host that never begins."""
    await asyncio.Event().wait()
    yield


async def test_one_that_is_killed_is_told_and_opened_anew(start: Start) -> None:
    host = start()
    await host.open([Lease(ELIZA, "eliza", 1)])
    before = host.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    with pytest.raises(Unavailable, match=r"ended unexpectedly \(SIGKILL\)"):
        await host.status()
    (kept,) = await host.open([Lease(ELIZA, "eliza", 2)])
    assert (kept.trouble, kept.epoch, host.pid != before) == ("", 2, True)


async def test_one_that_cannot_begin_says_why(start: Start) -> None:
    for maker, why in (("mud.server.hosting:nothing", "nothing"), ("mud.nothing:hosted", "mud.nothing")):
        host = start(maker=maker)
        for _ in range(2):
            with pytest.raises(Unavailable, match=f"Error: .*{why}"):
                await host.open([])


async def test_one_that_hangs_is_killed(start: Start) -> None:
    host = start(0.2, f"{__name__}:never")
    with pytest.raises(Unavailable, match="did not answer"):
        await host.open([])
    with pytest.raises(Unavailable):
        await host.status()
