"""The sliding window, for comparison: the newest memories and a marker for the older ones. Nothing is folded."""

from __future__ import annotations

from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import MemoryState, Strategy, ViewBudget
from agents.memory.entries import Range


def hides(state: MemoryState, settings: CompactionSettings) -> Range | None:
    end = state.total - settings.sliding_entries
    return (state.watermark + 1, end) if end > state.watermark else None


def budgets(state: MemoryState, settings: CompactionSettings) -> tuple[ViewBudget, ...]:
    return (ViewBudget("memories", min(state.unfolded, settings.sliding_entries), settings.sliding_entries),)


SLIDING_WINDOW = Strategy(
    "sliding_window",
    "The newest memories and nothing else; what is older only recall finds.",
    hides=hides,
    budgets=budgets,
)
