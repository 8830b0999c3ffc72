"""Masking and one rolling summary at 43 memories, as in "The Complexity Trap" (arXiv 2508.21433)."""

from __future__ import annotations

from agents.compaction.plan import DueFold
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import LEAST_MEMORY, MemoryState, Strategy, ViewBudget, all_but_newest, newest


def _due_from(settings: CompactionSettings) -> int:
    return max(settings.hybrid_entries, settings.hybrid_keep + 1)


def next_at(state: MemoryState, settings: CompactionSettings) -> int | None:
    return state.watermark + _due_from(settings)


def due(state: MemoryState, settings: CompactionSettings) -> DueFold | None:
    return manual(state, settings) if state.unfolded >= settings.hybrid_entries else None


def manual(state: MemoryState, settings: CompactionSettings) -> DueFold | None:
    return all_but_newest(state, settings.hybrid_keep)


HYBRID = Strategy(
    "hybrid",
    "Old results shrink to a line, and when there are many memories all but the newest are folded into one summary.",
    due=due,
    manual=manual,
    waits=lambda state, settings: f"at {next_at(state, settings)} memories",
    keeps=lambda settings: newest(settings.hybrid_keep),
    next_at=next_at,
    by_number=True,
    rolling=True,
    masks=True,
    budgets=lambda state, settings: (ViewBudget("memories", state.unfolded, _due_from(settings) - 1),),
    reach=lambda settings, window: ("hybrid_entries", LEAST_MEMORY * settings.hybrid_entries),
)
