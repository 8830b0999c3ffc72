"""Seed 001's tunings of entry compaction, by name: each sets some of its eight settings, and leaves the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OFF = "off"
"""The tuning under which nothing is ever folded by itself; the seed's numbers are the most it could say."""

_NEVER = {
    "min_entries_for_compaction": 999,
    "max_entries_before_compaction": 999,
    "max_chars_before_compaction": 999_999,
}


def _tuning(least: int, entries: int, chars: int, keep: int, sentences: int, model: bool) -> Mapping[str, Any]:
    return {
        "min_entries_for_compaction": least,
        "max_entries_before_compaction": entries,
        "max_chars_before_compaction": chars,
        "preserve_last_n_entries": keep,
        "summary_max_sentences": sentences,
        "use_llm_for_summary": model,
    }


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "aggressive": _tuning(3, 6, 4000, 1, 2, True),
    "high_throughput": _tuning(3, 5, 3000, 1, 2, False),
    "long_research": _tuning(8, 15, 15_000, 3, 4, True),
    "small_context": _tuning(2, 4, 2000, 1, 1, False),
    "context_8k": {"max_entries_before_compaction": 5, "max_chars_before_compaction": 3000},
    OFF: _NEVER,
}
