"""The process of minds on another machine, as Ray starts it."""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from time import time

from agents.hosts import Answer, HostOfMinds, Kept, Lease, MindTurn, Status
from agents.hosts.process import hosted
from agents.memory.entries import Hit

PREFIX = "loci-mind-host-"
UNUSED = 86_400.0
"""Seconds for which the folder of a process that was killed waits for the next one of its name."""
ENDS = 1.0
"""Seconds after which a process whose minds are closed ends, if Ray has not ended it before."""


class MindHost:
    """The minds of one machine. Made anew when its process was killed, and then without any mind.

    Args:
        vault: the folder, as this machine sees it.
        maker: see `agents.hosts.HostPlace`.
        name: for leases, the same for the next process on this machine, which goes on with archives and index of this
            one. Not to be guessed, as it names the folder of the index.
    """

    def __init__(self, vault: str, maker: str, name: str) -> None:
        self._born = secrets.token_hex(8)
        self._folder = kept(Path(tempfile.gettempdir()) / f"{PREFIX}{name}")
        self._vault, self._maker, self._name = Path(vault), maker, name
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._host: HostOfMinds | None = None

    async def _opened(self) -> HostOfMinds:
        async with self._opening:
            if self._host is None:
                made = hosted(self._vault, self._maker, self._name, self._folder / "index")  # entered only once
                self._host = await self._stack.enter_async_context(made)
            return self._host

    async def ready(self) -> str:
        """Open the vault, so that the first mind need not wait for it; return what tells this process from others."""
        await self._opened()
        return self._born

    async def pulse(self) -> str:
        """Return what tells this process from others, in a thread that does nothing else."""
        return self._born

    async def open(self, minds: Sequence[Lease]) -> tuple[Kept, ...]:
        return tuple(await (await self._opened()).open(minds))

    async def tick(self, turns: Sequence[MindTurn], patience: float) -> Answer:
        return await (await self._opened()).tick(turns, patience)

    async def recall(self, who: str, epoch: int, query: str, k: int) -> tuple[Hit, ...]:
        return tuple(await (await self._opened()).recall(who, epoch, query, k))

    async def status(self) -> Status:
        return await (await self._opened()).status()

    async def close(self, minds: Sequence[Lease]) -> tuple[Kept, ...]:
        return tuple(await (await self._opened()).close(minds))

    async def end(self) -> None:
        """Close all minds and the vault, and soon after end the process, also where Ray has lost sight of it."""
        await self._stack.aclose()
        shutil.rmtree(self._folder, ignore_errors=True)
        asyncio.get_running_loop().call_later(ENDS, os._exit, 0)


def kept(folder: Path) -> Path:
    """Make a folder and keep it until this process ends; remove those beside it that nobody keeps, of killed worlds."""
    folder.mkdir(mode=0o700, exist_ok=True)
    os.utime(folder)
    with suppress(OSError):  # where no folder can be locked, none is removed
        fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_SH)
    for other in folder.parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            descriptor = os.open(other, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its process lives
                if os.fstat(descriptor).st_mtime < time() - UNUSED:
                    shutil.rmtree(other)
            finally:
                os.close(descriptor)
    return folder
