"""The settings in `config/memory_compaction.md`: the strategy, when it folds, and how summaries are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from mud.registry import plug_in_names
from mud.storage.settings import setting

PROMPT_WORDS = 300  # tokens of a prompt reserved for its own text; the shipped prompts take about 60
LEAST_SUMMARY, SUMMARY_SHARE = 40, 8
"""Minimum for the limit of a summary in tokens, and the divisor of the window that gives the limit."""
PERIODS_SHARE = 3  # the same divisor for a summary that consists of periods
PROSE, SECTIONS = "prose", "sections"
OWN = "own"
OFF = "off"  # the preset that folds nothing automatically; its numbers are the highest that seed 001 allowed
_TUNED = (
    "min_entries_for_compaction",
    "max_entries_before_compaction",
    "max_chars_before_compaction",
    "preserve_last_n_entries",
    "summary_max_sentences",
    "use_llm_for_summary",
)
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "aggressive": dict(zip(_TUNED, (3, 6, 4000, 1, 2, True), strict=True)),
    "high_throughput": dict(zip(_TUNED, (3, 5, 3000, 1, 2, False), strict=True)),
    "long_research": dict(zip(_TUNED, (8, 15, 15_000, 3, 4, True), strict=True)),
    "small_context": dict(zip(_TUNED, (2, 4, 2000, 1, 1, False), strict=True)),
    "context_8k": {"max_entries_before_compaction": 5, "max_chars_before_compaction": 3000},
    OFF: dict(zip(_TUNED[:3], (999, 999, 999_999), strict=True)),
}
"""Seed 001's presets for `entry_summary`: each sets some of the eight settings."""


