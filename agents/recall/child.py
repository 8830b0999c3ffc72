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

from agents.llm.profiles import LLMProfile
from agents.recall import worker
from agents.recall.documents import Bill, Query, Record, StoreFailed
from agents.recall.settings import EMBEDDED, RecallSettings
from mud.storage.paths import check_held

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
        settings: which embedder, and where the vectors are kept.
        by: the LLM profile that names the embedder's server; None when there is none.
    """

    def __init__(self, folder: Path, settings: RecallSettings, by: LLMProfile | None = None) -> None:
        self.folder = folder
        self._settings, self._by = settings, by
        self.ready = self.served = False
        self._process: BaseProcess | None = None
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), worker.prepare)
        self._spawned: asyncio.Task[Future[worker.Kept]] | None = None

    def serves(self, settings: RecallSettings, by: LLMProfile | None = None) -> bool:
        """Tell whether it was started with what these settings ask for."""
        mine = self._settings
        same = (mine.embedder, mine.chroma) == (settings.embedder, settings.chroma)
        return same and (by == self._by or (self.ready and not self.served))

    async def open(self) -> worker.Kept:
        """Start the child and return what is in its index.

        Raises:
            StoreFailed: it broke; another try may do.
            EmbedderMissing: the embedder cannot be had here; another try will not do.
            EmbedderAway: its server does not answer.
        """
        self._spawned = asyncio.create_task(asyncio.to_thread(self._spawn))
        try:
            # Shielded, so that whoever gives up on opening still learns which process to end.
            opening = await asyncio.shield(self._spawned)
        except (OSError, RuntimeError) as error:
            raise StoreFailed(f"the child process did not start: {error}") from error
        kept = await answer(opening)
        self.ready, self.served = True, kept.served
        return kept

    def _spawn(self) -> Future[worker.Kept]:
        check_held(self.folder)  # the child holds no vault, and would make its folder anew
        # Until the child ignores it by itself, an interrupt from the terminal must not reach it: masks are
        # inherited. This thread's mask is nobody else's.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        try:
            with _spawning:
                others = set(multiprocessing.active_children())
                settings = self._settings
                server = "" if settings.chroma == EMBEDDED else settings.chroma
                opening = self._pool.submit(worker.open_store, str(self.folder), settings.embedder, server, self._by)
                self._process = next(iter(set(multiprocessing.active_children()) - others), None)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return opening

    async def do(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Have one of the worker's functions done, and return its result.

        Raises:
            StoreFailed: there will be none.
        """
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
        await self.do(worker.check)

    async def put(self, records: Sequence[Record]) -> None:
        """Embed and keep these."""
        await self.do(worker.put, records)

    async def learn(self, words: Sequence[str]) -> bool:
        """Add words to the thesaurus; tell whether it has room for more."""
        return await self.do(worker.learn, words)

    async def remove(self, agent: str, ids: Collection[str]) -> None:
        """Take these documents out."""
        await self.do(worker.remove, agent, ids)

    async def forget(self, agent: str) -> None:
        """Take everything of an agent out."""
        await self.do(worker.forget, agent)

    async def holds(self, agent: str, memories: int, samples: Sequence[Record]) -> bool:
        """Tell whether the index has so many memories of an agent, and finds these by their own text."""
        return await self.do(worker.holds, agent, memories, samples)

    async def understand(self, query: Query, words: Sequence[str]) -> dict[str, dict[str, float]]:
        """See `worker.Store.understand`."""
        return await self.do(worker.understand, query, words)

    async def nearest(self, query: Query) -> tuple[dict[int, float], dict[str, float]]:
        """Return what is nearest to a question: passages of memories by place, documents by id, with their cosines."""
        return await self.do(worker.nearest, query)

    async def price(self, texts: Sequence[str]) -> Bill:
        """Return what a server will take for embedding these."""
        return await self.do(worker.price, texts)

    async def price_question(self, query: Query, words: Sequence[str]) -> Bill:
        """Return what a server will take for a question and those of its words that nobody ever said."""
        return await self.do(worker.price_question, query, words)

    async def greet(self) -> None:
        """Return when the embedder's server answers."""
        await self.do(worker.greet)

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
                    await self.do(worker.close_store)
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
