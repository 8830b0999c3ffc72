"""Seed 001: one summary and the newest entries; folds at a number of entries or characters.

The summary counts as an entry, as in the seed: with the defaults, folds come at 10, 17, 24 ... memories.
"""

from __future__ import annotations

from agents.compaction.settings import OFF, CompactionSettings, SummaryStyle
from agents.compaction.strategies import LEAST_MEMORY, DueFold, MemoryState, Reach, Strategy, ViewBudget, newest

LETTERS = 5  # maximum average characters of a token


def next_at(state: MemoryState, settings: CompactionSettings) -> int | None:
    if settings.preset == OFF:
        return None
    settings = settings.tuned()
    most = max(settings.min_entries_for_compaction, settings.max_entries_before_compaction)
    return state.watermark + max(most - min(1, state.summaries), settings.preserve_last_n_entries + 1)


def due(state: MemoryState, settings: CompactionSettings) -> DueFold | None:
    tuned, entries = settings.tuned(), state.unfolded + min(1, state.summaries)
    if settings.preset == OFF or entries < tuned.min_entries_for_compaction:
        return None
    if entries < tuned.max_entries_before_compaction and state.chars() < tuned.max_chars_before_compaction:
        return None
    return manual(state, settings)


def manual(state: MemoryState, settings: CompactionSettings) -> DueFold | None:
    return state.all_but_newest(settings.tuned().preserve_last_n_entries)


def waits(state: MemoryState, settings: CompactionSettings) -> str:
    if settings.preset == OFF:
        return "only when asked for (the preset is off)"
    most = settings.tuned().max_chars_before_compaction
    return f"at {next_at(state, settings)} memories or {most:,} characters (now {state.chars():,})"


def style(settings: CompactionSettings) -> SummaryStyle:
    settings = settings.tuned()
    return SummaryStyle(
        sentences=settings.summary_max_sentences,
        may_ask=settings.use_llm_for_summary,
        may_fall_back=settings.fallback_to_deterministic,
        findings=settings.include_key_findings,
    )


def budgets(state: MemoryState, settings: CompactionSettings) -> tuple[ViewBudget, ...]:
    """Return the limits for entries, with the summary counted as one, and for characters."""
    at = next_at(state, settings)
    if at is None:
        return ()
    held = min(1, state.summaries)
    entries = ViewBudget("entries", state.unfolded + held, at - state.watermark + held - 1)
    return entries, ViewBudget("characters", state.chars(), settings.tuned().max_chars_before_compaction - 1)


def reach(settings: CompactionSettings, window: int) -> Reach | None:
    """Return the limit that comes first, entries or characters, with the least tokens it takes."""
    if settings.preset == OFF:
        return None
    settings = settings.tuned()
    entries = LEAST_MEMORY * max(settings.max_entries_before_compaction, settings.min_entries_for_compaction)
    chars = settings.max_chars_before_compaction // LETTERS
    return ("max_entries_before_compaction", entries) if entries <= chars else ("max_chars_before_compaction", chars)


ENTRY_SUMMARY = Strategy(
    "entry_summary",
    "One summary of a few sentences and the newest memories; folded at so many entries or so many characters.",
    due=due,
    manual=manual,
    waits=waits,
    keeps=lambda settings: newest(settings.tuned().preserve_last_n_entries),
    next_at=next_at,
    rolling=True,
    style=style,
    budgets=budgets,
    reach=reach,
)
