"""Days, weeks, months and years: the older a time, the more of it a summary tells.

The recent summary is that of the last fold, which holds memories of one day, or of several with few memories each. In
the long-term summary, the folds of a day become one, the days of a past week, the weeks of a past month, the months of
a past year. A fold is due when a day is over, in a long day as with the waterfall, and asleep for less.
"""

from __future__ import annotations

from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import DueFold, MemoryState, Strategy, newest
from agents.compaction.strategies.waterfall import WATERFALL, next_at

_LEAST_SHARE = 4  # a day, or the part of it that is folded asleep, has this fraction (1/4) of the window at least


def due(state: MemoryState, settings: CompactionSettings) -> DueFold | None:
    at, least = next_at(state, settings), -(-settings.recent_window // _LEAST_SHARE)
    last = min(state.total, at) - settings.immediate_window
    if last <= state.watermark:
        return None
    end = state.whole_days(last, least)
    rests = state.asleep and end - state.watermark >= least
    return DueFold(state.watermark + 1, end) if end < last or state.total >= at or rests else None


HIERARCHICAL = Strategy(
    "hierarchical",
    "A summary of each day of this week, each week of this month, each month and each year; the newest memories of "
    "today word for word.",
    due=due,
    manual=WATERFALL.manual,
    waits=lambda state, settings: f"at {next_at(state, settings)} memories, or when a day is over",
    keeps=lambda settings: newest(settings.immediate_window),
    next_at=next_at,
    by_period=True,
    budgets=WATERFALL.budgets,
    reach=WATERFALL.reach,
)
