"""Masking and one rolling summary at 43 memories, as in "The Complexity Trap" (arXiv 2508.21433)."""

from __future__ import annotations

from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import LEAST_MEMORY, MemoryState, Strategy, ViewBudget, newest


def _due_from(settings: CompactionSettings) -> int:
    return max(settings.hybrid_entries, settings.hybrid_keep + 1)


def next_at(state: MemoryState, settings: CompactionSettings) -> int:
    return state.watermark + _due_from(settings)


HYBRID = Strategy(
    "hybrid",
    "Old results shrink to a line, and when there are many memories all but the newest are folded into one summary.",
    due=lambda state, settings: (
        state.all_but_newest(settings.hybrid_keep) if state.total >= next_at(state, settings) else None
    ),
    manual=lambda state, settings: state.all_but_newest(settings.hybrid_keep),
    waits=lambda state, settings: f"at {next_at(state, settings)} memories",
    keeps=lambda settings: newest(settings.hybrid_keep),
    next_at=next_at,
    by_number=True,
    rolling=True,
    masks=True,
    budgets=lambda state, settings: (ViewBudget("memories", state.unfolded, _due_from(settings) - 1),),
    reach=lambda settings, window: ("hybrid_entries", LEAST_MEMORY * settings.hybrid_entries),
)
