"""How fast recall is over many memories: filling, asking, and how long the event loop is blocked.

Memories and their stored vectors are made up. Memories are indexed as usual; the vectors go into the cache from which
an index is rebuilt. Questions and the memories that come last are embedded for real.
"""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from agents.memory.entries import Entry
from agents.recall.documents import digest_of, text_of
from agents.recall.recall import FOLDER, LEXICAL, RecallService
from agents.recall.settings import RecallSettings
from mud.errors import LociError
from mud.server.garbage import spare_what_stays
from mud.server.wiring import Parts, opened
from tests.benchmarks._bench import Report, Say, Table
from tests.benchmarks._recall.apart import Apart
from tests.benchmarks._recall.made_up import MadeUp, end_of
from tests.benchmarks._recall.scores import percentile
from tests.benchmarks._scratch import GRAPHS, NONE, LifeClock, scratch

QUESTIONS = 300
"""Questions of each way of asking."""
CACHE = "embeddings.sqlite3"
"""File of stored vectors in the folder of the index."""
FRESH = 1000
"""Memories added at the end; new texts among them are embedded for real."""
WORDS = 15_000
"""Different telling words."""
TICK = 0.001
"""Seconds between two checks of the event loop."""
ASKED = ("both", "words")
"""The ways of asking that are timed, each with its own questions, because asking warms the caches."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is made up; `memories` is the number in each life."""

    lives: int
    memories: int
    seed: int

    @property
    def block(self) -> str:
        return f"recall speed {self.lives} x {self.memories}"

    @property
    def total(self) -> int:
        return self.lives * self.memories


@dataclass
class Measured:
    """Results, in seconds, milliseconds and megabytes.

    Args:
        lexical_seconds: for the words of all memories.
        vectors, vectors_seconds: vectors indexed, and the time that took; 0 when it was too quick to measure.
        fresh, fresh_seconds: new texts among `FRESH` more memories, and the time for all of these.
        queries: milliseconds of each question, by way of asking.
        blocked: the longest time that the event loop was blocked, by activity.
        worked: the same in CPU time, without the share of other processes.
        rss: memory of this process and its children.
    """

    lexical_seconds: float = 0.0
    vectors: int = 0
    vectors_seconds: float = 0.0
    fresh: int = 0
    fresh_seconds: float = 0.0
    queries: dict[str, list[float]] = field(default_factory=dict)
    blocked: dict[str, float] = field(default_factory=dict)
    worked: dict[str, float] = field(default_factory=dict)
    rss: dict[str, float] = field(default_factory=dict)


def measure(vault: Path, size: Size, cache: Path, say: Say) -> Report:
    """Fill an index and take the times; nothing made up gets into `cache`."""
    begun = time.perf_counter()
    clock, measured = LifeClock(end_of(size.memories + FRESH)), Measured()
    with scratch(vault, cache, GRAPHS) as folder, Apart() as apart:
        made = MadeUp(size.seed, apart.frequent_words(WORDS))
        with opened(folder, writable=True, clock=clock) as parts:
            embedder = parts.configuration.get(RecallSettings).embedder
            asyncio.run(_fill(parts.recall, size, made, measured, say))
        if embedder != NONE:
            say("making up vectors")
            measured.vectors = apart.make_up_vectors(folder / FOLDER, LEXICAL, embedder)
        apart.close()
        with opened(folder, writable=True, clock=clock) as parts:
            asyncio.run(_ask(parts, size, made, measured, say))
    return _report(size, embedder, measured, time.perf_counter() - begun)


class MadeUpMemories:
    """Reads made-up memories of one life, as an archive does."""

    def __init__(self, made: MadeUp, life: int, count: int) -> None:
        self._made, self._life = made, life
        self._ready = [made.entry(life, seq) for seq in range(1, count + 1)]

    def read(self, first: int, last: int) -> Sequence[Entry]:
        if self._ready:
            return self._ready[first - 1 : last]
        return [self._made.entry(self._life, seq) for seq in range(first, last + 1)]

    def let_go(self) -> None:
        """Drop the memories from RAM, since they are no part of what is measured."""
        self._ready = []