class SummaryStyle(NamedTuple):
    """How a strategy wants its summaries written, where that differs from the settings."""

    shape: str = PROSE  # `prose`, or `sections` with seed 004's six headings
    sentences: int | None = None  # maximum sentences of a rolling summary; None for no limit
    may_ask: bool = True
    may_fall_back: bool = True  # the rules write when the model fails; otherwise nothing is folded
    findings: bool = True


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    strategy: str = setting(
        "waterfall",
        "How memories are folded; @memory-status shows it.",
        choices=plug_in_names("agents.compaction.strategies"),
    )
    auto_enabled: bool = setting(True, "Fold by itself when it is due; @compact-memories works either way.")
    immediate_window: int = setting(
        64, "waterfall, hierarchical: how many of the newest memories stay word for word.", low=1, high=100_000
    )
    recent_window: int = setting(
        64, "waterfall, hierarchical: how many memories one fold turns into the recent summary.", low=1, high=100_000
    )
    summarizer: str = setting(
        "model",
        "Who writes summaries: `model` (with `extractive` when it fails) or `extractive` alone.",
        choices=plug_in_names("agents.compaction.summarizers"),
    )
    profile: str = setting(
        "summarizer",
        "The LLM profile that writes summaries, a file in config/llm; where it is not there, rules write them. "
        "summarizer_profile is another name of this key.",
        alias="summarizer_profile",
    )
    prompt_style: str = setting(
        "base_v2",
        "How a model is asked: base_v2, base_v1, narrative, sections, handover, or another file of prompts/summaries.",
    )
    max_recent_sentences: int = setting(4, "Sentences that a recent summary has at most.", low=1, high=50)
    max_summary_tokens: int = setting(600, "Tokens that a summary has at most, as estimated.", low=40, high=16_000)
    max_source_tokens: int = setting(
        5000, "Tokens of memories that the model gets at once; more is summarized in parts.", low=200, high=1_000_000
    )
    least_retention: float = setting(
        0.2,
        "A model's summary is refused that keeps a smaller share than this of the names, numbers, places and promises "
        "that one by rules would keep; 0 refuses none.",
        low=0.0,
        high=1.0,
    )
    token_counter: str = setting(
        "auto",
        "How the tokens of the view are counted: as those of prompts, by a tokenizer that what the model's server says "
        "sets right (auto), or as a quarter of the characters; prompts are never counted so.",
        choices=("auto", "characters"),
    )
    runtime_cap: int = setting(
        1024, "How many of the newest memories are held in RAM; older ones are read when shown.", low=64, high=1_000_000
    )
    preset: str = setting(
        OWN,
        "entry_summary: a tuning of its eight settings below; own takes them as they are set.",
        choices=(OWN, *PRESETS),
    )
    min_entries_for_compaction: int = setting(
        5, "entry_summary: fewer entries are never folded by themselves.", low=1, high=100_000
    )
    max_entries_before_compaction: int = setting(
        10, "entry_summary: fold at so many entries, the summary counted as one.", low=1, high=100_000
    )
    max_chars_before_compaction: int = setting(
        8000, "entry_summary: fold at so many characters, the summary's included.", low=1, high=100_000_000
    )
    summary_max_sentences: int = setting(3, "entry_summary: sentences of the summary at most.", low=1, high=50)
    preserve_last_n_entries: int = setting(
        2, "entry_summary: how many of the newest entries stay word for word.", low=0, high=100_000
    )
    include_key_findings: bool = setting(True, "entry_summary: summaries by rules name numbers and values.")
    use_llm_for_summary: bool = setting(True, "entry_summary: a model writes, if there is one.")
    fallback_to_deterministic: bool = setting(
        True, "entry_summary: rules write when the model fails; else nothing is folded."
    )
    sleep_threshold: float = setting(
        0.7, "sleep: share of the model's window from which on a sleeper's memories are folded.", low=0.05, high=1.0
    )
    emergency_threshold: float = setting(
        0.8, "sleep: the same for somebody awake, before a prompt is built.", low=0.05, high=1.0
    )
    preserve_entries: int = setting(
        20, "sleep: how many of the newest memories stay word for word.", low=1, high=10_000
    )
    preserve_fraction: float = setting(
        0.2, "sleep: share of the window that stays word for word, where that is more.", low=0.0, high=0.6
    )
    threshold_tokens: int = setting(
        6000, "layered: fold when the view takes more tokens than this.", low=100, high=10_000_000
    )
    min_saving_tokens: int = setting(
        2000, "layered: tokens that a fold must save to be made by itself.", low=0, high=10_000_000
    )
    hybrid_entries: int = setting(43, "hybrid: fold at so many memories that are not folded.", low=2, high=100_000)
    hybrid_keep: int = setting(10, "hybrid: how many of the newest memories stay word for word.", low=1, high=100_000)
    mask_keep: int = setting(
        10, "masking, hybrid, layered: how many of the newest results stay whole.", low=0, high=100_000
    )
    mask_block: int = setting(
        5,
        "masking, hybrid, layered: results are masked so many at a time, so that prompts stay alike.",
        low=1,
        high=1000,
    )
    mask_chars: int = setting(
        200, "masking, hybrid, layered: shorter results are never masked, in characters.", low=0, high=100_000
    )
    period_tokens: int = setting(
        250, "hierarchical: tokens that a day, a week, a month or a year takes at most.", low=40, high=16_000
    )
    periods_tokens: int = setting(
        2500,
        "hierarchical: tokens that all of them take at most; where that is too little, the oldest become one.",
        low=80,
        high=16_000,
    )
    sliding_entries: int = setting(
        5,
        "sliding_window: how many of the newest memories are shown; older ones only recall finds.",
        low=1,
        high=100_000,
    )

    def within(self, window: int) -> CompactionSettings:
        """Return these settings with `max_source_tokens` limited to a window of so many tokens (without the reply)."""
        return replace(self, max_source_tokens=max(1, min(self.max_source_tokens, window - PROMPT_WORDS)))

    def for_prompts(self, window: int) -> CompactionSettings:
        """Return these settings with the tokens of summaries limited to shares of a window of so many tokens."""
        most, periods = (max(LEAST_SUMMARY, window // share) for share in (SUMMARY_SHARE, PERIODS_SHARE))
        if self.max_summary_tokens <= most and self.periods_tokens <= periods:
            return self
        return replace(
            self,
            max_summary_tokens=min(self.max_summary_tokens, most),
            periods_tokens=min(self.periods_tokens, periods),
        )

    def tuned(self) -> CompactionSettings:
        return self if self.preset == OWN else replace(self, **PRESETS[self.preset])
