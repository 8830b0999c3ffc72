"""The parent's side of recall's child process: start it, ask it, end it. Every way it can fail is one `StoreFailed`."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import ParamSpec, TypeVar

from agents.recall import worker
from agents.recall.documents import Record, StoreFailed

P = ParamSpec("P")
R = TypeVar("R")

LONGEST = 120.0
"""Seconds that one piece of work may take before the child counts as hung; opening builds a graph and loads weights."""
CLOSING = 3.0
"""Seconds that a child gets to close its files; after that it is killed, and the index made anew next time."""


class VectorProcess:
    """One child process with its store; when it has failed, it is closed and another one made.

    Args:
        folder: the vault's `.index/`.
        embedder: name of the embedder.
    """

    def __init__(self, folder: Path, embedder: str) -> None:
        self.folder = folder
        self.embedder = embedder
        self.pid: int | None = None
        self.ready = False
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), worker.prepare)
        self._starting: asyncio.Task[int] | None = None

    async def open(self) -> list[str]:
        """Start the child and return the ids of all vectors in its index.

        Raises:
            StoreFailed: it broke; another try may do.
            EmbedderMissing: the embedder cannot be had here; another try will not do.
        """
        self._starting = asyncio.create_task(self._start())
        # Shielded, so that whoever gives up on opening can still learn which process to end.
        self.pid = await asyncio.shield(self._starting)
        ids = await self._ask(worker.open_store, str(self.folder), self.embedder)
        self.ready = True
        return ids

    async def _start(self) -> int:
        def spawn() -> Future[int]:
            # Until the child ignores it by itself, an interrupt from the terminal must not reach it: masks are
            # inherited. This thread's mask is nobody else's.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
            try:
                return self._pool.submit(worker.greet)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

        try:
            return await asyncio.wrap_future(await asyncio.to_thread(spawn))
        except (BrokenProcessPool, OSError) as error:
            raise StoreFailed(f"the child process did not start: {error}") from error

    async def _ask(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            future = self._pool.submit(work, *args, **kwargs)
        except RuntimeError as error:  # it is broken, or shut down
            raise StoreFailed("the child process is gone") from error
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), LONGEST)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # Not we were cancelled, but the work, by the end of the pool.
            raise StoreFailed("the child process was ended") from None
        except BrokenProcessPool as error:
            raise StoreFailed("the child process ended unexpectedly") from error
        except TimeoutError as error:
            raise StoreFailed(f"the child process did not answer in {LONGEST:.0f} s") from error

    async def check(self) -> None:
        """Make sure that the child is alive and its folder in place.

        Raises:
            StoreFailed: it is not.
        """
        await self._ask(worker.check)

    async def put(self, records: Sequence[Record]) -> None:
        """Embed and keep these."""
        await self._ask(worker.put, records)

    async def remove(self, ids: Collection[str]) -> None:
        """Take these out."""
        await self._ask(worker.remove, ids)

    async def nearest(self, text: str, agent: str, types: Collection[str], k: int) -> dict[str, float]:
        """Return what of one agent is nearest to a text: ids with their cosines."""
        return await self._ask(worker.nearest, text, agent, types, k)

    async def close(self) -> None:
        """End the child: cleanly when it is at rest, at once when it is not; return when it is gone."""
        if self._starting is not None and self.pid is None:
            done, _ = await asyncio.wait([self._starting], timeout=LONGEST)
            self.pid = self._starting.result() if done and self._starting.exception() is None else None
        if self.ready:
            self.ready = False
            try:
                await asyncio.wait_for(self._ask(worker.close_store), CLOSING)
            except (StoreFailed, TimeoutError):
                pass  # it is killed instead, and its mark left behind says so
        # Closed or not, nothing in it is worth waiting for: libraries take their time to leave.
        for child in multiprocessing.active_children():
            if child.pid == self.pid:
                child.kill()
        await asyncio.to_thread(self._pool.shutdown, True, cancel_futures=True)
