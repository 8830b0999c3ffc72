"""The recall service: search in an agent's memories, summaries and notes by words and vectors.

    remember, catch_up, sync_documents -> words (one thread) -> vectors (one child process, in the background)
    search -> words at once + vectors if available -> ranking -> hits

The index in `.index/` is disposable: whenever it is lost, it is filled again from its sources.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar, TypeVarTuple

from agents.llm.profiles import LLMProfile
from agents.memory.entries import Entry, Hit
from agents.recall import tables
from agents.recall.corrected import corrected_through
from agents.recall.documents import NOTE, SUMMARY, Listed, clean
from agents.recall.lexical import LexicalIndex, read_progress
from agents.recall.question import ParsedQuestion, read_question
from agents.recall.ranking import Candidates, Groups, rank
from agents.recall.searching import gather
from agents.recall.settings import EVERYTHING, RecallSettings
from agents.recall.tables import IndexProgress
from agents.recall.vectors import EmbeddingBudget, NearestVectors, VectorService
from mud.clock import Clock
from mud.errors import LociError, Refusal, Unavailable
from mud.storage.paths import own_folder
from mud.supervise import supervise
from mud.tracing import span

log = logging.getLogger(__name__)

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

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
CHUNK = 512
"""Memories read from the archive at once: a few milliseconds on the event loop."""
MAX_BULK_QUEUE = 4096
"""Queue limit within `in_bulk`."""
RESTS, LEAST_REST, LONGEST_REST = 3, 0.5, 1.0
"""After indexing in the background it rests for so many times as long, and for so many seconds at least and at most: a
line that seventy heard costs each of them 70 us when it is indexed alone, and 25 with nine more. A search waits for
none of that."""
MAX_QUEUE = 20_000
"""Queue limit in RAM; beyond it, memories are read again from the archive."""

Read = Callable[[int, int], Sequence[Entry]]
Documents = Callable[[], Sequence[Listed]]
Corrected = Callable[[int], tuple[int, Sequence[Entry]]]
"""Returns the number of the last correction, and the memories changed by those after a number."""


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


# -- filling the index -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class IndexedLife:
    """Indexing state of one agent.

    Args:
        read, documents: sources of its memories and documents; None until `catch_up`.
        latest: seq of its last memory.
        generation: the index generation that holds it; another one must be filled again.
        changed_documents: source of documents waiting to be indexed; None for none.
        corrected: source of corrected memories; None when the index has all corrections.
        in_bulk: documents wait until the bulk load is over.
        unreadable: the documents could not be read, and that was logged.
        correcting: held while corrections are indexed, or the index is compared with the archive.
        filling: held while the agent's memories are read again.
    """

    read: Read | None = None
    documents: Documents | None = None
    latest: int = 0
    generation: int = 0
    queue: list[Entry] = field(default_factory=list)
    changed_documents: Documents | None = None
    corrected: Corrected | None = None
    in_bulk: bool = False
    unreadable: bool = False
    progress: IndexProgress = field(default_factory=IndexProgress)
    correcting: asyncio.Lock = field(default_factory=asyncio.Lock)
    filling: asyncio.Lock = field(default_factory=asyncio.Lock)


class Indexer:
    """Fills the index for all agents.

    Args:
        indexed: called after indexing, with the ids of obsolete vectors.
        forgotten: called with the id of an agent whose indexed content is no longer valid.
    """

    def __init__(
        self,
        lexical: LexicalIndex,
        indexed: Callable[[list[str]], None],
        forgotten: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._lexical, self._indexed, self._forgotten, self._clock = lexical, indexed, forgotten, clock
        self._changed = asyncio.Event()
        self._stuck = self._stopping = False
        self._flushes = 0  # under way
        self._outdated: set[str] = set()
        """Agents whose vectors changed since their progress was read."""
        self.lives: defaultdict[str, IndexedLife] = defaultdict(IndexedLife)

    def remember(self, agent_id: str, entries: Sequence[Entry]) -> None:
        """Queue new memories, in order, that are already in the archive; the next search finds them."""
        if not entries:
            return
        life = self.lives[agent_id]
        life.latest = max(life.latest, entries[-1].seq)
        life.queue.extend(entries)
        if life.read is not None and len(life.queue) > MAX_QUEUE:
            life.queue.clear()
        self._changed.set()

    @asynccontextmanager
    async def in_bulk(self, agent_id: str) -> AsyncIterator[Callable[[], Awaitable[None]]]:
        """Context for a bulk load: documents are indexed at its end. Yields what to await after each `remember`."""
        life = self.lives[agent_id]
        life.in_bulk = True
        try:
            yield lambda: self._room(life)
        finally:
            life.in_bulk = False
            self._changed.set()

    async def _room(self, life: IndexedLife) -> None:
        if len(life.queue) > MAX_BULK_QUEUE:
            await self.flush()
        else:
            await asyncio.sleep(0)

    async def catch_up(
        self,
        agent_id: str,
        through: int,
        read: Read,
        documents: Documents | None = None,
        corrected: Corrected | None = None,
    ) -> None:
        """Index what is missing for an agent up to the seq `through`, and keep the sources for when the index is lost.

        `read` returns memories by first and last seq on the event loop; `documents` is called in the index's thread.
        """
        life = self.lives[agent_id]
        life.read, life.documents, life.latest = read, documents, max(life.latest, through)
        life.corrected = corrected
        async with life.correcting, life.filling:  # no search goes on before it is known whose life the index holds
            # No valid generation, so that the documents are indexed too.
            life.generation = -1
            await self._index_corrections(agent_id, life)  # first: the last memory may be a corrected one
            with self._unless_locked():
                indexed, text = await self._lexical.run(tables.last_memory, agent_id)
                archived = [clean(entry.text) for entry in read(indexed, indexed)] if 0 < indexed <= life.latest else []
                if indexed and archived != [text]:
                    log.info("The index holds another life of %s; it is read anew.", agent_id)
                    await self._lexical.in_thread(self._lexical.forget, agent_id)
                    self._forgotten(agent_id)
        await self.fill(agent_id)

    async def correct(self, agent_id: str, corrected: Corrected, documents: Documents) -> None:
        """Index corrected memories and all documents again; no later search finds the old texts."""
        life = self.lives[agent_id]
        life.corrected, life.changed_documents = corrected, documents
        await self._correct(agent_id, life)
        await self.flush(agent_id)

    def correct_later(self, agent_id: str, corrected: Corrected) -> None:
        """Have corrections that the index may lack indexed before the next search."""
        self.lives[agent_id].corrected = corrected

    async def _correct(self, agent_id: str, life: IndexedLife) -> None:
        async with life.correcting:
            await self._index_corrections(agent_id, life)

    async def _index_corrections(self, agent_id: str, life: IndexedLife) -> None:
        """Index the corrected memories, if there are any; what waits comes first, as it may have the old texts."""
        if life.corrected is None:
            return
        await self.flush(agent_id)
        corrected, life.corrected, done = life.corrected, None, False
        with self._unless_locked():
            known = await self._lexical.run(corrected_through, agent_id)
            indexed, _ = await self._lexical.run(tables.last_memory, agent_id)
            last, entries = corrected(known)
            if known > last:
                await self._lexical.in_thread(self._lexical.forget, agent_id)
                self._forgotten(agent_id)
            elif last > known:
                changed = entries if indexed else ()
                self._indexed(await self._lexical.in_thread(self._lexical.correct, agent_id, changed, last))
                life.changed_documents = life.changed_documents or life.documents
            done = True
        if not done:
            life.corrected = life.corrected or corrected

    def sync_documents(self, agent_id: str, documents: Documents) -> None:
        """Schedule a comparison of the documents with the index; `documents` is called in the index's thread."""
        self.lives[agent_id].changed_documents = documents
        self._changed.set()

    async def reweigh(self, agent_id: str, values: Mapping[int, int]) -> None:
        """Change the importance (1 to 10) of memories by seq. The archive must be changed before."""
        with self._unless_locked():
            if values:
                await self.flush(agent_id)
                await self._lexical.run(tables.set_importance, agent_id, values)

    def let_go(self, agent_id: str) -> bool:
        """Drop the sources of an agent, which stays in the index; return False while something of it waits."""
        life = self.lives.get(agent_id)
        if life is None:
            return True
        if life.queue or life.changed_documents or life.in_bulk or life.filling.locked() or self._flushes:
            self._changed.set()
            return False
        del self.lives[agent_id]
        return True

    async def forget(self, agent_id: str) -> None:
        """Remove an agent from the index. If that fails now, `catch_up` compares its archive with the index later."""
        life = self.lives.pop(agent_id, IndexedLife())
        life.read = life.documents = life.changed_documents = None
        life.queue.clear()
        with self._unless_locked():
            self._indexed(await self._lexical.in_thread(self._drop, agent_id))
            self._forgotten(agent_id)

    def _drop(self, agent_id: str) -> list[str]:
        self._lexical.forget(agent_id)
        return self._lexical.add({}, {agent_id: []})[0]

    def stop_flushing(self) -> None:
        self._stopping = True
        self._changed.set()

    async def keep_flushing(self) -> None:
        while not self._stopping:
            await self._changed.wait()
            self._changed.clear()
            began = self._clock.monotonic()
            await self.flush()
            took = self._clock.monotonic() - began
            now = self._lexical.generation
            for agent_id in [one for one, life in self.lives.items() if life.generation != now]:
                await self.fill(agent_id)
            if took > 0 and not self._stopping:  # many memories at once cost a third of what they do one by one
                await self._clock.sleep(min(max(RESTS * took, LEAST_REST), LONGEST_REST))

    async def flush(self, only: str | None = None) -> bool:
        """Index what waits in RAM, of one agent or of all. Returns whether `progress` of these agents was updated."""
        batch: dict[str, Sequence[Entry]] = {}
        wanted: dict[str, Documents] = {}
        lives = self.lives.items() if only is None else [(only, self.lives[only])]
        # Found at once, as in a large world there are ten thousand lives, and something waits of a few.
        for agent_id, life in [one for one in lives if one[1].queue or one[1].changed_documents is not None]:
            if life.queue:
                batch[agent_id], life.queue = life.queue, []
            if life.changed_documents is not None and not life.in_bulk:
                wanted[agent_id], life.changed_documents = life.changed_documents, None
        if not batch and not wanted:
            return False
        with self._unless_locked():
            self._flushes += 1
            try:
                # One job, so that a cancelled flush is still completed.
                gone, progress = await self._lexical.in_thread(self._index, batch, wanted)
            except BaseException as error:
                # The memories are read again from the archive.
                for agent_id, documents in wanted.items():
                    self.lives[agent_id].changed_documents = self.lives[agent_id].changed_documents or documents
                if not isinstance(error, Unavailable):
                    self._changed.set()  # retried when `keep_flushing` is run again
                raise
            finally:
                self._flushes -= 1
            self._stuck = False
            for agent_id, one in progress.items():
                self.lives[agent_id].progress = one
            self._indexed(gone)
            return True
        return False

    def _index(
        self, batch: dict[str, Sequence[Entry]], wanted: dict[str, Documents]
    ) -> tuple[list[str], dict[str, IndexProgress]]:
        read: dict[str, Sequence[Listed]] = {}
        for agent_id, documents in wanted.items():
            life = self.lives[agent_id]
            try:
                read[agent_id] = documents()
                life.unreadable = False
            except (OSError, LociError) as error:
                # They are read with the next flush; searches go on without them.
                life.changed_documents = life.changed_documents or documents
                level = logging.DEBUG if life.unreadable else logging.WARNING
                log.log(level, "What is noted cannot be read now: %s.", error)
                life.unreadable = True
        return self._lexical.add(batch, read)

    async def fill(self, agent_id: str, before: int | None = None) -> None:
        """Index everything missing for an agent; with `before`, only memories below that seq are required."""
        life = self.lives[agent_id]
        await self._correct(agent_id, life)
        whole = life.generation == self._lexical.generation
        if before is not None and whole and life.progress.lexical_through + 1 >= before:
            return
        known = await self.flush(agent_id)
        async with life.filling:
            if not known or life.generation != self._lexical.generation:
                await self._read_progress(agent_id, life)
            if life.generation != self._lexical.generation:
                life.generation = self._lexical.generation
                self._changed.set()
                if life.documents is not None and life.changed_documents is None:
                    life.changed_documents = life.documents
                await self.flush(agent_id)
            through = -1
            while life.read is not None and through < life.progress.lexical_through < life.latest:
                through = life.progress.lexical_through
                entries = life.read(through + 1, min(life.latest, through + CHUNK))
                with self._unless_locked():
                    _, progress = await self._lexical.in_thread(self._lexical.add, {agent_id: entries}, {})
                    self._stuck = False
                    life.progress = progress[agent_id]
                    self._indexed([])

    async def _read_progress(self, agent_id: str, life: IndexedLife) -> None:
        with self._unless_locked():
            life.progress = await self._lexical.run(tables.progress_of, agent_id)

    @contextmanager
    def _unless_locked(self) -> Iterator[None]:
        """Context for work that is left out while another process has locked the index; logs the first time."""
        try:
            yield
        except Unavailable as error:
            log.log(logging.DEBUG if self._stuck else logging.WARNING, "Recall cannot keep up: %s.", error)
            self._stuck = True

    async def update_progress(self, changed: Collection[str] | None) -> None:
        """Read the progress of these agents, or of all, after something of them got or lost its vector."""
        self._outdated.update(self.lives if changed is None else changed)
        with self._unless_locked():
            for agent_id, progress in (await self._lexical.run(tables.progress_of_all, list(self._outdated))).items():
                self._outdated.discard(agent_id)
                if agent_id in self.lives:
                    self.lives[agent_id].progress = progress


