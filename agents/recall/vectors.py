"""The vectors of memories, summaries and notes: updated in the background, searched, and paid for.

A broken child is replaced and its index filled from the embedding cache. Texts wait while the server is away.
"""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TypeVar, TypeVarTuple, cast

from agents.llm.profiles import LLMProfile
from agents.llm.queue import Task
from agents.llm.spending import Amount, BudgetExhausted, ModelBudget
from agents.recall import tables
from agents.recall.child import Store, VectorProcess
from agents.recall.corrected import corrected_embedded, corrected_waiting
from agents.recall.documents import (
    NOTE,
    SUMMARY,
    Bill,
    EmbedderAway,
    EmbedderMissing,
    FolderGone,
    Query,
    Record,
    StoreFailed,
    agent_of,
)
from agents.recall.lexical import LexicalIndex
from agents.recall.settings import EVERYTHING, RecallSettings
from mud.clock import Clock
from mud.errors import LociError, Unavailable
from mud.supervise import timeout

log = logging.getLogger(__name__)

R = TypeVar("R")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

NEAREST = 100
"""Memories, and documents, found by vectors; 60 found a little less, 200 no more."""
TYPES = {SUMMARY: "memory_summary", NOTE: "note"}

NOBODY = ""
"""Pays for the words of the thesaurus."""
BUDGET_PAUSE = 60.0
"""Seconds until agents with a used-up budget are tried again."""

BATCH = 8
"""Documents per call; a question waits for at most one call."""
WORDS = 128
FEWEST, MOST = 32, 256
"""Memories per call: few while they are embedded, many while they come from the cache."""
REPORT_EVERY = 1.0
"""Seconds between two looks at how many texts of everybody wait, while some do."""
QUICK, SLOW = 0.1, 0.3
"""Seconds of a call below which the batch grows, and above which it shrinks."""

AWAY_PAUSES = (1.0, 5.0, 20.0, 60.0)
"""Seconds before a server is asked again, by number of failures in a row."""
FAILURE_PAUSES = (0.0, 0.0, 0.0, 1.0, 5.0, 20.0, 60.0)
"""Seconds before a broken child is replaced, by number of failures in a row."""
HOPELESS = 4
"""Failures in a row after which `settled` is set although texts wait."""
VERIFY_EVERY = 3600.0
"""Seconds between checks that the index is complete."""
VERIFIED = 32
"""Agents checked with one call; a question waits for it."""


class EmbeddingBudget:
    """Reserves and books a server's embeddings; agents whose budget is used up get no new vectors for a while.

    Args:
        on_answer: called whenever a server has embedded something.
    """

    def __init__(
        self,
        budget: ModelBudget | None,
        named: Callable[[str], str],
        clock: Clock,
        on_answer: Callable[[], None] = lambda: None,
    ) -> None:
        self._budget, self._named, self._clock, self._on_answer = budget, named, clock, on_answer
        self.without: set[str] = set()
        self.trouble = ""
        self._again = 0.0

    async def embed(self, child: VectorProcess, agent: str, texts: Sequence[str],
                    work: Callable[[Store, *Ts], R], *args: *Ts) -> R:  # fmt: skip
        """Run a method of the store that embeds texts of an agent or of `NOBODY`. Raises `BudgetExhausted`."""
        price = await child.do(Store.price, texts) if child.served else Bill()
        try:
            return await self._paid(child, agent, price, work, *args)
        except BudgetExhausted as error:
            self.without.add(agent)
            self.trouble = f"what is new gets no vectors: {error}"
            self._again = self._clock.monotonic() + BUDGET_PAUSE
            raise

    async def ask(self, child: VectorProcess, query: Query, words: Sequence[str],
                  work: Callable[[Store, *Ts], R], *args: *Ts) -> R:  # fmt: skip
        """Run a method of the store that answers a question. Raises `BudgetExhausted`."""
        price = await child.do(Store.price_question, query, words) if child.served else Bill()
        return await self._paid(child, query.agent, price, work, *args)

    async def _paid(self, child: VectorProcess, agent: str, price: Bill,
                    work: Callable[[Store, *Ts], R], *args: *Ts) -> R:  # fmt: skip
        if self._budget is None or not child.served:
            return await child.do(work, *args)
        owner = self._named(agent) if agent else agent
        reserve = partial(self._budget.reserve, owner, Task.EMBEDDINGS, price.tokens, 0, price.calls)
        with reserve() if price.calls else nullcontext():
            result, bill, error = await child.ask(True, work, *args)
            if bill.calls:
                self._budget.spending.add(owner, Task.EMBEDDINGS, Amount(bill.calls, bill.tokens))
                self._on_answer()
        if error is not None:
            raise error
        return cast(R, result)

    def pause(self) -> float | None:
        """Return the seconds until `without` is cleared; None if it is empty."""
        return max(0.0, self._again - self._clock.monotonic()) if self.without else None

    def review(self) -> None:
        if self.pause() == 0.0:
            self.without.clear()
            self.trouble = ""


