"""A fold in progress with the data read for it, and a committed fold with its cost and savings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from agents.compaction.judge.facts import carried
from agents.compaction.plan import FoldPlan
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import SummarySource
from agents.memory.entries import Entry, undreamt
from agents.memory.memory import View
from agents.memory.ranges import Range, merged, missing, spoken
from agents.memory.summaries import EDITED, Summary, unread
from mud.errors import LociError

TOKEN_PARTS = ("source", "summary", "prompt", "completion")
_OF_A_FOLD = (
    *("strategy", "method", "longterm", "tokens", "saved_tokens", "break_even_rounds", "depth", "retention"),
    *("faithful", "seconds", "rejected"),
)
"""The fields of the record that are empty when nothing was folded."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A plan with the data read for it, compared again before the commit: a person may have edited a summary."""

    plan: FoldPlan
    strategy: Strategy
    entries: tuple[Entry, ...]
    settings: CompactionSettings
    longterm: Summary | None
    recent: Summary | None
    began: float

    @property
    def earlier(self) -> list[Summary]:
        """The current summaries, which the new long-term summary absorbs."""
        return [summary for summary in (self.longterm, self.recent) if summary is not None]

    @property
    def earlier_texts(self) -> list[str]:
        return [summary.text for summary in self.earlier]

    @property
    def unchanged(self) -> tuple[Summary, ...]:
        return (self.longterm,) if self.plan.joins and self.longterm is not None else ()

    @property
    def replaced_summaries(self) -> list[str]:
        return [summary.text for summary in self.earlier if summary not in self.unchanged]

    @property
    def replaced(self) -> list[str]:
        """The texts that the new summary replaces."""
        return [*(self.earlier_texts if self.plan.recent is None else []), *(entry.text for entry in self.entries)]

    def gaps(self) -> list[Range]:
        return missing((entry.seq for entry in self.entries), *self.plan.source)

    def receipt(self, made: Summary, source: SummarySource) -> Summary:
        """Return the summary with its receipt completed; one that only moves keeps its method and depth."""
        longterm, earlier = made.tier == "longterm", self.earlier
        gaps = self.gaps() if not longterm or self.plan.recent is None else []
        not_read = tuple(merged([*(unread(*earlier) if longterm else []), *gaps]))
        made = replace(made, strategy=self.plan.strategy, reason=self.plan.reason, unread=not_read)
        if not longterm or not earlier:
            return made
        if not source.entries and len(earlier) == 1 and earlier[0].text == made.text:
            return replace(made, method=earlier[0].method, model=earlier[0].model, depth=earlier[0].depth)
        return replace(made, depth=max(summary.depth for summary in earlier) + 1)

    def sources(self, name: str, settings: CompactionSettings, when: Callable[[str, str], str]) -> list[SummarySource]:
        """Return the sources of the summaries to write, the long-term one first."""
        style, covers = self.strategy.style(settings), self.plan.longterm
        recent = SummarySource(
            name,
            "recent",
            undreamt(self.entries),
            max_sentences=settings.max_recent_sentences,
            max_tokens=settings.max_summary_tokens,
            max_source_tokens=settings.max_source_tokens,
            begins=self.plan.source[0] == 1,
            style=settings.prompt_style,
            shape=style.shape,
            findings=style.findings,
            covers=self.plan.recent,
            when=when(self.entries[0].at, self.entries[-1].at) if self.entries else "",
        )
        if covers is None:
            return [recent]
        sample = carried(self.earlier, name)
        longterm = replace(recent, tier="longterm", earlier=tuple(self.earlier_texts), covers=covers, sample=sample)
        if self.plan.recent is None:
            return [replace(longterm, max_sentences=style.sentences)]
        return [replace(longterm, entries=(), max_sentences=None, begins=False, when=""), recent]


def check_join(plan: FoldPlan, entries: Sequence[Entry], recent: Summary | None) -> None:
    """Raise LociError if rewriting a recent summary would lose a person's edits or a memory it covers."""
    if not plan.joins:
        return
    if not may_be_made_anew(recent):
        raise LociError("the recent summary was edited meanwhile")
    if gone := missing((entry.seq for entry in entries), plan.source[0], plan.first - 1):
        raise LociError(f"{spoken(*gone[0])} cannot be read, and the recent summary tells of them")