# -- recall ------------------------------------------------------------------------------------------------------------


class _Sought(NamedTuple):
    """What one search looks in: memories, and kinds of documents. See `RecallService.search`."""

    agent_id: str
    memories: bool
    kinds: Collection[str]
    by: str = "both"
    before: int | None = None
    without: Collection[str] = ()


class RecallService(Indexer):
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
        self._settings, self._private = settings, private
        lexical = LexicalIndex(self._folder / LEXICAL, private=private, at_once=at_once)
        self._vectors = VectorService(self._folder, lexical, settings, clock, self._noted, by, budget)
        super().__init__(lexical, self._vectors.wake, self._vectors.forget, clock)
        self._watchers: list[Callable[[int, int], None]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._use_vectors = False

    # -- beginning and end ------------------------------------------------------------------------------------------

    async def start(self, *, vectors: bool = True) -> None:
        """Start indexing in the background. Without `vectors`, search uses words only."""
        self._use_vectors = vectors and not self._private
        self._tasks = [asyncio.create_task(supervise("recall", self.keep_flushing, self._clock))]
        if self._use_vectors:
            self._tasks.append(asyncio.create_task(supervise("recall's vectors", self._vectors.run, self._clock)))

    async def stop(self) -> None:
        """Index what still waits, end the child and close the files. Takes `ENDING` + 2 x `FLUSHING` at most."""
        if self._stopping:
            return
        self.stop_flushing()
        self._vectors.stop()
        await self._end_tasks()
        try:
            async with asyncio.timeout(FLUSHING):
                await self.flush()
        except TimeoutError:
            pass  # `end` then logs that the index is busy
        finally:
            await self._lexical.end(FLUSHING)

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

    def status(self, agent_id: str) -> dict[str, int]:
        """Return the seqs `lexical_through` and `vector_through`, up to which words and vectors are complete."""
        known = self.lives.get(agent_id)
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
        await self.flush()
        for agent_id in list(self.lives):
            await self.fill(agent_id)
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

    async def similarities(self, sentence: str, examples: tuple[str, ...]) -> list[float]:
        """Return how similar a sentence is to each of the examples, -1 to 1; empty while these have no vectors."""
        return await self._vectors.similarities(sentence, examples) if self._use_vectors else []

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
        memories = only in (None, "memories")
        return await self._search(query, k, _Sought(agent_id, memories, kinds, by, before, without))

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
        found, _ = await self._search(query, RELATED, _Sought(agent_id, False, kinds))
        settings = self._settings()
        least = {SUMMARY: settings.summary_least, NOTE: settings.related_least}
        most = {SUMMARY: PER_SHOWN_SUMMARY * settings.related_summaries, NOTE: settings.related_notes}
        fitting = [hit for hit in found if _fits(hit, least[hit.kind]) and not shown(hit)]
        best = {kind: [hit for hit in fitting if hit.kind == kind][: most[kind]] for kind in kinds}
        return [hit for hit in fitting if hit in best[hit.kind]]

    async def read(self, agent_id: str, work: Callable[[sqlite3.Connection, str, *Ts], T], *args: *Ts) -> T:
        """Complete an agent's words, then call a function of `agents.recall.overview` in the index's thread."""
        await self.fill(agent_id)
        return await self._lexical.run(work, agent_id, *args)

    async def _search(self, query: str, k: int, sought: _Sought) -> tuple[list[Hit], bool]:
        with span("recall", agent=sought.agent_id, by=sought.by) as note:
            hits, behind = await self._look_up(query, k, sought)
            note(hits=len(hits), behind=behind)
        return hits, behind

    async def _look_up(self, query: str, k: int, sought: _Sought) -> tuple[list[Hit], bool]:
        settings, now = self._settings(), self._clock.now()
        question = read_question(query, now)
        asked = sought.by != "words" and self._vectors.wanted and (self._use_vectors or self._private)
        groups: Groups = {word: {word: 1.0} for word in question.words}
        similar: asyncio.Task[dict[str, dict[str, float]]] | None = None
        nearest: asyncio.Task[NearestVectors | None] | None = None
        try:
            if asked and self._use_vectors and query.strip():
                written = sought.kinds if self.lives[sought.agent_id].progress.documents else ()
                wanted = self._vectors.query(query, sought.agent_id, sought.memories, written)
                # In this order: the child embeds the query once, and searches while the words are looked up.
                similar = asyncio.create_task(self._vectors.similar_words(wanted, question.words))
                nearest = asyncio.create_task(self._vectors.nearest(wanted))
                groups = _with_similar(groups, await similar, settings.alike)
            if sought.by == "vectors":
                groups = {}
            found, near = await self._find(sought, question, groups, nearest)
        finally:
            for task in (similar, nearest):
                if task is not None:
                    task.cancel()
        return rank(found, question, k, now, settings, sought.without), asked and self._is_behind(sought, near)

    def _is_behind(self, sought: _Sought, near: NearestVectors | None) -> bool:
        progress = self.lives[sought.agent_id].progress
        memories = sought.memories and self._settings().embed == EVERYTHING
        if near is None:
            return memories * progress.lexical_through + bool(sought.kinds) * progress.documents > 0
        late = memories and progress.lexical_through - progress.vector_through > RECENT
        return late or (bool(sought.kinds) and progress.waiting_documents > 0)

    async def _find(
        self,
        sought: _Sought,
        question: ParsedQuestion,
        groups: Groups,
        nearest: asyncio.Task[NearestVectors | None] | None,
    ) -> tuple[Candidates, NearestVectors | None]:
        """Search; if the index was lost since it was filled, fill it and search again."""
        agent_id, kinds, weight = sought.agent_id, sought.kinds, self._settings().vector_weight
        match, widely = self._lexical.searcher.match, bool(sought.without)
        for _ in range(TRIES):
            await self.fill(agent_id, sought.before)
            matches = await self._lexical.run(match, agent_id, groups, sought.memories, kinds, question, widely)
            near = await nearest if nearest is not None else None
            known = near or NearestVectors()
            found = await self._lexical.run(gather, agent_id, matches, known.memories, known.documents, kinds, weight)
            if self.lives[agent_id].generation == self._lexical.generation:
                break
        return found, near

    async def _noted(self, waiting: int, total: int, changed: Collection[str] | None) -> None:
        await self.update_progress(changed)
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
