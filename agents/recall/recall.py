"""Recall: ask anything an agent ever lived through, and it is found.

    remember, catch_up, sync_documents -> words (one thread) -> vectors (one child process, in the background)
    search -> words at once + vectors if they are there -> ranking -> hits

The index is disposable: it is filled from what its sources hand over, as often as it is lost. It refuses to read or
write anything of the vault but `.index/`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from agents.memory.entries import Entry, Hit
from agents.recall.documents import NOTE, SUMMARY
from agents.recall.feed import Documents, Feed, Read
from agents.recall.lexical import LexicalIndex, read_progress
from agents.recall.ranking import Found, rank, telling_words
from agents.recall.settings import RecallSettings
from agents.recall.tables import Progress
from agents.recall.vectors import VectorKeeper
from mud.clock import Clock
from mud.errors import Refusal
from mud.supervise import supervise

log = logging.getLogger(__name__)

T = TypeVar("T")

FOLDER = ".index"
LEXICAL = "lexical.sqlite3"
ONLY = {"memories": (), "summaries": (SUMMARY,), "notes": (NOTE,)}
"""What a search can be narrowed to, with the kinds of documents that this means."""

ENDING = 6.0
"""Seconds that the background work gets to end: a little more than closing a child takes."""
LAST_WORDS = 2.0
"""Seconds that what still waits gets to be indexed, and again for the file to be closed; what is not done in time
comes back from the archive at the next start."""
TRIES = 3
"""Times that one search fills an index which is being deleted all the while."""
LIKELY = 50
"""Documents looked at for a prompt, before what it shows already is left out."""


def index_status(vault: Path, agent_id: str) -> dict[str, int]:
    """Return how far the index on disk is for an agent, without starting anything; see `RecallService.status`."""
    return _status(read_progress(vault / FOLDER / LEXICAL, agent_id))


def _status(progress: Progress) -> dict[str, int]:
    return {"lexical_through": progress.lexical_through, "vector_through": progress.vector_through}


class RecallService:
    """Recall for all agents of one vault. Its methods belong to the event loop; its work is done off it.

    Args:
        vault: the vault's folder.
        settings: the settings as they are now.
        clock: tells how long ago a memory is.
        private: this process does not hold the vault: answer from a copy in memory, without vectors, writing nothing.
    """

    def __init__(
        self, vault: Path, settings: Callable[[], RecallSettings], clock: Clock, *, private: bool = False
    ) -> None:
        self._folder = vault / FOLDER
        self._settings, self._clock, self._private = settings, clock, private
        self._lexical = LexicalIndex(self._folder / LEXICAL, private=private)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recall")
        self._vectors = VectorKeeper(self._folder, self._lexical, self._run, settings, clock, self._noted)
        self._feed = Feed(self._lexical, self._run, self._vectors.wake)
        self._watchers: list[Callable[[int, int], None]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._use_vectors = self._stopped = False

    async def _run(self, work: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    # -- beginning and end ------------------------------------------------------------------------------------------

    async def start(self, *, vectors: bool = True) -> None:
        """Begin to index in the background; returns at once.

        Args:
            vectors: start the child process too; without it recall goes by words alone.
        """
        self._use_vectors = vectors and not self._private
        self._tasks = [asyncio.create_task(supervise("recall", self._feed.keep_flushing, self._clock))]
        if self._use_vectors:
            self._tasks.append(asyncio.create_task(supervise("recall's vectors", self._vectors.run, self._clock)))

    async def stop(self) -> None:
        """Index what still waits, end the child process, close the files; for good. Stopping again does nothing.

        It takes `ENDING` + 2 x `LAST_WORDS` at most, whatever hangs: the world must be able to end.
        """
        if self._stopped:
            return
        self._stopped = True
        self._feed.stop()
        self._vectors.stop()
        await self._end_tasks()
        try:
            async with asyncio.timeout(LAST_WORDS):
                await self._feed.flush()
        except TimeoutError:
            log.warning("Recall's index is busy; what it misses is indexed at the next start.")
        finally:
            closed = self._thread.submit(self._lexical.close)
            self._thread.shutdown(wait=False)
            await asyncio.wait([asyncio.wrap_future(closed)], timeout=LAST_WORDS)

    async def _end_tasks(self) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=ENDING)
        if late:
            log.warning("Recall did not end in %.0f s; its child process is killed.", ENDING)
            self._vectors.kill()

    # -- what there is ----------------------------------------------------------------------------------------------

    def remember(self, agent_id: str, entries: Sequence[Entry]) -> None:
        """See `Feed.remember`."""
        self._feed.remember(agent_id, entries)

    async def catch_up(self, agent_id: str, through: int, read: Read, documents: Documents | None = None) -> None:
        """See `Feed.catch_up`."""
        await self._feed.catch_up(agent_id, through, read, documents)

    def sync_documents(self, agent_id: str, documents: Documents) -> None:
        """See `Feed.sync_documents`."""
        self._feed.sync_documents(agent_id, documents)

    def status(self, agent_id: str) -> dict[str, int]:
        """Return `lexical_through`, the last memory up to which every word is found, and `vector_through`, the last
        up to which every summary has its vector, as of the last piece of work done."""
        if agent_id not in self._feed.lives:
            return index_status(self._folder.parent, agent_id)
        return _status(self._feed.life(agent_id).progress)

    def look_again(self) -> None:
        """Take up changed settings: another embedder begins to work at once."""
        self._vectors.wake()

    @property
    def trouble(self) -> str:
        """Why there are no vectors, in plain words; empty when all is well."""
        return self._vectors.trouble if self._use_vectors else ""

    async def complete(self, progress: Callable[[int, int], None] | None = None) -> bool:
        """Wait until everything is indexed, vectors too.

        Args:
            progress: called after each step with the documents that have their vectors, and how many there are.

        Returns:
            Whether the vectors are complete; False when they will not be, see `trouble`.
        """
        await self._feed.fill_all()
        if not self._use_vectors:
            return not self._vectors.wanted
        watcher = progress or (lambda done, total: None)
        self._watchers.append(watcher)
        try:
            self._vectors.wake()
            await self._vectors.settled.wait()
        finally:
            self._watchers.remove(watcher)
        return not self._vectors.trouble

    # -- search -----------------------------------------------------------------------------------------------------

    async def search(
        self, agent_id: str, query: str, k: int = 10, only: str | None = None, lexical_only: bool = False
    ) -> tuple[list[Hit], bool]:
        """Find what fits a question best among all that the agent ever lived through.

        Args:
            agent_id: who is asked.
            query: the question, in natural words.
            k: how many hits at most.
            only: `memories`, `summaries` or `notes`; None for all.
            lexical_only: do not ask the vectors.

        Returns:
            The hits, best first, and whether the vectors are behind: what they know is missing from the answer.

        Raises:
            Refusal: `only` is none of these.
        """
        if only is not None and only not in ONLY:
            raise Refusal(f"There is nothing called {only!r} to look in.", f"There is: {', '.join(ONLY)}.")
        kinds = ONLY[only] if only is not None else (SUMMARY, NOTE)
        return await self._search(agent_id, query, k, only in (None, "memories"), kinds, lexical_only)

    async def related(
        self,
        agent_id: str,
        query: str,
        kinds: Collection[str],
        k: int | None = None,
        shown: Callable[[Hit], bool] = lambda hit: False,
    ) -> list[Hit]:
        """Find the summaries or notes that fit a situation, for a prompt.

        Args:
            agent_id: whose.
            query: the situation, in words.
            kinds: `summary`, `note` or both.
            k: how many at most; None for as many of each kind as the settings say.
            shown: tells what the prompt shows already; that is left out.
        """
        found, _ = await self._search(agent_id, query, LIKELY, False, kinds, False)
        hits = [hit for hit in found if not shown(hit)]
        if k is not None:
            return hits[:k]
        settings = self._settings()
        most = {SUMMARY: settings.related_summaries, NOTE: settings.related_notes}
        best = {kind: [hit for hit in hits if hit.kind == kind][: most[kind]] for kind in kinds}
        return [hit for hit in hits if hit in best[hit.kind]]

    async def _search(
        self, agent_id: str, query: str, k: int, memories: bool, kinds: Collection[str], lexical_only: bool
    ) -> tuple[list[Hit], bool]:
        asked = bool(kinds) and not lexical_only and self._vectors.wanted and (self._use_vectors or self._private)
        cosines = None
        if asked and self._use_vectors and query.strip():
            cosines = await self._vectors.nearest(query, agent_id, kinds)
        found, progress = await self._find(agent_id, telling_words(query), memories, kinds, cosines or {})
        behind = asked and (progress.waiting > 0 or (cosines is None and progress.documents > 0))
        return rank(found, k, self._clock.now(), self._settings()), behind

    async def _find(
        self, agent_id: str, words: list[str], memories: bool, kinds: Collection[str], cosines: dict[str, float]
    ) -> tuple[Found, Progress]:
        """Find in a whole index: one that was lost after it was filled is filled again."""
        for _ in range(TRIES):
            await self._feed.fill(agent_id)
            found = await self._run(self._lexical.find, agent_id, words, memories, kinds, cosines)
            if self._feed.life(agent_id).generation == self._lexical.generation:
                break
        return found, self._feed.life(agent_id).progress

    async def _noted(self, waiting: int, total: int) -> None:
        await self._feed.look_again()
        for watcher in list(self._watchers):
            watcher(total - waiting, total)
