"""Summaries made anew, for tests: what does it for a life, and what is shown of that life then."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from agents.compaction.rebuild import REBUILD, Rebuild, Rebuilt
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import coverage, holes
from tests.lives import Life


def rebuilding(life: Life) -> Rebuild:
    """Return what makes a life's summaries anew."""
    services = life.compactor.services
    life.compactor.services = replace(services, model=life.model)  # type: ignore[arg-type]
    return Rebuild(life.compactor, life.disk.open)


def rebuilt(life: Life, reason: str = REBUILD) -> Rebuilt:
    """Make its summaries anew."""
    return asyncio.run(rebuilding(life).run(reason))


def shown(life: Life) -> list[tuple[str, tuple[int, int], str]]:
    """Return its summaries: tier, range and text."""
    found = (life.memory.longterm, life.memory.recent)
    return [(one.tier, one.covers, one.text) for one in found if one is not None]


def tiles(life: Life) -> bool:
    """Return whether its view tiles the whole life."""
    view = life.compactor.view.shown()
    return holes(coverage(view), life.memory.total + life.memory.waiting) == ([], [])


def unfolded(strategy: str) -> CompactionSettings:
    """Return settings with which nothing is folded by itself, nor by a model."""
    return CompactionSettings(summarizer="extractive", strategy=strategy, auto_enabled=False)
