"""Runs a life in a scratch vault and asks its questions through the search that the world uses.

The clock stands at the end of the life, so that scores do not depend on the day of the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.agent import Agent
from agents.memory.entries import Hit
from agents.recall.recall import FOLDER
from agents.recall.settings import RecallSettings
from mud.errors import LociError
from mud.server.bulk import live_through, newcomer
from mud.server.wiring import Parts, opened
from tests.benchmarks._bench import Say
from tests.benchmarks._recall.apart import Apart
from tests.benchmarks._recall.bm25 import BM25
from tests.benchmarks._recall.lives import BenchmarkLife
from tests.benchmarks._scratch import NAME, NONE, clock_of

TIMED = 10
"""Hits of a search whose time is taken."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One way of asking; `only` and `by` are passed to `search`."""

    name: str
    only: str | None
    by: str


WINDOW, CHROMA, YARDSTICK = "window", "chroma", "bm25"
"""Ways without `search`: the newest memories, chromadb's plain query, and BM25."""


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """One hit; `place` is that of the memory in its life, from 0, or None for a summary or note."""

    place: int | None
    score: float
    text: str


@dataclass
class RecalledLife:
    """The result of a life.

    Args:
        found: by arm and question, the hits, best first.
        milliseconds: of each question by the first arm, `TIMED` hits.
        fill_seconds: until all was appended, folded and indexed.
        behind: searches without vectors because these did not answer in time.
        tokens: length of each memory's text.
    """

    found: dict[str, list[list[FoundMemory]]] = field(default_factory=dict)
    milliseconds: list[float] = field(default_factory=list)
    fill_seconds: float = 0.0
    folds: int = 0
    embedder: str = ""
    behind: int = 0
    tokens: list[int] = field(default_factory=list)


def run_life(
    vault: Path, life: BenchmarkLife, arms: Sequence[Arm], beside: Collection[str], k: int, apart: Apart, say: Say
) -> RecalledLife:
    """Run a life and ask every question in every way.

    Args:
        vault: a vault for this alone, see `scratch`.
        arms: the ways of asking; the first is timed.
        beside: which of `WINDOW`, `CHROMA` and `YARDSTICK` to ask too.
        k: hits that are asked for.
    """
    lived = RecalledLife()
    with opened(vault, writable=True, clock=clock_of(life.records)) as parts:
        lived.embedder = parts.configuration.get(RecallSettings).embedder
        vectors = lived.embedder != NONE
        used = [arm for arm in arms if vectors or arm.by != "vectors"]
        asyncio.run(_live(parts, life, used, k, lived, say))
        texts = [str(one["text"]) for one in life.records]
        if WINDOW in beside:
            lived.found[WINDOW] = [_window(texts, k)] * len(life.questions)
        if YARDSTICK in beside:
            yardstick = BM25(texts)
            lexical = [yardstick.found(one.text, k) for one in life.questions]
            lived.found[YARDSTICK] = [[FoundMemory(at, score, texts[at]) for at, score in one] for one in lexical]
        if CHROMA in beside and vectors:
            questions = [one.text for one in life.questions]
            plain = apart.plain_chroma(vault / FOLDER, lived.embedder, texts, questions, k)
            lived.found[CHROMA] = [[FoundMemory(at, score, texts[at]) for at, score in one] for one in plain]
        lived.tokens = apart.count_tokens(texts)
    return lived


def _window(texts: Sequence[str], k: int) -> list[FoundMemory]:
    """Return the newest memories, the last first: all that an agent sees without recall."""
    places = range(len(texts) - 1, max(-1, len(texts) - 1 - k), -1)
    return [FoundMemory(place, float(place), texts[place]) for place in places]


async def _live(parts: Parts, life: BenchmarkLife, arms: Sequence[Arm], k: int, lived: RecalledLife, say: Say) -> None:
    agent = newcomer(parts, NAME)
    begun = time.perf_counter()
    await parts.recall.start()
    try:
        await live_through(parts, agent, life.records)
        if not await parts.recall.complete() and lived.embedder != NONE:
            raise LociError(f"the vectors are missing: {parts.recall.trouble}")
        lived.fill_seconds = time.perf_counter() - begun
        lived.folds = agent.memory.compactions
        say(f"{len(life.records)} memories, {lived.folds} folds, {lived.fill_seconds:.1f} s; now the questions")
        for question in life.questions:
            await _ask(parts, agent, question.text, arms, k, lived)
    finally:
        await parts.recall.stop()


async def _ask(parts: Parts, agent: Agent, question: str, arms: Sequence[Arm], k: int, lived: RecalledLife) -> None:
    first = arms[0]
    begun = time.perf_counter()
    await parts.recall.search(agent.id, question, TIMED, first.only, by=first.by)
    lived.milliseconds.append(1000 * (time.perf_counter() - begun))
    for arm in arms:
        hits, behind = await parts.recall.search(agent.id, question, k, arm.only, by=arm.by)
        lived.behind += behind
        lived.found.setdefault(arm.name, []).append([_found(hit) for hit in hits])


def _found(hit: Hit) -> FoundMemory:
    return FoundMemory(None if hit.seq is None else hit.seq - 1, hit.score, hit.text)