async def _fill(recall: RecallService, size: Size, made: MadeUp, measured: Measured, say: Say) -> None:
    await recall.start(vectors=False)
    try:
        for life in range(1, size.lives + 1):
            source = MadeUpMemories(made, life, size.memories)
            begun = time.perf_counter()
            async with _watched(measured, "filling words"):
                await recall.catch_up(_agent(life), size.memories, source.read)
            measured.lexical_seconds += time.perf_counter() - begun
            source.let_go()
            if life % max(1, size.lives // 10) == 0:
                say(f"words: {life * size.memories} of {size.total} memories")
    finally:
        await recall.stop()


def _agent(life: int) -> str:
    return f"#{life}"


async def _ask(parts: Parts, size: Size, made: MadeUp, measured: Measured, say: Say) -> None:
    """Fill in the vectors, ask, and add memories while questions can be asked."""
    recall = parts.recall
    await recall.start()
    spare_what_stays()  # as a starting world does
    try:
        for life in range(1, size.lives + 1):
            source = MadeUpMemories(made, life, 0)
            await recall.catch_up(_agent(life), size.memories, source.read)
        async with _watched(measured, "filling vectors"):
            timed = Timed(say)
            await _complete(recall, parts, timed)
        measured.vectors_seconds = timed.seconds / timed.share if timed.share else 0.0
        say("asking")
        for place, by in enumerate(ASKED):
            async with _watched(measured, "asking"):
                measured.queries[by] = await _query(recall, size, made, by, 1 + place * QUESTIONS)
        measured.rss = _rss()
        say("adding more")
        new = [made.entry(1, seq) for seq in range(size.memories + 1, size.memories + FRESH + 1)]
        measured.fresh = _not_embedded(parts.vault / FOLDER / CACHE, [text_of(entry) for entry in new])
        begun = time.perf_counter()
        async with _watched(measured, "adding"):
            recall.remember(_agent(1), new)
            await _complete(recall, parts, lambda done, total: None)
        measured.fresh_seconds = time.perf_counter() - begun
    finally:
        await recall.stop()


def _not_embedded(cache: Path, texts: Sequence[str]) -> int:
    """Return how many different texts have no vector in the cache yet; 0 without an embedder."""
    if not cache.exists():
        return 0
    # With the model first, the primary key is used; a full scan would take too long.
    known = "SELECT 1 FROM vectors WHERE model = (SELECT model FROM vectors LIMIT 1) AND digest = ?"
    with closing(sqlite3.connect(f"{cache.absolute().as_uri()}?mode=ro", uri=True)) as db:
        return sum(db.execute(known, (digest_of(text),)).fetchone() is None for text in set(texts))


async def _complete(recall: RecallService, parts: Parts, progress: Callable[[int, int], None]) -> None:
    if not await recall.complete(progress) and parts.configuration.get(RecallSettings).embedder != NONE:
        raise LociError(f"the vectors are missing: {recall.trouble}")


class Timed:
    """Times filling from the first report on, to leave out the start of the child process."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._tenth = 0
        self._first: tuple[float, float] | None = None
        self.share = self.seconds = 0.0
        """The share of the work done since then, and the seconds it took."""

    def __call__(self, done: int, total: int) -> None:
        now, part = time.perf_counter(), done / max(1, total)
        self._first = self._first or (part, now)
        self.share, self.seconds = part - self._first[0], now - self._first[1]
        if int(10 * part) > self._tenth:
            self._tenth = int(10 * part)
            self._say(f"vectors: {done} of {total}")


async def _query(recall: RecallService, size: Size, made: MadeUp, by: str, first: int) -> list[float]:
    """Return the milliseconds of each of `QUESTIONS` questions, each put to a random agent."""
    chance, times = Random(f"{size.seed} {by}"), []
    for number in range(first, first + QUESTIONS):
        agent, question = _agent(chance.randint(1, size.lives)), made.question(number)
        begun = time.perf_counter()
        await recall.search(agent, question, by=by)
        times.append(1000 * (time.perf_counter() - begun))
    return times


@asynccontextmanager
async def _watched(measured: Measured, what: str) -> AsyncIterator[None]:
    """Record the longest time for which the event loop is blocked during an activity."""
    ticking = asyncio.create_task(_tick(measured, what))
    try:
        yield
        await asyncio.sleep(2 * TICK)  # one more tick, as it may have been blocked to the very end
    finally:
        ticking.cancel()
        await asyncio.wait([ticking])


async def _tick(measured: Measured, what: str) -> None:
    while True:
        begun, worked = time.perf_counter(), time.process_time()
        await asyncio.sleep(TICK)
        late = max(0.0, 1000 * (time.perf_counter() - begun - TICK))
        busy = min(late, 1000 * (time.process_time() - worked))
        measured.blocked[what] = max(measured.blocked.get(what, 0.0), late)
        measured.worked[what] = max(measured.worked.get(what, 0.0), busy)


def _rss() -> dict[str, float]:
    """Return the resident memory of this process and its children, 0 where there is no /proc."""
    files = Path("/proc/self/task").glob("*/children")
    children = sum(_resident(int(pid)) for file in files for pid in file.read_text().split())
    return {"parent": _resident(os.getpid()), "child": children}


def _resident(pid: int | None) -> float:
    try:
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def _report(size: Size, embedder: str, measured: Measured, seconds: float) -> Report:
    queries = {
        by: {f"p{part}_ms": _rounded(percentile(times, part / 100), 2) for part in (50, 95, 99)}
        for by, times in measured.queries.items()
    }
    record: dict[str, Any] = {
        "bench": "recall",
        "data": None,
        "lives": size.lives,
        "memories": size.memories,
        "seed": size.seed,
        "embedder": embedder,
        **queries["both"],
        "queries": queries,
        "lexical_per_second": _rate(size.total, measured.lexical_seconds),
        "vectors": measured.vectors,
        "vectors_per_second": _rate(measured.vectors, measured.vectors_seconds),
        "embedded": measured.fresh,
        "embedded_per_second": _rate(measured.fresh, measured.fresh_seconds),
        "blocked_ms": {what: _rounded(longest, 1) for what, longest in measured.blocked.items()},
        "blocked_cpu_ms": {what: _rounded(longest, 1) for what, longest in measured.worked.items()},
        "rss_mb": {who: _rounded(mb, 1) for who, mb in measured.rss.items()},
        "seconds": round(seconds, 1),
    }
    below = (
        f"Memories and stored vectors are made up (seed {size.seed}), the {QUESTIONS} questions of each way are "
        f"embedded for real by {embedder}. Our own work is the processor's time in it: the rest went to other "
        f"processes of the machine. Everything took {record['seconds']} s."
    )
    head = [f"{size.lives:,} x {size.memories:,} memories", "measured"]
    return Report(size.block, record, [Table(head, list(_rows(record)))], below)


def _rows(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for by, times in record["queries"].items():
        yield f"a query by {by}: p50 / p95 / p99, ms", " / ".join(map(str, times.values()))
    yield "memories indexed by their words, a second", _shown(record["lexical_per_second"])
    yield f"stored vectors, a second (of {record['vectors']:,})", _shown(record["vectors_per_second"])
    embedded = f"new texts embedded, a second ({record['embedded']:,} of {FRESH:,} memories; the others repeat one)"
    yield embedded, _shown(record["embedded_per_second"])
    for what, longest in record["blocked_ms"].items():
        own = record["blocked_cpu_ms"][what]
        yield f"the event loop stood still while {what}: ms at most / of our own work", f"{longest} / {own}"
    for who, size in record["rss_mb"].items():
        yield f"resident memory, {who}, MB", str(size)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _rate(count: int, seconds: float) -> int | None:
    return round(count / seconds) if count and seconds else None


def _shown(rate: int | None) -> str:
    return "none" if rate is None else f"{rate:,}"
