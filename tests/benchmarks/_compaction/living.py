"""Runs one life under one strategy in a scratch vault, and checks which facts are kept.

Memories are appended one at a time, so that the view is measured after each. The agent never sleeps, so a strategy
that folds during sleep folds only when it must.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from agents.agent import Agent
from agents.compaction.settings import CompactionSettings
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import at_most
from agents.recall.settings import RecallSettings
from mud.errors import LociError
from mud.server.bulk import live_through, newcomer
from mud.server.wiring import Parts, opened
from mud.storage.settings import replace_setting
from tests.benchmarks._compaction.keeping import in_window
from tests.benchmarks._compaction.watching import Calls, FoldWatch, WatchTotals
from tests.benchmarks._recall.lives import BenchmarkLife
from tests.benchmarks._recall.scores import answered
from tests.benchmarks._recall.telling import AMONG
from tests.benchmarks._scratch import KEPT, NAME, NONE, clock_of, scratch

CONFIG = "config/memory_compaction.md"
RECALL = "config/recall.md"
THINK_PROFILE = "config/llm/think.md"
PATIENCE = 60.0
"""Seconds that a question waits for vectors, so that a busy machine does not lower the scores."""


@dataclass(frozen=True, slots=True)
class LivingMode:
    """How lives are run.

    Args:
        vault: whose settings are used.
        cache: folder of vectors computed before.
        model: use the model of the vault's profile for summaries.
        vectors: recall uses vectors too.
    """

    vault: Path
    cache: Path
    model: bool = False
    vectors: bool = True


@dataclass(frozen=True, slots=True)
class LivedLife:
    """The result of a life.

    Args:
        window: context window in tokens.
        calls: answers of the model.
        skipped: folds not made because they would have saved too little.
        seconds: without measuring and without vectors.
        archive, summaries: bytes on disk.
        embedder: `none` without vectors.
        in_view, recalled: for each question, whether the view holds its answer and whether recall found it.
    """

    totals: WatchTotals
    window: int
    calls: int
    skipped: int
    seconds: float
    archive: int
    summaries: int
    embedder: str
    in_view: list[bool]
    recalled: list[bool]


def live(
    life: BenchmarkLife, way: LivingMode, settings: Mapping[str, str | int], *, ask: bool, window: int | None = None
) -> LivedLife:
    """Run a life.

    Args:
        settings: values for `CONFIG`.
        ask: ask the questions; otherwise no vectors are made.
        window: context window in tokens; None for the vault's.
    """
    with scratch(way.vault, way.cache, KEPT if ask else ()) as vault:
        _set(vault, CONFIG, CompactionSettings, settings)
        if window is not None:
            _set(vault, THINK_PROFILE, LLMProfile, {"num_ctx": window})
        _set(vault, RECALL, RecallSettings, {"patience": PATIENCE})
        with opened(vault, writable=True, clock=clock_of(life.records)) as parts:
            return asyncio.run(_live(parts, life, way, ask))


def _set(vault: Path, file: str, schema: type, settings: Mapping[str, str | int | float]) -> None:
    path = vault / file
    text = path.read_text("utf-8") if path.is_file() else ""
    for key, value in settings.items():
        text = replace_setting(text, schema, key, value, file)
    path.write_text(text, "utf-8")


async def _live(parts: Parts, life: BenchmarkLife, way: LivingMode, ask: bool) -> LivedLife:
    means = parts.minds.means
    calls = Calls(means.ask) if way.model and means.ask is not None else None
    parts.minds.means = replace(means, ask=calls)
    embedder = parts.configuration.get(RecallSettings).embedder if way.vectors else NONE
    agent = newcomer(parts, NAME)
    watch = FoldWatch(agent, parts.minds.means, parts.clock, at_most, calls is not None)
    await parts.recall.start(vectors=ask and embedder != NONE)
    try:
        begun = time.perf_counter()
        await live_through(parts, agent, life.records, batch=1, fold=watch.fold)
        seconds = time.perf_counter() - begun - watch.totals.beside
        if calls is not None and watch.totals.folds and not calls.answered:
            silent = "; ".join(parts.queue.silent(["summarizer"]))
            raise LociError(f"the model did not answer: {silent or 'nobody knows why'}")
        recalled = await _recalled(parts, agent, life, embedder) if ask else []
    finally:
        await parts.recall.stop()
        await parts.queue.close(0)
    return LivedLife(
        totals=watch.totals,
        window=watch.window,
        calls=calls.answered if calls is not None else 0,
        skipped=agent.compactor.skipped,
        seconds=seconds,
        archive=size_of(agent.folder / "archive"),
        summaries=size_of(agent.folder / "summaries"),
        embedder=embedder,
        in_view=_in_view(watch, life) if ask else [],
        recalled=recalled,
    )


def _in_view(watch: FoldWatch, life: BenchmarkLife) -> list[bool]:
    shown = in_window(watch.view.shown(), watch.window, at_most)
    return [answered(question.answer, shown) for question in life.questions]


async def _recalled(parts: Parts, agent: Agent, life: BenchmarkLife, embedder: str) -> list[bool]:
    by = "words" if embedder == NONE else "both"
    if by == "both" and not await parts.recall.complete():
        raise LociError(f"the vectors are missing: {parts.recall.trouble}")
    right = []
    for question in life.questions:
        hits, behind = await parts.recall.search(agent.id, question.text, AMONG, by=by)
        if behind and by == "both":  # otherwise a busy machine would look like worse recall
            raise LociError(f"the vectors did not answer within {PATIENCE:.0f} s")
        right.append(answered(question.answer, [hit.text for hit in hits]))
    return right


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0
