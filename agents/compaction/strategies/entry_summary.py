"""Seed 001: one summary of a few sentences and the newest entries; folded when entries or characters are too many.

The summary counts as an entry, as it does in the seed's history: with the defaults folds come at 10, 17, 24 ...
memories. Fewer entries than the gate are never folded, however long they are.
"""

from __future__ import annotations

from agents.compaction.memory_state import MemoryState, ViewBudget
from agents.compaction.plan import DueFold
from agents.compaction.presets import OFF
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategy import LEAST_MEMORY, Reach, Strategy, newest
from agents.compaction.summary_style import SummaryStyle

LETTERS = 5
"""Characters of a token at most, in the mean of a text."""


def _entries(standing: MemoryState) -> int:
    return standing.unfolded + min(1, standing.summaries)


def next_at(standing: MemoryState, settings: CompactionSettings) -> int | None:
    """Return at how many memories the next fold is due, if it does not come earlier by their length."""
    if settings.preset == OFF:
        return None
    settings = settings.tuned()
    most = max(settings.min_entries_for_compaction, settings.max_entries_before_compaction)
    least = settings.preserve_last_n_entries + 1
    return standing.watermark + max(most - min(1, standing.summaries), least)


def due(standing: MemoryState, settings: CompactionSettings) -> DueFold | None:
    """Return all but the newest once there are enough entries, or enough characters in enough entries."""
    if settings.preset == OFF:
        return None
    settings = settings.tuned()
    entries = _entries(standing)
    if entries < settings.min_entries_for_compaction:
        return None
    if entries < settings.max_entries_before_compaction and standing.chars() < settings.max_chars_before_compaction:
        return None
    return manual(standing, settings)


def manual(standing: MemoryState, settings: CompactionSettings) -> DueFold | None:
    """Return all but the newest."""
    end = standing.total - settings.tuned().preserve_last_n_entries
    return DueFold(standing.watermark + 1, end) if end > standing.watermark else None


def waits(standing: MemoryState, settings: CompactionSettings) -> str:
    """Say what it waits for."""
    if settings.preset == OFF:
        return "only when asked for (the preset is off)"
    most = settings.tuned().max_chars_before_compaction
    return f"at {next_at(standing, settings)} memories or {most:,} characters (now {standing.chars():,})"


def wanted(settings: CompactionSettings) -> SummaryStyle:
    """Return how its summary is written."""
    settings = settings.tuned()
    return SummaryStyle(
        sentences=settings.summary_max_sentences,
        may_ask=settings.use_llm_for_summary,
        may_fall_back=settings.fallback_to_deterministic,
        findings=settings.include_key_findings,
    )


def budgets(standing: MemoryState, settings: CompactionSettings) -> tuple[ViewBudget, ...]:
    """Return the entries of the view, the summary counted as one, and its characters.

    The characters cannot hold where fewer entries than the gate, or the newest that are never folded, take more.
    """
    at = next_at(standing, settings)
    if at is None:
        return ()
    entries = ViewBudget("entries", _entries(standing), at - standing.watermark + min(1, standing.summaries) - 1)
    return entries, ViewBudget("characters", standing.chars(), settings.tuned().max_chars_before_compaction - 1)


def reach(settings: CompactionSettings, window: int) -> Reach | None:
    """Return which of entries and characters comes first, and what so many of them take at least."""
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
    wanted=wanted,
    budgets=budgets,
    reach=reach,
)
