"""The waterfall: recent memories become a short summary, the short summary before it flows into the long one.

With windows of 64 and 64 folds are due at 129, 193, 257 ... memories and take 1-65, 66-129, 130-193 ...: the first one
entry more, because a fold waits until both windows are full and one memory has left them. A fold that comes late takes
the range it would have taken on time.
"""

from __future__ import annotations

from agents.compaction.plan import CompactionSettings, Range
from agents.compaction.strategies._strategy import Strategy


def _end(watermark: int, settings: CompactionSettings) -> int:
    """Return the last memory of the next fold."""
    return watermark + settings.recent_window + (1 if watermark == 0 else 0)


def next_at(total: int, watermark: int, settings: CompactionSettings) -> int | None:
    """Return at how many memories the next fold is due; a fold that is overdue keeps the number it was due at."""
    return _end(watermark, settings) + settings.immediate_window


def due(total: int, watermark: int, settings: CompactionSettings) -> Range | None:
    """Return the next fold's range once both windows are full."""
    end = _end(watermark, settings)
    return (watermark + 1, end) if total >= end + settings.immediate_window else None


def manual(total: int, watermark: int, settings: CompactionSettings) -> Range | None:
    """Return everything outside the immediate window that is not folded yet."""
    end = total - settings.immediate_window
    return (watermark + 1, end) if end > watermark else None


WATERFALL = Strategy(
    "waterfall",
    "Two summaries, a short one of the last fold and a long one of all before it; the newest memories word for word.",
    due=due,
    manual=manual,
    next_at=next_at,
)
