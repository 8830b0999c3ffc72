"""Keep the vectors of all memories, summaries and notes up to date in the background, and answer from them.

It asks the lexical index what waits for a vector; it never makes anybody wait. A child that breaks is replaced; what
its index lost comes back from the embedding cache. While a server that embeds is away, the vectors wait for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from agents.llm.budget import BudgetExhausted
from agents.llm.profiles import LLMProfile
from agents.recall import worker
from agents.recall.child import VectorProcess
from agents.recall.documents import (
    NOTE,
    SUMMARY,
    EmbedderAway,
    EmbedderMissing,
    FolderGone,
    Query,
    StoreFailed,
    agent_of,
)
from agents.recall.embedding_budget import EmbeddingBudget
from agents.recall.embedding_queue import MOST, EmbeddingQueue, Run
from agents.recall.lexical import LexicalIndex
from agents.recall.ranking import NEAREST
from agents.recall.settings import EVERYTHING, RecallSettings
from mud.clock import Clock
from mud.errors import LociError, Unavailable
from mud.supervise import timeout

log = logging.getLogger(__name__)

T = TypeVar("T")

AWAY = (1.0, 5.0, 20.0, 60.0)
"""Seconds until a server that is away is asked again, by how often it was in a row."""
PAUSES = (0.0, 0.0, 0.0, 1.0, 5.0, 20.0, 60.0)
"""Seconds before a broken child is replaced, by how often it broke in a row."""
HOPELESS = 4
"""Failures in a row after which those who wait for completeness are told that it will not come."""
VERIFY_EVERY = 3600.0
"""Seconds between two looks at whether the index holds what it should."""
TYPES = {SUMMARY: "memory_summary", NOTE: "note"}


@dataclass(frozen=True, slots=True)
class NearestVectors:
    """What the vectors found nearest to a question.

    Args:
        memories: cosines by the place of each passage in the first memory that has the text.
        documents: cosines of summaries and notes by the ids of their vectors.
    """

    memories: dict[int, float] = field(default_factory=dict)
    documents: dict[str, float] = field(default_factory=dict)


class VectorService:
    """The vectors of all lives.

    Args:
        folder: the vault's `.index/`.
        lexical: knows which documents there are and which have no vector yet.
        run: runs work on `lexical`.
        settings: the settings as they are now.
        clock: measures pauses.
        noted: called now and then with the number of texts that wait for their vectors and of all.
        by: returns the LLM profile that names the embedder's server; None when there is none.
        till: pays for what that server does; None when nobody counts.
    """

    def __init__(
        self,
        folder: Path,
        lexical: LexicalIndex,
        run: Run,
        settings: Callable[[], RecallSettings],
        clock: Clock,
        noted: Callable[[int, int], Awaitable[None]],
        by: Callable[[], LLMProfile | None] = lambda: None,
        till: EmbeddingBudget | None = None,
    ) -> None:
        self._folder, self._lexical, self._run = folder, lexical, run
        self._settings, self._clock, self._noted, self._by = settings, clock, noted, by
        self._till = till or EmbeddingBudget(None, str, clock)
        self._pieces = EmbeddingQueue(lexical, run, settings, clock, self._till)
        self._child: VectorProcess | None = None
        self._gone: list[str] = []
        self._forgotten: list[str] = []
        self._wanted = asyncio.Event()
        self._verified = -VERIFY_EVERY
        self._failures = 0
        self._away = 0
        self._late: asyncio.Task[None] | None = None
        self._stopping = False
        self.settled = asyncio.Event()
        """Set when there is nothing to wait for: all is embedded, or it will not be."""
        self._wrong = ""

    @property
    def trouble(self) -> str:
        """Why there are no vectors, in plain words; empty when they are there or on their way."""
        return self._wrong or self._pieces.trouble or self._till.trouble

    @property
    def wanted(self) -> bool:
        """Whether the settings ask for vectors."""
        return self._settings().embedder != "none"

    @property
    def ready(self) -> bool:
        """Whether a question can be asked now."""
        hears = not self._away and (self._late is None or self._late.done())
        return self._child is not None and self._child.ready and hears and self._serves(self._child)

    def _serves(self, child: VectorProcess) -> bool:
        return child.serves(self._settings(), self._by())

    def wake(self, gone: Collection[str] = ()) -> None:
        """Look again at what there is to do.

        Args:
            gone: ids of vectors that are no longer wanted.
        """
        self._gone.extend(gone)
        self.settled.clear()
        self._wanted.set()

    def forget(self, agent_id: str) -> None:
        """Have everything of an agent put in again: it has another life now."""
        self._forgotten.append(agent_id)
        self.wake()

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
                except EmbedderAway as error:
                    await self._wait_for_server(error)
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
            self._till.review()
            if self._child is not None and not self._serves(self._child):
                await self._close()
            if self.wanted:
                await self._work_off()
            else:
                await self._report()
            if not self._wanted.is_set():
                self.settled.set()
            await self._called()

    async def _called(self) -> None:
        """Wait until there may be something to do."""
        pause = self._till.pause()
        try:
            await (self._wanted.wait() if pause is None else timeout(pause, self._wanted.wait(), self._clock))
        except TimeoutError:
            pass  # whoever went without is tried again

    async def _work_off(self) -> None:
        if self._child is None:
            await self._open()
        else:
            await self._child.check()
        if self._away:
            await self._opened.greet()
            log.info("The server that embeds answers again.")
            self._away, self._wrong = 0, ""
        while not self._stopping:
            await self._remove_gone()
            since_report = 0
            while not self._stopping and (done := await self._pieces.step(self._opened)):
                self._failures = 0
                since_report += done
                if since_report >= MOST:
                    since_report = 0
                    await self._report()
                await self._remove_gone()
            await self._report()
            if await self._verify():
                break

    async def _open(self) -> None:
        self._pieces.begin()
        self._child = VectorProcess(self._folder, self._settings(), self._by())
        kept = await self._child.open()
        if kept.fresh:
            await self._run(self._lexical.forget_vectors)
            await self._report()
        self._gone = await self._run(self._lexical.reconcile, kept.documents)
        self._wrong = ""
        self._verified = -VERIFY_EVERY

    async def _make_anew(self, agent_id: str, wanted: int) -> None:
        """Have the vectors of one life put in again: they come from the embedding cache."""
        if wanted:
            log.info("Some of the %d vectors of %s are missing; they are made anew.", wanted, agent_id)
        await self._opened.forget(agent_id)
        await self._run(self._lexical.forget_vectors, agent_id)
        await self._report()

    @property
    def _opened(self) -> VectorProcess:
        if self._child is None:
            raise StoreFailed("the child process is gone")
        return self._child

    async def _verify(self) -> bool:
        """Compare what the index holds with what it should hold; tell whether nothing has to be made anew."""
        if self._clock.monotonic() - self._verified < VERIFY_EVERY or self._settings().embed != EVERYTHING:
            return True
        self._verified = self._clock.monotonic()
        whole = True
        for agent_id in await self._run(self._lexical.agents):
            if self._stopping:
                break
            wanted = await self._run(self._lexical.vectors_wanted, agent_id)
            samples = await self._run(self._lexical.samples, agent_id)
            if not await self._opened.holds(agent_id, wanted, samples):
                await self._make_anew(agent_id, wanted)
                whole = False
        return whole

    async def _remove_gone(self) -> None:
        forgotten, self._forgotten = self._forgotten, []
        for agent_id in forgotten:
            await self._make_anew(agent_id, 0)
        gone, self._gone = self._gone, []
        of: dict[str, list[str]] = {}
        for one in gone:
            of.setdefault(agent_of(one), []).append(one)
        for agent_id, ids in of.items():
            await self._opened.remove(agent_id, ids)

    async def _report(self) -> None:
        everything = self._settings().embed == EVERYTHING
        await self._noted(*await self._run(self._lexical.all_waiting, everything))

    async def _replace(self, error: LociError) -> None:
        """End the child that failed; the next one begins with an empty index and fills it from the cache."""
        await self._close()
        self._gone = []
        self._failures += not isinstance(error, FolderGone)
        level = logging.INFO if self._failures <= 1 else logging.WARNING
        log.log(level, "The vectors begin again: %s.", error)
        if self._failures:
            self._wrong = str(error)  # until it opens again
        if self._failures >= HOPELESS:
            self.settled.set()
        if not self._stopping:
            await self._clock.sleep(PAUSES[min(self._failures, len(PAUSES) - 1)])

    async def _give_up(self, error: EmbedderMissing) -> None:
        """Go on with words alone until something changes."""
        await self._close()
        if self._wrong != str(error):
            log.warning("Recall goes by words alone: %s.", error)
        self._wrong = str(error)
        given_up = self._settings().embedder, self._by()
        while (self._settings().embedder, self._by()) == given_up and not self._stopping:
            self.settled.set()
            self._wanted.clear()
            await self._wanted.wait()

    async def _wait_for_server(self, error: EmbedderAway) -> None:
        """Go on with words alone for a while; the child, if it is open, and all vectors are kept."""
        if self._child is not None and not self._child.ready:
            await self._close()
        if self._wrong != str(error):
            log.warning("Recall goes by words alone until its server answers: %s.", error)
        self._wrong = str(error)
        self._away += 1
        until = self._clock.monotonic() + AWAY[min(self._away, len(AWAY)) - 1]
        asked = self._settings().embedder, self._by()
        while not self._stopping and (left := until - self._clock.monotonic()) > 0:
            if (self._settings().embedder, self._by()) != asked:
                break
            self.settled.set()
            await self._clock.sleep(min(1.0, left))

    async def _close(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.close()

    def query(self, text: str, agent: str, memories: bool, kinds: Collection[str]) -> Query:
        """Return a question in the form that the child takes.

        Args:
            text: the question.
            agent: whose life.
            memories: whether memories are wanted.
            kinds: which kinds of documents are wanted.
        """
        memories = memories and self._settings().embed == EVERYTHING
        return Query(text, agent, memories, tuple(TYPES[kind] for kind in kinds), NEAREST)

    async def alike(self, query: Query, words: Sequence[str]) -> dict[str, dict[str, float]]:
        """Return for each word of a question the words of all lives that are like it, with their cosines.

        Nothing when the vectors cannot say in time.

        Args:
            query: the question; `nearest` should be asked for it right after.
            words: its telling words.
        """
        child = self._child
        if child is None or not self.ready:
            return {}
        asked = self._till.ask(child, query, words, worker.understand, query, words)
        return await self._in_time(child, asked) or {}

    async def nearest(self, query: Query) -> NearestVectors | None:
        """Return what is nearest to a question; None when the vectors cannot say in time."""
        child = self._child
        if child is None or not self.ready:
            return None
        found = await self._in_time(child, self._till.ask(child, query, (), worker.nearest, query))
        return None if found is None else NearestVectors(*found)

    async def _in_time(self, child: VectorProcess, work: Awaitable[T]) -> T | None:
        try:
            async with asyncio.timeout(self._settings().patience):
                return await work
        except TimeoutError:
            if child.served and self.ready:
                self._late = asyncio.create_task(self._until_it_answers(child))
            return None
        except BudgetExhausted:
            return None
        except EmbedderAway as error:
            self._away, self._wrong = max(1, self._away), str(error)
            self.wake()
            return None
        except StoreFailed:
            # Whoever keeps the child finds out with the next piece of work.
            child.ready = False
            self.wake()
            return None

    async def _until_it_answers(self, child: VectorProcess) -> None:
        """Return when the child has done what keeps it so long; until then nobody asks it anything."""
        try:
            await child.check()
        except StoreFailed:
            self.wake()
