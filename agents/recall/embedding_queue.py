"""The work of giving everything its vector, a small piece at a time, so that a question waits for little.

It knows what comes next, not when: whoever keeps the child asks for one step after the other.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from agents.llm.budget import BudgetExhausted
from agents.recall import worker
from agents.recall.child import VectorProcess
from agents.recall.documents import NoRoom, Record, agent_of
from agents.recall.embedding_budget import WORDS as NOBODY
from agents.recall.embedding_budget import EmbeddingBudget
from agents.recall.lexical import LexicalIndex
from agents.recall.settings import EVERYTHING, RecallSettings
from mud.clock import Clock

log = logging.getLogger(__name__)

T = TypeVar("T")

BATCH = 8
"""Documents in one piece of work: a question waits for at most one."""
WORDS = 128
"""Words for the thesaurus in one piece of work."""
FEWEST, MOST = 32, 256
"""Memories in one piece of work: few while they are embedded, many while they come from the cache."""
QUICK, SLOW = 0.1, 0.3
"""Seconds below which a piece of work grows, and above which it shrinks."""


class Run(Protocol):
    """Runs work on the lexical index in the thread that owns it."""

    def __call__(self, work: Callable[..., T], *args: object) -> Awaitable[T]:
        """Return what `work(*args)` returns."""
        ...


class EmbeddingQueue:
    """What is still to be embedded.

    Args:
        lexical: knows which documents there are and which have no vector yet.
        run: runs work on `lexical`.
        settings: the settings as they are now.
        clock: measures how long a piece of work takes.
        till: pays for embeddings.
    """

    def __init__(
        self,
        lexical: LexicalIndex,
        run: Run,
        settings: Callable[[], RecallSettings],
        clock: Clock,
        till: EmbeddingBudget,
    ) -> None:
        self._lexical, self._run, self._settings, self._clock, self._till = lexical, run, settings, clock, till
        self.begin()

    def begin(self) -> None:
        """Begin anew with another child: it has learnt no words yet, and has room for everybody."""
        self._taught, self._teachable, self._batch = 0, True, FEWEST
        self._outside: set[str] = set()
        self.trouble = ""
        """Why not everybody's memories get vectors; empty when they do."""

    async def step(self, child: VectorProcess) -> int:
        """Do one piece of each kind of work; return how many texts got what they waited for, or will not get it."""
        taught, written = await self._teach(child), await self._embed_documents(child)
        return taught + written + await self._embed_memories(child)

    async def _teach(self, child: VectorProcess) -> int:
        if not self._teachable or NOBODY in self._till.without:
            return 0
        words = await self._run(self._lexical.words_after, self._taught, WORDS)
        if words:
            new = [word for _, word in words]
            try:
                self._teachable = await self._till.put(child, NOBODY, new, worker.learn, new)
            except BudgetExhausted:
                return 0
            self._taught = words[-1][0]
        return len(words)

    async def _embed_documents(self, child: VectorProcess) -> int:
        records = await self._run(self._lexical.waiting, BATCH, tuple(self._till.without))
        if records and child.served:  # each pays for their own
            records = [one for one in records if agent_of(one.id) == agent_of(records[0].id)]
        if records and await self._put(child, agent_of(records[0].id), records):
            await self._run(self._lexical.embedded, [record.id for record in records])
        return len(records)

    async def _embed_memories(self, child: VectorProcess) -> int:
        if self._settings().embed != EVERYTHING:
            return 0
        waiting = await self._run(self._lexical.waiting_memories, self._batch, self._outside | self._till.without)
        if waiting is None:
            return 0
        agent_id, through, records = waiting
        if records:
            began = self._clock.monotonic()
            try:
                if not await self._put(child, agent_id, records):
                    return 1
            except NoRoom as error:
                self._leave_outside(agent_id, error)
                return 1
            self._pace(child, self._clock.monotonic() - began)
        await self._run(self._lexical.memories_embedded, agent_id, through)
        return max(1, len(records))

    async def _put(self, child: VectorProcess, agent_id: str, records: Sequence[Record]) -> bool:
        """Have these embedded; tell whether their agent can pay for it."""
        try:
            await self._till.put(child, agent_id, [one.text for one in records], worker.put, records)
        except BudgetExhausted:
            return False
        return True

    def _leave_outside(self, agent_id: str, error: NoRoom) -> None:
        """Go on without the vectors of an agent for which there is no room; the others keep theirs."""
        if not self._outside:
            log.warning("Not everybody's memories get vectors: %s.", error)
        self._outside.add(agent_id)
        self.trouble = str(error)

    def _pace(self, child: VectorProcess, seconds: float) -> None:
        """Keep one piece of work short; what a server takes for few says nothing of what it takes for many."""
        if seconds < QUICK and not child.served:
            self._batch = min(MOST, 2 * self._batch)
        elif seconds > SLOW:
            self._batch = max(FEWEST, self._batch // 2)
