"""Fills the index. Progress is always read from the index itself, because it may have lost entries."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agents.memory.entries import Entry
from agents.recall.documents import Listed, clean
from agents.recall.lexical import LexicalIndex
from agents.recall.tables import IndexProgress
from agents.recall.vectors import Run
from mud.errors import LociError, Unavailable

log = logging.getLogger(__name__)

CHUNK = 512
"""Memories read from the archive at once: a few milliseconds on the event loop."""
MAX_BULK_QUEUE = 4096
"""Queue limit within `in_bulk`."""
MAX_QUEUE = 20_000
"""Queue limit in RAM; beyond it, memories are read again from the archive."""

Read = Callable[[int, int], Sequence[Entry]]
Documents = Callable[[], Sequence[Listed]]


@dataclass
class IndexedLife:
    """Indexing state of one agent.

    Args:
        read, documents: sources of its memories and documents; None until `catch_up`.
        latest: seq of its last memory.
        generation: the index generation that holds it; another one must be filled again.
        changed_documents: source of documents waiting to be indexed; None for none.
        in_bulk: documents wait until the bulk load is over.
        unreadable: the documents could not be read, and that was logged.
        filling: held while the agent's memories are read again.
    """

    read: Read | None = None
    documents: Documents | None = None
    latest: int = 0
    generation: int = 0
    queue: list[Entry] = field(default_factory=list)
    changed_documents: Documents | None = None
    in_bulk: bool = False
    unreadable: bool = False
    progress: IndexProgress = field(default_factory=IndexProgress)
    filling: asyncio.Lock = field(default_factory=asyncio.Lock)


class Indexer:
    """Fills the index for all agents.

    Args:
        run: runs a function in the index's thread.
        indexed: called after indexing, with the ids of obsolete vectors.
        forgotten: called with the id of an agent whose indexed content is no longer valid.
    """

    def __init__(
        self,
        lexical: LexicalIndex,
        run: Run,
        indexed: Callable[[list[str]], None],
        forgotten: Callable[[str], None],
    ) -> None:
        self._lexical, self._run, self._indexed, self._forgotten = lexical, run, indexed, forgotten
        self._changed = asyncio.Event()
        self._stuck = self._stopping = False
        self.lives: dict[str, IndexedLife] = {}

    def life(self, agent_id: str) -> IndexedLife:
        known = self.lives.get(agent_id)
        if known is None:
            known = self.lives[agent_id] = IndexedLife()
        return known

    def remember(self, agent_id: str, entries: Sequence[Entry]) -> None:
        """Queue new memories, in order, that are already in the archive; the next search finds them."""
        if not entries:
            return
        life = self.life(agent_id)
        life.latest = max(life.latest, entries[-1].seq)
        life.queue.extend(entries)
        if life.read is not None and len(life.queue) > MAX_QUEUE:
            life.queue.clear()
        self._changed.set()

    @asynccontextmanager
    async def in_bulk(self, agent_id: str) -> AsyncIterator[Callable[[], Awaitable[None]]]:
        """Context for a bulk load: documents are indexed at its end. Yields what to await after each `remember`."""
        life = self.life(agent_id)
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

    async def catch_up(self, agent_id: str, through: int, read: Read, documents: Documents | None = None) -> None:
        """Index what is missing for an agent up to the seq `through`, and keep the sources for when the index is lost.

        `read` returns memories by first and last seq on the event loop; `documents` is called in the index's thread.
        """
        life = self.life(agent_id)
        life.read, life.documents, life.latest = read, documents, max(life.latest, through)
        # No valid generation, so that the documents are indexed too.
        life.generation = -1
        try:
            if not await self._is_same_life(agent_id, life.latest, read):
                log.info("The index holds another life of %s; it is read anew.", agent_id)
                await self._run(self._lexical.forget, agent_id)
                self._forgotten(agent_id)
        except Unavailable as error:
            self._log_stuck(error)
        await self.fill(agent_id)

    async def _is_same_life(self, agent_id: str, latest: int, read: Read) -> bool:
        """Compare the last indexed memory with the archive."""
        indexed = await self._run(self._lexical.through, agent_id)
        if indexed == 0 or indexed > latest:
            return indexed == 0
        texts = await self._run(self._lexical.texts, agent_id, [indexed])
        return [clean(entry.text) for entry in read(indexed, indexed)] == list(texts.values())

    def sync_documents(self, agent_id: str, documents: Documents) -> None:
        """Schedule a comparison of the documents with the index; `documents` is called in the index's thread."""
        self.life(agent_id).changed_documents = documents
        self._changed.set()

    async def reweigh(self, agent_id: str, values: Mapping[int, int]) -> None:
        """Change the importance (1 to 10) of memories by seq. The archive must be changed before."""
        if not values:
            return
        try:
            await self.flush(agent_id)
            await self._run(self._lexical.set_importance, agent_id, values)
        except Unavailable as error:
            self._log_stuck(error)

    async def forget(self, agent_id: str) -> None:
        """Remove an agent from the index. If that fails now, `catch_up` compares its archive with the index later."""
        life = self.lives.pop(agent_id, IndexedLife())
        life.read = life.documents = life.changed_documents = None
        life.queue.clear()
        try:
            gone = await self._run(self._drop, agent_id)
        except Unavailable as error:
            self._log_stuck(error)
            return
        self._indexed(gone)
        self._forgotten(agent_id)

    def _drop(self, agent_id: str) -> list[str]:
        self._lexical.forget(agent_id)
        return self._lexical.sync(agent_id, [])

    def stop(self) -> None:
        self._stopping = True
        self._changed.set()

    async def keep_flushing(self) -> None:
        while not self._stopping:
            await self._changed.wait()
            self._changed.clear()
            await self.flush()
            for agent_id, life in list(self.lives.items()):
                if life.generation != self._lexical.generation:
                    await self.fill(agent_id)

    async def flush(self, only: str | None = None) -> bool:
        """Index what waits in RAM, of one agent or of all. Returns whether `progress` of these agents was updated."""
        batch: dict[str, Sequence[Entry]] = {}
        wanted: dict[str, Documents] = {}
        lives = self.lives if only is None else {only: self.life(only)}
        for agent_id, life in lives.items():
            if life.queue:
                batch[agent_id], life.queue = life.queue, []
            if life.changed_documents is not None and not life.in_bulk:
                wanted[agent_id], life.changed_documents = life.changed_documents, None
        if not batch and not wanted:
            return False
        try:
            # One job, so that a cancelled flush is still completed.
            gone, progress = await self._run(self._index, batch, wanted)
        except BaseException as error:
            # The memories are read again from the archive.
            for agent_id, documents in wanted.items():
                self.life(agent_id).changed_documents = self.life(agent_id).changed_documents or documents
            if not isinstance(error, Unavailable):
                self._changed.set()  # retried when `keep_flushing` is run again
                raise
            self._log_stuck(error)
            return False
        self._stuck = False
        for agent_id, one in progress.items():
            self.life(agent_id).progress = one
        self._indexed(gone)
        return True

    def _index(
        self, batch: dict[str, Sequence[Entry]], wanted: dict[str, Documents]
    ) -> tuple[list[str], dict[str, IndexProgress]]:
        read: dict[str, Sequence[Listed]] = {}
        for agent_id, documents in wanted.items():
            try:
                read[agent_id] = documents()
            except (OSError, LociError) as error:
                self._put_back(agent_id, documents, error)
            else:
                self.life(agent_id).unreadable = False
        return self._lexical.add(batch, read)

    def _put_back(self, agent_id: str, documents: Documents, error: Exception) -> None:
        """Retry documents that cannot be read with the next flush; searches go on without them."""
        life = self.life(agent_id)
        life.changed_documents = life.changed_documents or documents
        log.log(logging.DEBUG if life.unreadable else logging.WARNING, "What is noted cannot be read now: %s.", error)
        life.unreadable = True

    async def fill(self, agent_id: str, before: int | None = None) -> None:
        """Index everything missing for an agent; with `before`, only memories below that seq are required."""
        life = self.life(agent_id)
        whole = life.generation == self._lexical.generation
        if before is not None and whole and life.progress.lexical_through + 1 >= before:
            return
        known = await self.flush(agent_id)
        async with life.filling:
            try:
                if not known:
                    life.progress = await self._run(self._lexical.progress, agent_id)
            except Unavailable as error:
                self._log_stuck(error)
            if life.generation != self._lexical.generation:
                life.generation = self._lexical.generation
                self._changed.set()
                if life.documents is not None and life.changed_documents is None:
                    life.changed_documents = life.documents
                await self.flush(agent_id)
            while life.read is not None and life.progress.lexical_through < life.latest:
                first = life.progress.lexical_through + 1
                entries = life.read(first, min(life.latest, first + CHUNK - 1))
                if not await self._filled(life, agent_id, entries):
                    break

    async def _filled(self, life: IndexedLife, agent_id: str, entries: Sequence[Entry]) -> bool:
        before = life.progress.lexical_through
        try:
            _, progress = await self._run(self._index, {agent_id: entries}, {})
        except Unavailable as error:
            self._log_stuck(error)
            return False
        self._stuck = False
        life.progress = progress[agent_id]
        self._indexed([])
        return life.progress.lexical_through > before

    def _log_stuck(self, error: Unavailable) -> None:
        log.log(logging.DEBUG if self._stuck else logging.WARNING, "Recall cannot keep up: %s.", error)
        self._stuck = True

    async def fill_all(self) -> None:
        for agent_id in list(self.lives):
            await self.fill(agent_id)

    async def look_again(self, waiting: int) -> None:
        """Update the progress of agents with waiting vectors; of all agents if more texts wait than was known."""
        lost = waiting > sum(life.progress.waiting for life in self.lives.values())
        for agent_id, life in list(self.lives.items()):
            if lost or life.progress.waiting:
                try:
                    life.progress = await self._run(self._lexical.progress, agent_id)
                except Unavailable as error:
                    self._log_stuck(error)
