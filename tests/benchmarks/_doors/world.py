"""A world that runs in a process of its own and is reached through its doors alone."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from argon2 import PasswordHasher

from agents.definition import write_definition
from mud.errors import LociError
from mud.storage.accounts import Account, AccountFiles
from mud.world.roles import Role
from tests.figures import figures
from tests.settings import put
from tests.vaults import ROOT

PASSWORD = "correct horse"
PLENTY = 100_000
PATIENCE = 60.0
"""Seconds within which a world opens its doors, and answers."""
LOOKS = 0.25
"""Seconds between two looks at the figures while something is waited for."""


def furnish(vault: Path, people: Sequence[str], *, vectors: bool = False) -> None:
    """Give a vault's doors an account for everybody and no limits that a crowd on one machine would meet."""
    hash = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)  # what logins cost is not measured
    accounts = AccountFiles(vault)
    for name in people:
        accounts.write(Account(name, Role.PLAYER, hash))
    rates = {"lines_per_second": PLENTY, "address_lines_per_second": PLENTY, "line_burst": PLENTY}
    put(
        vault, "doors", connections=PLENTY, connections_per_address=PLENTY, sessions_per_account=1000,
        waiting_kilobytes=65_536, **rates,
    )  # fmt: skip
    if not vectors:
        put(vault, "recall", embedder="none")


def populate(vault: Path, names: Sequence[str]) -> None:
    """Give a vault agents that live by instinct."""
    for number, name in enumerate(names):
        profile = f"You are {name}. You like to know who is here, and you walk a lot."
        write_definition(vault / "agents", name, f"#{90_000 + number}", person=False, profile=profile)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


class RunningWorld:
    """A running world.

    Args:
        telnet: the port of that door.
        web: the address of the pages, and the owner's token.
    """

    def __init__(self, process: Process, telnet: int, web: str, token: str) -> None:
        self.telnet, self.web, self.token = telnet, web, token
        self._process = process
        self._http = httpx.AsyncClient(base_url=web, trust_env=False, timeout=PATIENCE)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def figures(self) -> dict[str, float]:
        """Return what Prometheus would read."""
        return figures((await self._http.get("/metrics")).text)

    async def caught_up(self) -> float:
        """Wait until all is archived, folded and indexed by its words; return the seconds that took."""
        began = time.perf_counter()
        while True:
            now = await self.figures()
            if not (now["loci_memories_waiting"] or now["loci_folds_due"] or now["loci_index_lag words"]):
                return time.perf_counter() - began
            await asyncio.sleep(LOOKS)

    async def end(self) -> float:
        """End it in order, if it runs; return the seconds that took."""
        await self._http.aclose()
        began = time.perf_counter()
        if self._process.returncode is None:
            self._process.terminate()
        await self._process.wait()
        return time.perf_counter() - began


def command(vault: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "mud", "run", "--vault", str(vault), *options]


@asynccontextmanager
async def running(vault: Path, *options: str) -> AsyncIterator[RunningWorld]:
    """Start a world with its doors open, and end it."""
    telnet, web = free_port(), free_port()
    doors = ("--headless", "--telnet", str(telnet), "--web", str(web))
    process = await asyncio.create_subprocess_exec(
        *command(vault, *doors, *options), stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, cwd=ROOT, env=os.environ
    )
    said: list[str] = []
    draining: asyncio.Task[None] | None = None
    try:
        address, token = await asyncio.wait_for(_opened(process, said), PATIENCE)
        draining = asyncio.create_task(_drain(process))
        world = RunningWorld(process, telnet, address, token)
        yield world
        await world.end()
    except TimeoutError:
        raise LociError(f"the world did not open its doors; it said {' '.join(said)}") from None
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        if draining is not None:
            await draining


async def _opened(process: Process, said: list[str]) -> tuple[str, str]:
    """Read until both doors are open; return the address and the token that the web's line has."""
    assert process.stderr is not None
    while True:
        line = (await process.stderr.readline()).decode()
        if not line:
            raise LociError(f"the world ended before its doors were open; it said {' '.join(said)}")
        said.append(line.strip())
        everything = "\n".join(said)
        if (web := re.search(r"^web: (\S+/)\?token=(\S+)$", everything, re.M)) and re.search(
            "^telnet: ", everything, re.M
        ):
            return web[1], web[2]


async def _drain(process: Process) -> None:
    assert process.stderr is not None
    while await process.stderr.readline():
        pass
