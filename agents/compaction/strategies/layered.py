"""Seed 004: results are masked every turn; above a number of tokens everything becomes one summary in sections."""

from __future__ import annotations

from agents.compaction.settings import SECTIONS, CompactionSettings, SummaryStyle
from agents.compaction.strategies import MemoryState, Strategy, ViewBudget


def waits(state: MemoryState, settings: CompactionSettings) -> str:
    saving = settings.min_saving_tokens
    return f"over {settings.threshold_tokens:,} tokens (now {state.tokens():,}), when it saves {saving:,}"


def budgets(state: MemoryState, settings: CompactionSettings) -> tuple[ViewBudget, ...]:
    """Return the limit for tokens: the threshold, or more while a fold would save too little."""
    least = settings.min_saving_tokens + settings.max_summary_tokens
    return (ViewBudget("tokens", state.tokens(), max(settings.threshold_tokens, least)),)


LAYERED = Strategy(
    "layered",
    "Old results shrink at every turn; over so many tokens everything becomes one summary in sections.",
    due=lambda state, settings: state.all_but_newest(0) if state.tokens() > settings.threshold_tokens else None,
    manual=lambda state, settings: state.all_but_newest(0),
    waits=waits,
    keeps=lambda settings: "nothing",
    rolling=True,
    masks=True,
    by_tokens=True,
    least_saving=lambda settings: settings.min_saving_tokens,
    style=lambda settings: SummaryStyle(shape=SECTIONS),
    budgets=budgets,
    reach=lambda settings, window: ("threshold_tokens", settings.threshold_tokens),
)
