"""Fills the index: with memories as they come, documents as they change, and all of it again when it was lost.

How far the index is, it is asked itself: it may have lost what was once put into it.
"""

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
"""Memories that wait at most while a life is given in bulk."""
MAX_QUEUE = 20_000
"""Memories that wait in RAM; more are read again from the archive."""

Read = Callable[[int, int], Sequence[Entry]]
Documents = Callable[[], Sequence[Listed]]


@dataclass
class IndexedLife:
    """What recall knows of one agent.

    Args:
        read, documents: where its memories and documents come from; None until that is known.
        latest: number of its last memory.
        generation: the index that holds it; another one has to be filled again.
        queue: memories that wait to be indexed.
        changed_documents: gives the documents that wait to be indexed; None for none.
        in_bulk: memories are given in bulk; documents wait until that is over.
        unreadable: the documents could not be read, which was logged.
        progress: how far the index is.
        filling: held while it is read again.
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
        lexical, run: the index, and what runs work in its thread.
        indexed: called when anything was indexed, with the ids of vectors that are no longer wanted.
        forgotten: called with the id of an agent of whom nothing that was indexed holds any more.
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
        """Return what is known of an agent."""
        known = self.lives.get(agent_id)
        if known is None:
            known = self.lives[agent_id] = IndexedLife()
        return known

    def remember(self, agent_id: str, entries: Sequence[Entry]) -> None:
        """Take new memories, in order, after they are in the archive; they are found by the next search."""
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
        """Within it an agent is given many memories, whose summaries are indexed at the end, all at once.

        Yields:
            What to await after each `remember`: it takes its time when too many memories wait.
        """
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
        """Index what is missing of a life, and learn where to read it again should the index be lost.

        Args:
            agent_id: whose.
            through: the last memory there is.
            read: gives memories by first and last seq; called on the event loop, for `CHUNK` at a time.
            documents: gives the full list of the agent's summaries and notes; called now and when the index was lost,
                in the index's thread.
        """
        life = self.life(agent_id)
        life.read, life.documents, life.latest = read, documents, max(life.latest, through)
        # Of no index: so the documents are asked for.
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
        """Return whether what is indexed is what the archive says, by its last memory."""
        indexed = await self._run(self._lexical.through, agent_id)
        if indexed == 0 or indexed > latest:
            return indexed == 0
        texts = await self._run(self._lexical.texts, agent_id, [indexed])
        return [clean(entry.text) for entry in read(indexed, indexed)] == list(texts.values())

    def sync_documents(self, agent_id: str, documents: Documents) -> None:
        """Have an agent's summaries and notes compared with the index by their content.

        `documents` gives all of them; it is called in the index's thread, so that reading them costs the world nothing.
        """
        self.life(agent_id).changed_documents = documents
        self._changed.set()

    async def reweigh(self, agent_id: str, values: Mapping[int, int]) -> None:
        """Change the importance (1 to 10) of memories by seq, after the archive has it: a new index reads it there."""
        if not values:
            return
        try:
            await self.flush(agent_id)
            await self._run(self._lexical.set_importance, agent_id, values)
        except Unavailable as error:
            self._log_stuck(error)

    async def forget(self, agent_id: str) -> None:
        """Take all of an agent out of the index; it comes in again when somebody with its id is met again.

        What the index cannot let go of now is found out then: it is another life, or the same.
        """
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
        """Have `keep_flushing` return when it has done what it is at; for good."""
        self._stopping = True
        self._changed.set()

    async def keep_flushing(self) -> None:
        """Index in the background what comes in, until stopped or cancelled."""
        while not self._stopping:
            await self._changed.wait()
            self._changed.clear()
            await self.flush()
            for agent_id, life in list(self.lives.items()):
                if life.generation != self._lexical.generation:
                    await self.fill(agent_id)

    async def flush(self, only: str | None = None) -> bool:
        """Index what waits in RAM.

        Args:
            only: of this agent, as a question to one need not wait for what the others lived through; None for all.

        Returns:
            Whether anything was indexed: then the progress of whom it was of is known as it is now.
        """
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
            # One piece of work: a cancelled flush is still done whole.
            gone, progress = await self._run(self._index, batch, wanted)
        except BaseException as error:
            # The memories come back from the archive.
            for agent_id, documents in wanted.items():
                self.life(agent_id).changed_documents = self.life(agent_id).changed_documents or documents
            if not isinstance(error, Unavailable):
                self._changed.set()  # whoever runs `keep_flushing` again after a pause has another try at it
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
        """Have documents that cannot be read looked at with the next flush; they cost no search its answer."""
        life = self.life(agent_id)
        life.changed_documents = life.changed_documents or documents
        log.log(logging.DEBUG if life.unreadable else logging.WARNING, "What is noted cannot be read now: %s.", error)
        life.unreadable = True

    async def fill(self, agent_id: str, before: int | None = None) -> None:
        """Index all there is of a life: what waits in RAM, and what the index never had or lost.

        Args:
            agent_id: whose.
            before: memories from this number on, and what was written meanwhile, may wait; None when nothing may.
        """
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
        """Index a part of a life; return whether that brought it further."""
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
        """Log once that nothing new can be indexed; every search tries again."""
        log.log(logging.DEBUG if self._stuck else logging.WARNING, "Recall cannot keep up: %s.", error)
        self._stuck = True

    async def fill_all(self) -> None:
        """Index all there is of every life."""
        for agent_id in list(self.lives):
            await self.fill(agent_id)

    async def look_again(self, waiting: int) -> None:
        """Update the progress of those who waited for vectors; of all, when more texts are waiting than was known."""
        lost = waiting > sum(life.progress.waiting for life in self.lives.values())
        for agent_id, life in list(self.lives.items()):
            if lost or life.progress.waiting:
                try:
                    life.progress = await self._run(self._lexical.progress, agent_id)
                except Unavailable as error:
                    self._log_stuck(error)