class EmbeddingQueue:
    """Embeds what waits, in small batches, so that questions do not wait long.

    `changed` holds the ids of agents of whom something got its vector since it was last emptied.
    """

    def __init__(
        self,
        lexical: LexicalIndex,
        settings: Callable[[], RecallSettings],
        clock: Clock,
        budget: EmbeddingBudget,
    ) -> None:
        self._lexical, self._settings, self._clock, self._budget = lexical, settings, clock, budget
        self.changed: set[str] = set()
        self._served_last = ""
        self._kinds = (self._learn_words, self._embed_documents, self._embed_corrected, self._embed_memories)
        self.restart()

    def restart(self) -> None:
        self._last_word, self._has_room_for_words, self._batch = 0, True, FEWEST

    async def step(self, child: VectorProcess) -> int:
        """Process one batch of each kind; return the number of texts processed or skipped."""
        return sum([await embed(child) for embed in self._kinds])

    async def _learn_words(self, child: VectorProcess) -> int:
        if not self._has_room_for_words or NOBODY in self._budget.without:
            return 0
        words = await self._lexical.run(tables.words_after, self._last_word, WORDS)
        if words:
            new = [word for _, word in words]
            try:
                self._has_room_for_words = await self._budget.embed(child, NOBODY, new, Store.learn, new)
            except BudgetExhausted:
                return 0
            self._last_word = words[-1][0]
        return len(words)

    async def _embed_documents(self, child: VectorProcess) -> int:
        records = await self._lexical.run(tables.documents_waiting, BATCH, tuple(self._budget.without))
        if records and child.served:  # each agent pays for its own
            records = [one for one in records if agent_of(one.id) == agent_of(records[0].id)]
        if records and await self._put(child, agent_of(records[0].id), records):
            await self._lexical.run(tables.documents_embedded, [record.id for record in records])
            self.changed.update(agent_of(record.id) for record in records)
        return len(records)

    async def _embed_corrected(self, child: VectorProcess) -> int:
        """Embed one corrected memory; there are few."""
        if self._settings().embed != EVERYTHING:
            return 0
        waiting = await self._lexical.run(corrected_waiting, self._budget.without)
        if waiting is None:
            return 0
        agent_id, seq, records = waiting
        if records and not await self._put(child, agent_id, records):
            return 1
        await self._lexical.run(corrected_embedded, agent_id, seq)
        self.changed.add(agent_id)
        return max(1, len(records))

    async def _embed_memories(self, child: VectorProcess) -> int:
        """Embed what several agents perceived; on a server, where each pays for its own, what one did."""
        if self._settings().embed != EVERYTHING:
            return 0
        lives = 1 if child.served else self._batch
        waiting = await self._lexical.run(
            tables.memories_waiting, self._batch, self._served_last, self._budget.without, lives
        )
        if not waiting:
            return 0
        self._served_last = waiting[-1][0]
        records = [record for _, _, some in waiting for record in some]
        if records:
            began = self._clock.monotonic()
            if not await self._put(child, self._served_last, records):
                return 1
            self._pace(child, self._clock.monotonic() - began)
        await self._lexical.run(tables.lives_embedded, [(agent_id, through) for agent_id, through, _ in waiting])
        self.changed.update(agent_id for agent_id, *_ in waiting)
        return max(1, len(records))

    async def _put(self, child: VectorProcess, agent_id: str, records: Sequence[Record]) -> bool:
        try:
            await self._budget.embed(child, agent_id, [one.text for one in records], Store.put, records)
        except BudgetExhausted:
            return False
        return True

    def _pace(self, child: VectorProcess, seconds: float) -> None:
        """Adapt the batch size; it does not grow with a server, whose speed for few texts says little."""
        if seconds < QUICK and not child.served:
            self._batch = min(MOST, 2 * self._batch)
        elif seconds > SLOW:
            self._batch = max(FEWEST, self._batch // 2)


@dataclass(frozen=True, slots=True)
class NearestVectors:
    """Cosines of the nearest memories by place (of the first with each text) and documents by vector id."""

    memories: dict[int, float] = field(default_factory=dict)
    documents: dict[str, float] = field(default_factory=dict)


class VectorService:
    """The vectors of all agents.

    `noted` is called with the number of waiting texts, of all texts, and the ids of agents whose vectors have changed
    since it was last called; None for all agents.
    """

    def __init__(
        self,
        folder: Path,
        lexical: LexicalIndex,
        settings: Callable[[], RecallSettings],
        clock: Clock,
        noted: Callable[[int, int, Collection[str] | None], Awaitable[None]],
        by: Callable[[], LLMProfile | None] = lambda: None,
        budget: EmbeddingBudget | None = None,
    ) -> None:
        self._folder, self._lexical, self._settings = folder, lexical, settings
        self._clock, self._noted, self._by = clock, noted, by
        self._budget = budget or EmbeddingBudget(None, str, clock)
        self._queue = EmbeddingQueue(lexical, settings, clock, self._budget)
        self._child: VectorProcess | None = None
        self._examples: tuple[str, ...] = ()
        self._learned = 0
        """How many of the examples the child has."""
        self._obsolete: list[str] = []
        self._forgotten: list[str] = []
        self._failed: StoreFailed | None = None
        """Why the child gave a question no answer; it is replaced then."""
        self._work_to_do = asyncio.Event()
        self._verified = -VERIFY_EVERY
        self._failures = 0
        self._away = 0
        self._late: asyncio.Task[None] | None = None
        self._stopping = False
        self.settled = asyncio.Event()
        """Set when all is embedded, or will not be."""
        self._error = ""

    @property
    def trouble(self) -> str:
        """Why there are no vectors; empty when they are there or on their way."""
        return self._error or self._budget.trouble

    @property
    def wanted(self) -> bool:
        return self._settings().embedder != "none"

    @property
    def ready(self) -> bool:
        hears = not self._away and (self._late is None or self._late.done())
        return self._child is not None and self._child.ready and hears and self._serves(self._child)

    def _serves(self, child: VectorProcess) -> bool:
        return child.serves(self._settings(), self._by())

    def wake(self, obsolete: Collection[str] = ()) -> None:
        """Check for work, and remove the vectors with these ids."""
        self._obsolete.extend(obsolete)
        self.settled.clear()
        self._work_to_do.set()

    def forget(self, agent_id: str) -> None:
        """Remove and embed again all of an agent's vectors."""
        self._forgotten.append(agent_id)
        self.wake()

    def stop(self) -> None:
        self._stopping = True
        self._work_to_do.set()

    def kill(self) -> None:
        if self._child is not None:
            self._child.kill()

    async def run(self) -> None:
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
        while not self._stopping:
            self._work_to_do.clear()
            self._budget.review()
            if self._child is not None and not self._serves(self._child):
                await self._close()
            if self.wanted:
                await self._work_off()
            else:
                await self._report()
            if not self._work_to_do.is_set():
                self.settled.set()
            await self._wait_for_work()

    async def _wait_for_work(self) -> None:
        pause = self._budget.pause()
        try:
            await (self._work_to_do.wait() if pause is None else timeout(pause, self._work_to_do.wait(), self._clock))
        except TimeoutError:
            pass  # the agents in `without` are tried again

    async def _work_off(self) -> None:
        child = self._child
        if child is None:
            child = await self._open()
        else:
            await child.do(Store.check)
        if self._failed is not None:
            raise self._failed
        if self._away:
            await child.do(Store.greet)
            log.info("The server that embeds answers again.")
            self._away, self._error = 0, ""
        while not self._stopping:
            await self._remove_obsolete(child)
            reported = self._clock.monotonic()
            while not self._stopping and await self._queue.step(child):
                self._failures = 0
                if self._clock.monotonic() - reported >= REPORT_EVERY:
                    await self._report()
                    reported = self._clock.monotonic()
                await self._learn_examples(child)
                await self._remove_obsolete(child)
            await self._learn_examples(child)
            await self._report()
            if await self._verify(child):
                break

    async def _open(self) -> VectorProcess:
        self._queue.restart()
        self._learned = 0
        self._child = child = VectorProcess(self._folder, self._settings(), self._by())
        state = await child.open()
        if state.fresh or state.lost:
            beyond = 0 if state.fresh else self._settings().exact_up_to
            await self._lexical.run(tables.forget_vectors, None, beyond)
        self._obsolete = await self._lexical.run(tables.reconcile, state.documents)
        await self._report(everybody=True)
        self._error = ""
        self._verified = -VERIFY_EVERY
        return child

    async def _learn_examples(self, child: VectorProcess) -> None:
        """Embed the next examples of sentences; a server's vectors are not worth their price for them."""
        examples, start = self._examples, self._learned
        if not child.served and start < len(examples):
            some = examples[start : start + FEWEST]
            await child.do(Store.learn_examples, start, some)
            if examples is self._examples:
                self._learned += len(some)
            self._work_to_do.set()

    async def _embed_again(self, child: VectorProcess, agent_id: str, wanted: int) -> None:
        """Store an agent's vectors again, from the embedding cache."""
        if wanted:
            log.info("Some of the %d vectors of %s are missing; they are made anew.", wanted, agent_id)
        await child.do(Store.forget, agent_id)
        await self._lexical.run(tables.forget_vectors, agent_id)
        self._queue.changed.add(agent_id)
        await self._report()

    async def _verify(self, child: VectorProcess) -> bool:
        """Embed again what is missing in the child's index; return whether nothing was."""
        if self._clock.monotonic() - self._verified < VERIFY_EVERY or self._settings().embed != EVERYTHING:
            return True
        self._verified = self._clock.monotonic()
        agents, whole = await self._lexical.run(tables.agents_of), True
        for start in range(0, len(agents), VERIFIED):
            if self._stopping:
                break
            wanted = await self._lexical.run(tables.vectors_of, agents[start : start + VERIFIED])
            for agent_id in await child.do(Store.lacking, wanted):
                await self._embed_again(child, agent_id, wanted[agent_id][0])
                whole = False
        return whole

    async def _remove_obsolete(self, child: VectorProcess) -> None:
        while self._forgotten:
            await self._embed_again(child, self._forgotten[0], 0)
            del self._forgotten[0]
        obsolete, self._obsolete = self._obsolete, []
        for agent_id, ids in groupby(sorted(obsolete, key=agent_of), agent_of):
            await child.do(Store.remove, agent_id, list(ids))

    async def _report(self, *, everybody: bool = False) -> None:
        everything = self._settings().embed == EVERYTHING
        waiting, total = await self._lexical.run(tables.all_waiting, everything)
        changed, self._queue.changed = self._queue.changed, set()
        await self._noted(waiting, total, None if everybody else changed)

    async def _replace(self, error: LociError) -> None:
        """End the failed child; the next one fills an empty index from the cache."""
        await self._close()
        self._obsolete = []
        self._failures += not isinstance(error, FolderGone)
        if self._failures <= 1:
            log.info("The vectors begin again: %s.", error)
        elif self._failures == 2:  # said once, although it is tried again and again
            limited = resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
            hint = " (memory is limited: ulimit -v)" if limited else ""
            log.warning("Recall goes by words alone for now: %s%s.", error, hint)
        if self._failures:
            self._error = str(error)  # until the next child opens
        if self._failures >= HOPELESS:
            self.settled.set()
        if not self._stopping:
            await self._clock.sleep(FAILURE_PAUSES[min(self._failures, len(FAILURE_PAUSES) - 1)])

    async def _give_up(self, error: EmbedderMissing) -> None:
        """Use words only, until the settings change."""
        await self._close()
        if self._error != str(error):
            log.warning("Recall goes by words alone: %s.", error)
        self._error = str(error)
        given_up = self._settings().embedder, self._by()
        while (self._settings().embedder, self._by()) == given_up and not self._stopping:
            self.settled.set()
            self._work_to_do.clear()
            await self._work_to_do.wait()

    async def _wait_for_server(self, error: EmbedderAway) -> None:
        """Use words only for a while; an open child and all vectors are kept."""
        if self._child is not None and not self._child.ready:
            await self._close()
        if self._error != str(error):
            log.warning("Recall goes by words alone until its server answers: %s.", error)
        self._error = str(error)
        self._away += 1
        until = self._clock.monotonic() + AWAY_PAUSES[min(self._away, len(AWAY_PAUSES)) - 1]
        asked = self._settings().embedder, self._by()
        while not self._stopping and (left := until - self._clock.monotonic()) > 0:
            if (self._settings().embedder, self._by()) != asked:
                break
            self.settled.set()
            await self._clock.sleep(min(1.0, left))

    async def _close(self) -> None:
        child, self._child, self._failed = self._child, None, None
        if child is not None:
            await child.close()

    def query(self, text: str, agent: str, memories: bool, kinds: Collection[str]) -> Query:
        memories = memories and self._settings().embed == EVERYTHING
        return Query(text, agent, memories, tuple(TYPES[kind] for kind in kinds), NEAREST)

    async def similar_words(self, query: Query, words: Sequence[str]) -> dict[str, dict[str, float]]:
        """Map words to similar words with cosines; empty if too late. Call `nearest` with the same query next."""
        child = self._child
        if child is None or not self.ready:
            return {}
        answer = self._budget.ask(child, query, words, Store.similar_words, query, words)
        return await self._in_time(child, answer) or {}

    async def similarities(self, sentence: str, examples: tuple[str, ...]) -> list[float]:
        """Return how similar a sentence is to each example; empty if too late, or while the child has not all yet."""
        if examples != self._examples:
            self._examples, self._learned = examples, 0
        if self._learned < len(examples):
            self.wake()
        child = self._child
        if child is None or not self.ready or not self._learned or self._learned < len(examples):
            return []
        return await self._in_time(child, child.do(Store.compare, sentence)) or []

    async def nearest(self, query: Query) -> NearestVectors | None:
        """Return the vectors nearest to a question; None if too late or unavailable."""
        child = self._child
        if child is None or not self.ready:
            return None
        found = await self._in_time(child, self._budget.ask(child, query, (), Store.nearest, query))
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
            self._away, self._error = max(1, self._away), str(error)
            self.wake()
            return None
        except (StoreFailed, EmbedderMissing) as error:  # whether there is an embedder, the next child finds out
            child.ready = False
            if child is self._child:
                self._failed = error if isinstance(error, StoreFailed) else StoreFailed(str(error))
            self.wake()
            return None

    async def _until_it_answers(self, child: VectorProcess) -> None:
        """Return when the child has finished the late call; until then it gets no questions."""
        try:
            await child.do(Store.check)
        except StoreFailed:
            self.wake()
