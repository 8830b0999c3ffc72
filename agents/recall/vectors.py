"""Keep the vectors of all documents up to date in the background, and answer from them while they are there.

It asks the lexical index what waits for a vector; it never makes anybody wait. A child that breaks is replaced; what
its index lost comes back from the embedding cache.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path
from typing import Protocol, TypeVar

from agents.recall.child import VectorProcess
from agents.recall.documents import NOTE, SUMMARY, EmbedderMissing, StoreFailed
from agents.recall.lexical import LexicalIndex
from agents.recall.ranking import NEAREST
from agents.recall.settings import RecallSettings
from mud.clock import Clock
from mud.errors import LociError, Unavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

BATCH = 8
"""Documents in one piece of work: a question waits for at most one."""
PAUSES = (0.0, 0.0, 1.0, 5.0, 20.0, 60.0)
"""Seconds before a broken child is replaced, by how often it broke in a row."""
HOPELESS = 4
"""Failures in a row after which those who wait for completeness are told that it will not come."""
TYPES = {SUMMARY: "memory_summary", NOTE: "note"}


class Run(Protocol):
    """Runs work on the lexical index in the thread that owns it."""

    def __call__(self, work: Callable[..., T], *args: object) -> Awaitable[T]:
        """Return what `work(*args)` returns."""
        ...


class VectorKeeper:
    """The vectors of all documents.

    Args:
        folder: the vault's `.index/`.
        lexical: knows which documents there are and which have no vector yet.
        run: runs work on `lexical`.
        settings: the settings as they are now.
        clock: measures pauses.
        noted: called after each step with the number of documents that wait and of all.
    """

    def __init__(
        self,
        folder: Path,
        lexical: LexicalIndex,
        run: Run,
        settings: Callable[[], RecallSettings],
        clock: Clock,
        noted: Callable[[int, int], Awaitable[None]],
    ) -> None:
        self._folder, self._lexical, self._run = folder, lexical, run
        self._settings, self._clock, self._noted = settings, clock, noted
        self._child: VectorProcess | None = None
        self._gone: list[str] = []
        self._wanted = asyncio.Event()
        self._failures = 0
        self._stopping = False
        self.settled = asyncio.Event()
        """Set when there is nothing to wait for: all is embedded, or it will not be."""
        self.trouble = ""
        """Why there are no vectors, in plain words; empty when they are there or on their way."""

    @property
    def wanted(self) -> bool:
        """Whether the settings ask for vectors."""
        return self._settings().embedder != "none"

    @property
    def ready(self) -> bool:
        """Whether a question can be asked now."""
        return self._child is not None and self._child.ready and self._child.embedder == self._settings().embedder

    def wake(self, gone: Collection[str] = ()) -> None:
        """Look again at what there is to do.

        Args:
            gone: ids of vectors that are no longer wanted.
        """
        self._gone.extend(gone)
        self.settled.clear()
        self._wanted.set()

    def stop(self) -> None:
        """Have `run` return as soon as it rests; for good."""
        self._stopping = True
        self._wanted.set()

    def kill(self) -> None:
        """End the child at once, whatever it does."""
        if self._child is not None:
            self._child.kill()

    async def run(self) -> None:
        """Keep the vectors up to date until stopped or cancelled."""
        try:
            while not self._stopping:
                try:
                    await self._serve()
                except EmbedderMissing as error:
                    await self._give_up(error)
                except (StoreFailed, Unavailable) as error:
                    await self._replace(error)
        finally:
            await self._close()

    async def _serve(self) -> None:
        """Work off what there is whenever there is something, until stopped or something fails."""
        while not self._stopping:
            self._wanted.clear()
            if self._child is not None and self._child.embedder != self._settings().embedder:
                await self._close()
            if self.wanted:
                await self._work_off()
            else:
                await self._report()
            if not self._wanted.is_set():
                self.settled.set()
            await self._wanted.wait()

    async def _work_off(self) -> None:
        if self._child is None:
            self._child = VectorProcess(self._folder, self._settings().embedder)
            ids = await self._child.open()
            self._gone = await self._run(self._lexical.reconcile, ids)
            self.trouble = ""
        else:
            await self._child.check()
        await self._remove_gone()
        while not self._stopping and (records := await self._run(self._lexical.waiting, BATCH)):
            await self._child.put(records)
            await self._run(self._lexical.embedded, [record.id for record in records])
            self._failures = 0
            await self._report()
            await self._remove_gone()
        await self._report()

    async def _remove_gone(self) -> None:
        gone, self._gone = self._gone, []
        if gone and self._child is not None:
            await self._child.remove(gone)

    async def _report(self) -> None:
        await self._noted(*await self._run(self._lexical.all_waiting))

    async def _replace(self, error: LociError) -> None:
        """End the child that failed; the next one begins with an empty index and fills it from the cache."""
        await self._close()
        self._gone = []
        self._failures += 1
        level = logging.INFO if self._failures == 1 else logging.WARNING
        log.log(level, "The vectors are made anew: %s.", error)
        if self._failures >= HOPELESS:
            self.trouble = str(error)
            self.settled.set()
        if not self._stopping:
            await self._clock.sleep(PAUSES[min(self._failures, len(PAUSES)) - 1])

    async def _give_up(self, error: EmbedderMissing) -> None:
        """Go on with words alone until something changes."""
        await self._close()
        if self.trouble != str(error):
            log.warning("Recall goes by words alone: %s.", error)
        self.trouble = str(error)
        given_up = self._settings().embedder
        while self._settings().embedder == given_up and not self._stopping:
            self.settled.set()
            self._wanted.clear()
            await self._wanted.wait()

    async def _close(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.close()

    async def nearest(self, text: str, agent: str, kinds: Collection[str]) -> dict[str, float] | None:
        """Return the nearest documents' vector ids with their cosines; None when the vectors cannot say in time.

        Args:
            text: the question.
            agent: whose documents.
            kinds: which kinds of documents.
        """
        types = [TYPES[kind] for kind in kinds]
        child = self._child
        if child is None or not self.ready or not types:
            return None
        try:
            async with asyncio.timeout(self._settings().patience):
                return await child.nearest(text, agent, types, NEAREST)
        except TimeoutError:
            return None
        except StoreFailed:
            # Whoever keeps the child finds out with the next piece of work.
            child.ready = False
            self.wake()
            return None
