"""The recall service: search in an agent's memories, summaries and notes by words and vectors.

    remember, catch_up, sync_documents -> words (one thread) -> vectors (one child process, in the background)
    search -> words at once + vectors if available -> ranking -> hits

The index in `.index/` is disposable: whenever it is lost, it is filled again from its sources.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Any, TypeVar

from agents.llm.profiles import LLMProfile
from agents.memory.entries import Entry, Hit
from agents.recall.documents import NOTE, SUMMARY
from agents.recall.indexer import Documents, Indexer, Read
from agents.recall.lexical import LexicalIndex, read_progress
from agents.recall.question import Question, read_question
from agents.recall.ranking import Candidates, Groups, rank
from agents.recall.settings import EVERYTHING, RecallSettings
from agents.recall.vectors import EmbeddingBudget, NearestVectors, VectorService
from mud.clock import Clock
from mud.errors import Refusal
from mud.storage.paths import own_folder
from mud.supervise import supervise

log = logging.getLogger(__name__)

T = TypeVar("T")

FOLDER = ".index"
LEXICAL = "lexical.sqlite3"
REUSABLE = ("embeddings.", "minilm-")
ONLY = {"memories": (), "summaries": (SUMMARY,), "notes": (NOTE,)}
"""The `only` values of a search and the document kinds they mean."""
ENDING = 6.0
"""Seconds for the background tasks to end; a little more than closing a child takes."""
FLUSHING = 2.0
"""Seconds to index what still waits, and again to close the file. The rest is indexed at the next start."""
RECENT = 16
"""Newest memories whose vectors may be missing without notice, as they are found by words."""
TRIES = 3
"""Attempts of one search to fill an index that keeps being deleted."""
RELATED = 200
"""Documents ranked for a prompt: all found by words and vectors, so that many good notes do not displace summaries."""
PER_SHOWN_SUMMARY = 4


def discard_index(vault: Path, *, embeddings: bool = False) -> None:
    """Delete a vault's index, before recall is started; `embeddings` also deletes the cache, slow to rebuild.

    Requires the vault's lock. Raises `UnsafePath` if the folder is a link.
    """
    with suppress(FileNotFoundError), own_folder(vault / FOLDER):
        for path in (vault / FOLDER).glob("*"):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif embeddings or not path.name.startswith(REUSABLE):
                path.unlink(missing_ok=True)


class RecallService:
    """Recall for all agents of a vault. Call it on the event loop; the work is done in a thread and a child process.

    Args:
        vault: the vault's folder.
        settings: returns the current settings.
        clock: for recency.
        private: without the vault's lock: use a copy in memory, no vectors, and write nothing.
        at_once: work synchronously instead of in a thread.
        by: returns the LLM profile of the embedder's server, or None.
        budget: pays for that server; None for no limit.
    """

    def __init__(
        self,
        vault: Path,
        settings: Callable[[], RecallSettings],
        clock: Clock,
        *,
        private: bool = False,
        at_once: bool = False,
        by: Callable[[], LLMProfile | None] = lambda: None,
        budget: EmbeddingBudget | None = None,
    ) -> None:
        self._folder = vault / FOLDER
        self._settings, self._clock, self._private, self._at_once = settings, clock, private, at_once
        self._lexical = LexicalIndex(self._folder / LEXICAL, private=private)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recall")
        self._vectors = VectorService(self._folder, self._lexical, self._run, settings, clock, self._noted, by, budget)
        self._indexer = Indexer(self._lexical, self._run, self._vectors.wake, self._vectors.forget)
        self._watchers: list[Callable[[int, int], None]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._use_vectors = self._stopped = False

    async def _run(self, work: Callable[..., T], *args: object) -> T:
        if self._at_once:
            return work(*args)
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    # -- beginning and end ------------------------------------------------------------------------------------------

    async def start(self, *, vectors: bool = True) -> None:
        """Start indexing in the background. Without `vectors`, search uses words only."""
        self._use_vectors = vectors and not self._private
        self._tasks = [asyncio.create_task(supervise("recall", self._indexer.keep_flushing, self._clock))]
        if self._use_vectors:
            self._tasks.append(asyncio.create_task(supervise("recall's vectors", self._vectors.run, self._clock)))

    async def stop(self) -> None:
        """Index what still waits, end the child and close the files. Takes `ENDING` + 2 x `FLUSHING` at most."""
        if self._stopped:
            return
        self._stopped = True
        self._indexer.stop()
        self._vectors.stop()
        await self._end_tasks()
        try:
            async with asyncio.timeout(FLUSHING):
                await self._indexer.flush()
        except TimeoutError:
            pass  # `_close` then logs that the index is busy
        finally:
            await self._close()

    async def _close(self) -> None:
        if self._at_once:
            self._lexical.close()
            return
        closed = self._thread.submit(self._lexical.close)
        self._thread.shutdown(wait=False)
        _, late = await asyncio.wait([asyncio.wrap_future(closed)], timeout=FLUSHING)
        if late:
            log.warning("Recall's index is busy; what it misses is indexed at the next start.")

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
        self._indexer.remember(agent_id, entries)

    def in_bulk(self, agent_id: str) -> AbstractAsyncContextManager[Callable[[], Awaitable[None]]]:
        return self._indexer.in_bulk(agent_id)

    async def catch_up(self, agent_id: str, through: int, read: Read, documents: Documents | None = None) -> None:
        await self._indexer.catch_up(agent_id, through, read, documents)

    def sync_documents(self, agent_id: str, documents: Documents) -> None:
        self._indexer.sync_documents(agent_id, documents)

    async def reweigh(self, agent_id: str, values: Mapping[int, int]) -> None:
        await self._indexer.reweigh(agent_id, values)

    async def forget(self, agent_id: str) -> None:
        await self._indexer.forget(agent_id)

    def status(self, agent_id: str) -> dict[str, int]:
        """Return the seqs `lexical_through` and `vector_through`, up to which words and vectors are complete."""
        known = self._indexer.lives.get(agent_id)
        progress = known.progress if known else read_progress(self._folder / LEXICAL, agent_id)
        vectors = progress.vector_through if self._settings().embed == EVERYTHING else progress.summaries_through
        return {"lexical_through": progress.lexical_through, "vector_through": vectors}

    def look_again(self) -> None:
        self._vectors.wake()

    @property
    def trouble(self) -> str:
        """Why there are no vectors, in plain words; else empty."""
        return self._vectors.trouble if self._use_vectors else ""

    async def complete(self, progress: Callable[[int, int], None] | None = None) -> bool:
        """Wait until everything is indexed; return whether the vectors are complete (else see `trouble`).

        `progress` is called with the number of documents that have their vectors, and of all.
        """
        await self._indexer.fill_all()
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
        self,
        agent_id: str,
        query: str,
        k: int = 10,
        only: str | None = None,
        by: str = "both",
        before: int | None = None,
        without: Collection[str] = (),
    ) -> tuple[list[Hit], bool]:
        """Search; return the best k hits, best first, and whether the vectors are incomplete.

        Args:
            only: `memories`, `summaries` or `notes`; None for all. Others raise `Refusal`.
            by: `both`, `words` or `vectors`.
            before: memories from this seq on may be missing.
            without: kinds of memories that are no hits, but still boost their neighbours.
        """
        if only is not None and only not in ONLY:
            raise Refusal(f"There is nothing called {only!r} to look in.", f"There is: {', '.join(ONLY)}.")
        kinds = ONLY[only] if only is not None else (SUMMARY, NOTE)
        return await self._search(agent_id, query, k, only in (None, "memories"), kinds, by, before, without)

    async def related(
        self,
        agent_id: str,
        query: str,
        kinds: Collection[str],
        shown: Callable[[Hit], bool] = lambda hit: False,
    ) -> list[Hit]:
        """Return the documents of these kinds that fit a situation and are not `shown` by the prompt, best first.

        More summaries than shown (`PER_SHOWN_SUMMARY`), as the prompt drops those that add nothing.
        """
        found, _ = await self._search(agent_id, query, RELATED, False, kinds, "both")
        settings = self._settings()
        least = {SUMMARY: settings.summary_least, NOTE: settings.related_least}
        most = {SUMMARY: PER_SHOWN_SUMMARY * settings.related_summaries, NOTE: settings.related_notes}
        fitting = [hit for hit in found if _fits(hit, least[hit.kind]) and not shown(hit)]
        best = {kind: [hit for hit in fitting if hit.kind == kind][: most[kind]] for kind in kinds}
        return [hit for hit in fitting if hit in best[hit.kind]]

    async def _search(
        self,
        agent_id: str,
        query: str,
        k: int,
        memories: bool,
        kinds: Collection[str],
        by: str,
        before: int | None = None,
        without: Collection[str] = (),
    ) -> tuple[list[Hit], bool]:
        settings, now = self._settings(), self._clock.now()
        question = read_question(query, now)
        asked = by != "words" and self._vectors.wanted and (self._use_vectors or self._private)
        groups: Groups = {word: {word: 1.0} for word in question.words}
        tasks: list[asyncio.Task[Any]] = []
        nearest: asyncio.Task[NearestVectors | None] | None = None
        try:
            if asked and self._use_vectors and query.strip():
                written = kinds if self._indexer.life(agent_id).progress.documents else ()
                wanted = self._vectors.query(query, agent_id, memories, written)
                # In this order: the child embeds the query once, and searches while the words are looked up.
                similar = asyncio.create_task(self._vectors.similar_words(wanted, question.words))
                nearest = asyncio.create_task(self._vectors.nearest(wanted))
                tasks = [similar, nearest]
                groups = _with_similar(groups, await similar, settings.alike)
            if by == "vectors":
                groups = {}
            found, near = await self._find(agent_id, question, groups, memories, kinds, nearest, before, bool(without))
        finally:
            for task in tasks:
                task.cancel()
        hits = rank(found, question, k, now, settings, without)
        return hits, asked and self._behind(agent_id, near, memories and settings.embed == EVERYTHING, bool(kinds))

    def _behind(self, agent_id: str, near: NearestVectors | None, memories: bool, documents: bool) -> bool:
        progress = self._indexer.life(agent_id).progress
        there = memories * progress.lexical_through + documents * progress.documents
        if near is None:
            return there > 0
        late = memories and progress.lexical_through - progress.vector_through > RECENT
        return late or (documents and progress.waiting_documents > 0)

    async def _find(
        self,
        agent_id: str,
        question: Question,
        groups: Groups,
        memories: bool,
        kinds: Collection[str],
        nearest: asyncio.Task[NearestVectors | None] | None,
        before: int | None,
        widely: bool,
    ) -> tuple[Candidates, NearestVectors | None]:
        """Search; if the index was lost since it was filled, fill it and search again."""
        weight = self._settings().vector_weight
        for _ in range(TRIES):
            await self._indexer.fill(agent_id, before)
            matches = await self._run(self._lexical.match, agent_id, groups, memories, kinds, question, widely)
            near = await nearest if nearest is not None else None
            known = near or NearestVectors()
            found = await self._run(
                self._lexical.gather, agent_id, matches, known.memories, known.documents, kinds, weight
            )
            if self._indexer.life(agent_id).generation == self._lexical.generation:
                break
        return found, near

    async def _noted(self, waiting: int, total: int) -> None:
        await self._indexer.look_again(waiting)
        for watcher in list(self._watchers):
            watcher(total - waiting, total)


def _fits(hit: Hit, least: float) -> bool:
    """Return whether a hit is good enough to be shown unasked; scores by words alone are about half as high."""
    fits = hit.score - hit.called  # a name alone is not enough for a prompt
    return fits >= (least if hit.vector is not None else least / 2)


def _with_similar(groups: Groups, similar: Mapping[str, Mapping[str, float]], weight: float) -> Groups:
    if weight == 0:
        return groups
    return {
        word: {**{other: weight * cosine for other, cosine in similar.get(word, {}).items()}, **group}
        for word, group in groups.items()
    }
