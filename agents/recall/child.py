"""The parent's side of recall's child process: start it, ask it, end it. Every way it can fail is one `StoreFailed`.

It never waits with `asyncio.wait_for`: in Python 3.11 that swallows a cancellation that comes together with the answer.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
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
LEAVING = 2.0
"""Seconds that a killed child gets to be gone; nobody waits longer for it."""

_spawning = threading.Lock()
"""Held while a child is spawned, so that the one which is new is the one of this pool."""


async def answer(future: Future[R]) -> R:
    """Return what the child answers; a cancellation is never lost, whenever it comes.

    Args:
        future: the piece of work that was given to the child.

    Raises:
        StoreFailed: there will be no answer.
    """
    try:
        async with asyncio.timeout(LONGEST):
            return await asyncio.wrap_future(future)
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


class VectorProcess:
    """One child process with its store; when it has failed, it is closed and another one made.

    Args:
        folder: the vault's `.index/`.
        embedder: name of the embedder.
    """

    def __init__(self, folder: Path, embedder: str) -> None:
        self.folder = folder
        self.embedder = embedder
        self.ready = False
        self._process: BaseProcess | None = None
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), worker.prepare)
        self._spawned: asyncio.Task[Future[list[str]]] | None = None

    async def open(self) -> list[str]:
        """Start the child and return the ids of all vectors in its index.

        Raises:
            StoreFailed: it broke; another try may do.
            EmbedderMissing: the embedder cannot be had here; another try will not do.
        """
        self._spawned = asyncio.create_task(asyncio.to_thread(self._spawn))
        try:
            # Shielded, so that whoever gives up on opening still learns which process to end.
            opening = await asyncio.shield(self._spawned)
        except (OSError, RuntimeError) as error:
            raise StoreFailed(f"the child process did not start: {error}") from error
        ids = await answer(opening)
        self.ready = True
        return ids

    def _spawn(self) -> Future[list[str]]:
        # Until the child ignores it by itself, an interrupt from the terminal must not reach it: masks are
        # inherited. This thread's mask is nobody else's.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        try:
            with _spawning:
                others = set(multiprocessing.active_children())
                opening = self._pool.submit(worker.open_store, str(self.folder), self.embedder)
                self._process = next(iter(set(multiprocessing.active_children()) - others), None)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return opening

    async def _ask(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            future = self._pool.submit(work, *args, **kwargs)
        except RuntimeError as error:  # it is broken, or shut down
            raise StoreFailed("the child process is gone") from error
        return await answer(future)

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
        """End the child, cleanly when it is at rest, at once when it is not; takes `CLOSING` + `LEAVING` at most.

        Whoever is cancelled while closing still ends it.
        """
        try:
            async with asyncio.timeout(CLOSING):
                if self._spawned is not None and not self._spawned.done():
                    await asyncio.wait([self._spawned])
                if self.ready:
                    self.ready = False
                    await self._ask(worker.close_store)
        except (StoreFailed, TimeoutError):
            pass  # it is killed instead, and its mark left behind says so
        finally:
            # Closed or not, nothing in it is worth waiting for: libraries take their time to leave.
            self.kill()
            gone = asyncio.create_task(asyncio.to_thread(self._pool.shutdown, True, cancel_futures=True))
            await asyncio.wait([gone], timeout=LEAVING)

    def kill(self) -> None:
        """End the child at once, whatever it does."""
        self.ready = False
        if self._process is not None:
            self._process.kill()
