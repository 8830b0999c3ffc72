"""Seed 003: memories are folded while their owner sleeps and, should they take too much of the window, awake too.

Asleep from 70 % of the window on; awake, as an emergency, from 80 %. The newest twenty, or a fifth of the window where
that is more, stay word for word. What matters goes into the journal first, and so does the summary afterwards.
"""

from __future__ import annotations

from agents.compaction.memory_state import MemoryState, ViewBudget
from agents.compaction.plan import EMERGENCY, SLEEP, DueFold
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategy import Strategy, newest


def _threshold(standing: MemoryState, settings: CompactionSettings) -> int:
    share = settings.sleep_threshold if standing.asleep else settings.emergency_threshold
    return int(share * standing.window)


def due(standing: MemoryState, settings: CompactionSettings) -> DueFold | None:
    """Return all but the newest once the view takes too much of the window."""
    if standing.tokens() <= _threshold(standing, settings):
        return None
    return _all_but(_preserved(standing, settings), standing, SLEEP if standing.asleep else EMERGENCY)


def manual(standing: MemoryState, settings: CompactionSettings) -> DueFold | None:
    """Return all but the newest."""
    end = standing.total - _preserved(standing, settings)
    return DueFold(standing.watermark + 1, end) if end > standing.watermark else None


def _preserved(standing: MemoryState, settings: CompactionSettings) -> int:
    fitting = standing.fitting(int(settings.preserve_fraction * standing.window))
    return max(settings.preserve_entries, fitting)


def _all_but(keep: int, standing: MemoryState, reason: str) -> DueFold | None:
    """Return all but so many; where those alone are too much, all but half of them, and so on."""
    while keep and standing.total - keep <= standing.watermark:
        keep //= 2
    end = standing.total - keep
    return DueFold(standing.watermark + 1, end, reason) if end > standing.watermark else None


def waits(standing: MemoryState, settings: CompactionSettings) -> str:
    """Say what it waits for."""
    asleep, awake = (int(share * standing.window) for share in (settings.sleep_threshold, settings.emergency_threshold))
    return f"over {asleep:,} tokens asleep, {awake:,} awake (now {standing.tokens():,})"


def budgets(standing: MemoryState, settings: CompactionSettings) -> tuple[ViewBudget, ...]:
    """Return the tokens of the view: awake up to the emergency, asleep up to the sleeper's share of the window.

    It cannot hold where the summary alone takes more.
    """
    return (ViewBudget("tokens", standing.tokens(), _threshold(standing, settings)),)


SLEEP_STRATEGY = Strategy(
    "sleep",
    "One summary, made asleep once much of the window is taken, in an emergency awake; facts go to the journal first.",
    due=due,
    manual=manual,
    waits=waits,
    keeps=lambda settings: f"{newest(settings.preserve_entries)} or {settings.preserve_fraction:.0%} of the window",
    rolling=True,
    journals=True,
    by_tokens=True,
    budgets=budgets,
    reach=lambda settings, window: ("emergency_threshold", int(settings.emergency_threshold * window)),
)
