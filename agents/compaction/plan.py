"""What one fold would do, as a value, and the settings it follows.

Pure: numbers in, numbers out. A plan says which memories are folded and which summary takes up which; it begins at the
watermark or is not made at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mud.registry import plug_in_names
from mud.storage.settings import setting

AUTOMATIC = "automatic"
MANUAL = "manual"
PROMPT_WORDS = 300
"""Tokens kept free for the words of a prompt besides the memories; the shipped ones take about 60."""


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """`config/memory_compaction.md`."""

    immediate_window: int = setting(64, "How many of the newest memories stay word for word.", low=1, high=100_000)
    recent_window: int = setting(64, "How many memories one fold turns into the recent summary.", low=1, high=100_000)
    profile: str = setting("summarizer", "The LLM profile that writes summaries, a file in config/llm.")
    strategy: str = setting(
        "waterfall",
        "How memories are folded; @memory-status shows it.",
        choices=plug_in_names("agents.compaction.strategies"),
    )
    summarizer: str = setting(
        "model",
        "Who writes summaries: `model` (with `extractive` when it fails) or `extractive` alone.",
        choices=plug_in_names("agents.compaction.summarizers"),
    )
    auto_enabled: bool = setting(True, "Fold by itself when it is due; @compact-memories works either way.")
    max_recent_sentences: int = setting(4, "Sentences that a recent summary has at most.", low=1, high=50)
    max_summary_tokens: int = setting(600, "Tokens that a summary has at most, as estimated.", low=40, high=16_000)
    max_source_tokens: int = setting(
        5000, "Tokens of memories that the model gets at once; more is summarized in parts.", low=200, high=1_000_000
    )

    def within(self, window: int) -> CompactionSettings:
        """Return these settings with no more memories in a prompt than a window has room for.

        Args:
            window: tokens of the model's window that the reply leaves.
        """
        return replace(self, max_source_tokens=max(1, min(self.max_source_tokens, window - PROMPT_WORDS)))


@dataclass(frozen=True, slots=True)
class Plan:
    """One fold.

    Args:
        strategy: the strategy that made it.
        reason: `automatic` or `manual`.
        first, last: the memories that become the recent summary.
        longterm: what the long-term summary covers afterwards, made of the two summaries there were; None when there
            was none yet.
    """

    strategy: str
    reason: str
    first: int
    last: int
    longterm: tuple[int, int] | None

    @property
    def recent(self) -> tuple[int, int]:
        """What the recent summary covers afterwards."""
        return self.first, self.last

    @property
    def event(self) -> str:
        """The event of its commit line."""
        return "manual_compact" if self.reason == MANUAL else "auto_compact"


Range = tuple[int, int]
"""First and last memory, both included."""

Due = Callable[[int, int, CompactionSettings], Range | None]
"""From total, watermark and settings: which memories to fold now; None for nothing."""

NextAt = Callable[[int, int, CompactionSettings], int | None]
"""From total, watermark and settings: at how many memories the next fold is due; None for never."""


def plan_fold(strategy: str, reason: str, fold: Range | None, watermark: int) -> Plan | None:
    """Return the plan for a range, or None for no range.

    Args:
        strategy: name of the strategy.
        reason: why.
        fold: the memories to fold.
        watermark: the last memory that a summary stands for.

    Raises:
        ValueError: when the range does not begin right after the watermark or is empty.
    """
    if fold is None:
        return None
    first, last = fold
    if first != watermark + 1 or last < first:
        raise ValueError(f"a fold of {first} to {last} does not begin after memory {watermark}")
    return Plan(strategy, reason, first, last, (1, watermark) if watermark else None)