def may_be_made_anew(recent: Summary | None) -> bool:
    """Return whether a recent summary may be written again: not edited by a person, and made from all its memories."""
    return recent is not None and recent.method != EDITED and not recent.unread


class Commit(NamedTuple):
    """A committed fold.

    Args:
        recent: the new recent summary; None for a strategy with one summary.
        longterm: the new long-term summary; None after the first fold of a strategy with two.
        chars, tokens: size of what was replaced, memories and earlier summaries.
        saved: tokens by which the view, and so every later prompt, is shorter.
        before: entries of the view before the fold, memories and summaries.
        kept, kept_chars: number and characters of the memories that stay word for word.
    """

    number: int
    reason: str
    at: str
    first: int
    last: int
    recent: Summary | None
    longterm: Summary | None
    chars: int
    tokens: int
    saved: int
    before: int
    kept: int
    kept_chars: int
    seconds: float
    rejected: tuple[str, ...]
    unchanged: tuple[Summary, ...] = ()

    @property
    def made(self) -> tuple[Summary, ...]:
        return tuple(summary for summary in (self.longterm, self.recent) if summary is not None)

    @property
    def newest(self) -> Summary:
        return self.made[-1]

    @property
    def spent(self) -> int:
        """Tokens read and written by the model, including rejected replies."""
        return sum(summary.tokens.get(part, 0) for summary in self.made for part in ("prompt", "completion"))

    @property
    def break_even(self) -> int | None:
        """Prompts after which the fold has paid for itself; None if it saves nothing."""
        return math.ceil(self.spent / self.saved) if self.saved > 0 else None

    def record(self) -> dict[str, object]:
        """Return the result record: seed 001's fields for the whole view, then range, tokens, retention and cost."""
        kept, newest = self.kept_chars + sum(len(summary.text) for summary in self.unchanged), self.newest
        chars, after = self.chars + kept, sum(len(summary.text) for summary in self.made) + kept
        return {
            "original_entries": self.before,
            "compacted_entries": len(self.made) + len(self.unchanged) + self.kept,
            "original_chars": chars,
            "compacted_chars": after,
            "summary": newest.text,
            "preserved_entries": self.kept,
            "timestamp": self.at,
            "used_llm": any(summary.method == "model" for summary in self.made),
            "compression_ratio": round(1 - after / chars, 4) if chars else 0.0,
            "range": {"first": self.first, "last": self.last},
            "reason": self.reason,
            "strategy": newest.strategy,
            "method": newest.method,
            "longterm": self.longterm.text if self.longterm is not None else None,
            "tokens": total_tokens(self.made),
            "saved_tokens": self.saved,
            "break_even_rounds": self.break_even,
            "depth": max(summary.depth for summary in self.made),
            "retention": newest.retention,
            "faithful": all(summary.faithful is not False for summary in self.made),
            "seconds": round(self.seconds, 3),
            "rejected": list(self.rejected),
        }


def total_tokens(summaries: Sequence[Summary]) -> dict[str, int]:
    return {part: sum(summary.tokens.get(part, 0) for summary in summaries) for part in TOKEN_PARTS}


def no_fold(view: View, at: str, why: str) -> dict[str, object]:
    """Return the result record for when nothing was folded: an empty summary, everything preserved."""
    texts = [summary.text for summary in (view.longterm, view.recent) if summary is not None]
    texts += [entry.text for entry in view.tail]
    chars = sum(map(len, texts))
    return {
        "original_entries": len(texts),
        "compacted_entries": len(texts),
        "original_chars": chars,
        "compacted_chars": chars,
        "summary": "",
        "preserved_entries": len(view.tail),
        "timestamp": at,
        "used_llm": False,
        "compression_ratio": 0.0,
        "range": None,
        "reason": why,
        **dict.fromkeys(_OF_A_FOLD),
    }
