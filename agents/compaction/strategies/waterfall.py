"""The waterfall: recent memories become a short summary, and the previous short summary is merged into the long one.

With windows of 64 and 64, folds are due at 129, 193, 257 ... memories and take 1-65, 66-129, 130-193 ...: a fold
waits until both windows are full and one memory has left them.
"""

from __future__ import annotations

from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import LEAST_MEMORY, DueFold, MemoryState, Reach, Strategy, ViewBudget, newest


def next_at(state: MemoryState, settings: CompactionSettings) -> int:
    first = state.watermark == 0
    return state.watermark + settings.recent_window + first + settings.immediate_window


def due(state: MemoryState, settings: CompactionSettings) -> DueFold | None:
    at = next_at(state, settings)
    return DueFold(state.watermark + 1, at - settings.immediate_window) if state.total >= at else None


def reach(settings: CompactionSettings, window: int) -> Reach:
    """Return the larger window as the deciding key, and the tokens of so many short memories."""
    key = "immediate_window" if settings.immediate_window >= settings.recent_window else "recent_window"
    return key, LEAST_MEMORY * (settings.immediate_window + settings.recent_window + 1)


WATERFALL = Strategy(
    "waterfall",
    "Two summaries, a short one of the last fold and a long one of all before it; the newest memories word for word.",
    due=due,
    manual=lambda state, settings: state.all_but_newest(settings.immediate_window),
    waits=lambda state, settings: f"at {next_at(state, settings)} memories",
    keeps=lambda settings: newest(settings.immediate_window),
    next_at=next_at,
    by_number=True,
    budgets=lambda state, settings: (
        ViewBudget("memories", state.unfolded, settings.immediate_window + settings.recent_window),
    ),
    reach=reach,
)
