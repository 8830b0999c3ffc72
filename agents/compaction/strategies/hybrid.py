"""Masking, and a summary now and then: results shrink early, and at 43 memories all but the newest ten are folded.

The numbers are those of "The Complexity Trap" (arXiv 2508.21433); one summary is carried on from fold to fold.
"""

from __future__ import annotations

from agents.compaction.memory_state import MemoryState, ViewBudget
from agents.compaction.plan import DueFold
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategy import LEAST_MEMORY, Strategy, newest


def next_at(standing: MemoryState, settings: CompactionSettings) -> int | None:
    """Return at how many memories the next fold is due."""
    return standing.watermark + max(settings.hybrid_entries, settings.hybrid_keep + 1)


def due(standing: MemoryState, settings: CompactionSettings) -> DueFold | None:
    """Return all but the newest once there are enough."""
    return manual(standing, settings) if standing.unfolded >= settings.hybrid_entries else None


def manual(standing: MemoryState, settings: CompactionSettings) -> DueFold | None:
    """Return all but the newest."""
    end = standing.total - settings.hybrid_keep
    return DueFold(standing.watermark + 1, end) if end > standing.watermark else None


def budgets(standing: MemoryState, settings: CompactionSettings) -> tuple[ViewBudget, ...]:
    """Return how many memories stand word for word, or masked, at most. Beside them is one summary."""
    return (ViewBudget("memories", standing.unfolded, max(settings.hybrid_entries, settings.hybrid_keep + 1) - 1),)


HYBRID = Strategy(
    "hybrid",
    "Old results shrink to a line, and when there are many memories all but the newest are folded into one summary.",
    due=due,
    manual=manual,
    waits=lambda standing, settings: f"at {next_at(standing, settings)} memories",
    keeps=lambda settings: newest(settings.hybrid_keep),
    next_at=next_at,
    by_number=True,
    rolling=True,
    masks=True,
    budgets=budgets,
    reach=lambda settings, window: ("hybrid_entries", LEAST_MEMORY * settings.hybrid_entries),
)
