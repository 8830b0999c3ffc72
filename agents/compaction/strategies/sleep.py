"""Seed 003: memories are folded while the agent sleeps, or awake in an emergency.

Asleep from 70 % of the window on, awake from 80 %. Important facts go to the journal before the fold.
"""

from __future__ import annotations

from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import EMERGENCY, SLEEP, DueFold, MemoryState, Strategy, ViewBudget, newest


def _threshold(state: MemoryState, settings: CompactionSettings) -> int:
    share = settings.sleep_threshold if state.asleep else settings.emergency_threshold
    return int(share * state.window)


def _preserved(state: MemoryState, settings: CompactionSettings) -> int:
    return max(settings.preserve_entries, state.fitting(int(settings.preserve_fraction * state.window)))


def due(state: MemoryState, settings: CompactionSettings) -> DueFold | None:
    """Return all but the newest once the view takes too much; fewer are kept if nothing would be folded."""
    if state.tokens() <= _threshold(state, settings):
        return None
    keep = _preserved(state, settings)
    while keep and keep >= state.unfolded:
        keep //= 2
    return state.all_but_newest(keep, SLEEP if state.asleep else EMERGENCY)


def waits(state: MemoryState, settings: CompactionSettings) -> str:
    asleep, awake = (int(share * state.window) for share in (settings.sleep_threshold, settings.emergency_threshold))
    return f"over {asleep:,} tokens asleep, {awake:,} awake (now {state.tokens():,})"


SLEEP_STRATEGY = Strategy(
    "sleep",
    "One summary, made asleep once much of the window is taken, in an emergency awake; facts go to the journal first.",
    due=due,
    manual=lambda state, settings: state.all_but_newest(_preserved(state, settings)),
    waits=waits,
    keeps=lambda settings: f"{newest(settings.preserve_entries)} or {settings.preserve_fraction:.0%} of the window",
    rolling=True,
    journals=True,
    by_tokens=True,
    # The summary alone may take more than this.
    budgets=lambda state, settings: (ViewBudget("tokens", state.tokens(), _threshold(state, settings)),),
    reach=lambda settings, window: ("emergency_threshold", int(settings.emergency_threshold * window)),
)
