"""Live a life in a vault of its own, through the path of `remember`, and ask it through the door that the world uses.

The questions are asked at the moment at which the life ends: a bench that counted from today would give other scores
tomorrow.
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
    """One way of asking through the door.

    Args:
        name: its name.
        only: what is looked in, as `search` takes it.
        by: what is looked with, as `search` takes it.
    """

    name: str
    only: str | None
    by: str


WINDOW, CHROMA, YARDSTICK = "window", "chroma", "bm25"
"""Ways beside the door: the newest memories without any search, chromadb's own plain query, and BM25."""


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """One thing that was found.

    Args:
        place: place of the memory in its life, from 0; None of a summary or note.
        score: the higher, the better.
        text: what it says.
    """

    place: int | None
    score: float
    text: str


@dataclass
class RecalledLife:
    """What came of a life.

    Args:
        found: by arm and question, what was found, best first.
        milliseconds: of each question by the first arm, `TIMED` hits.
        fill_seconds: until everything was remembered, folded and indexed.
        folds: how often it was folded.
        embedder: what made the vectors.
        behind: searches that went without the vectors, because these did not answer in time.
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
    """Live a life, ask every question in every way, and say how it went.

    Args:
        vault: a vault for this alone, see `scratch`.
        life: what is lived through and asked.
        arms: the ways of asking; of the first the times are taken.
        beside: which of `WINDOW`, `CHROMA` and `YARDSTICK` besides.
        k: hits that are asked for.
        apart: the child process for what the world's own must not load.
        say: is told how far it is.

    Raises:
        LociError: there are no vectors although the settings want them.
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
    """Return the newest memories, the last first: all that one without recall can see."""
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
    await parts.minds.search(agent, question, TIMED, first.only, by=first.by)
    lived.milliseconds.append(1000 * (time.perf_counter() - begun))
    for arm in arms:
        hits, behind = await parts.minds.search(agent, question, k, arm.only, by=arm.by)
        lived.behind += behind
        lived.found.setdefault(arm.name, []).append([_found(hit) for hit in hits])


def _found(hit: Hit) -> FoundMemory:
    return FoundMemory(None if hit.seq is None else hit.seq - 1, hit.score, hit.text)
