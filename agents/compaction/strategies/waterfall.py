"""The waterfall: recent memories become a short summary, and the previous short summary is merged into the long one.

With windows of 64 and 64, folds are due at 129, 193, 257 ... memories and take 1-65, 66-129, 130-193 ...: a fold
waits until both windows are full and one memory has left them.
"""

from __future__ import annotations

from agents.compaction.plan import DueFold
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import LEAST_MEMORY, MemoryState, Reach, Strategy, ViewBudget, all_but_newest, newest


def _end(state: MemoryState, settings: CompactionSettings) -> int:
    return state.watermark + settings.recent_window + (1 if state.watermark == 0 else 0)


def next_at(state: MemoryState, settings: CompactionSettings) -> int | None:
    return _end(state, settings) + settings.immediate_window


def due(state: MemoryState, settings: CompactionSettings) -> DueFold | None:
    end = _end(state, settings)
    return DueFold(state.watermark + 1, end) if state.total >= end + settings.immediate_window else None


def manual(state: MemoryState, settings: CompactionSettings) -> DueFold | None:
    return all_but_newest(state, settings.immediate_window)


def budgets(state: MemoryState, settings: CompactionSettings) -> tuple[ViewBudget, ...]:
    return (ViewBudget("memories", state.unfolded, settings.immediate_window + settings.recent_window),)


def reach(settings: CompactionSettings, window: int) -> Reach:
    """Return the larger window as the deciding key, and the tokens of so many short memories."""
    key = "immediate_window" if settings.immediate_window >= settings.recent_window else "recent_window"
    return key, LEAST_MEMORY * (settings.immediate_window + settings.recent_window + 1)


WATERFALL = Strategy(
    "waterfall",
    "Two summaries, a short one of the last fold and a long one of all before it; the newest memories word for word.",
    due=due,
    manual=manual,
    waits=lambda state, settings: f"at {next_at(state, settings)} memories",
    keeps=lambda settings: newest(settings.immediate_window),
    next_at=next_at,
    by_number=True,
    budgets=budgets,
    reach=reach,
)
