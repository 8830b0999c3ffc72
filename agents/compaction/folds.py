"""A fold under way, with what it read when it was planned, and one that was committed, with what it cost and saves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from agents.compaction.judge.retention import carried
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
"""What a receipt counts tokens of."""
_OF_A_FOLD = (
    *("strategy", "method", "longterm", "tokens", "saved_tokens", "break_even_rounds", "depth", "retention"),
    *("faithful", "seconds", "rejected"),
)
"""What the record of a fold has and that of none has not."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A plan with what it read; that is compared before the commit, as a person may have edited meanwhile.

    Args:
        plan: the plan.
        strategy: what made it.
        entries: the memories that the summary of the fold is made from.
        settings: as they were when it was planned.
        longterm, recent: the summaries as they were when it was planned.
        began: the monotonic clock then, in seconds.
    """

    plan: FoldPlan
    strategy: Strategy
    entries: tuple[Entry, ...]
    settings: CompactionSettings
    longterm: Summary | None
    recent: Summary | None
    began: float

    @property
    def earlier(self) -> list[Summary]:
        """The summaries that the new long-term summary takes up."""
        return [summary for summary in (self.longterm, self.recent) if summary is not None]

    @property
    def earlier_texts(self) -> list[str]:
        """Their texts; when they have changed by the time of the commit, a person edited them."""
        return [summary.text for summary in self.earlier]

    @property
    def unchanged(self) -> tuple[Summary, ...]:
        """The summaries that hold after the fold as they did before."""
        return (self.longterm,) if self.plan.joins and self.longterm is not None else ()

    @property
    def replaced_summaries(self) -> list[str]:
        """The texts of the summaries that it replaces."""
        return [summary.text for summary in self.earlier if summary not in self.unchanged]

    @property
    def replaced(self) -> list[str]:
        """The texts that what is to be written stands for: the memories, and what one summary takes up."""
        return [*(self.earlier_texts if self.plan.recent is None else []), *(entry.text for entry in self.entries)]

    def gaps(self) -> list[Range]:
        """Return the memories that could not be read."""
        return missing((entry.seq for entry in self.entries), *self.plan.source)

    def receipt(self, made: Summary, source: SummarySource) -> Summary:
        """Return a summary with what the fold knows of it; a long-term one that only moves stays what it was."""
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
        """Return what is to be written: the long-term summary first, as it takes up the recent one.

        Args:
            name: whose memories they are.
            settings: the settings of now.
            when: says when something was, see `StrategyContext.when`.
        """
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
    """Make sure that a recent summary that is made anew loses nothing: no person's words, no memory it knew.

    Raises:
        LociError: it would.
    """
    if not plan.joins:
        return
    if not may_be_made_anew(recent):
        raise LociError("the recent summary was edited meanwhile")
    if gone := missing((entry.seq for entry in entries), plan.source[0], plan.first - 1):
        raise LociError(f"{spoken(*gone[0])} cannot be read, and the recent summary tells of them")


def may_be_made_anew(recent: Summary | None) -> bool:
    """Return whether a recent summary may be made anew: no person wrote it, and it knows all its memories."""
    return recent is not None and recent.method != EDITED and not recent.unread


class Commit(NamedTuple):
    """A fold that was committed.

    Args:
        number: how many folds this memory has had, this one included.
        reason: why, such as `automatic` or `manual`.
        at: when it was committed.
        first, last: the memories that were folded.
        recent: the new recent summary, with its receipt; None for a strategy with one summary.
        longterm: the new long-term summary; None after the first fold of a strategy with two.
        chars, tokens: of what was replaced: those memories and the earlier summaries.
        saved: tokens by which the view, and with it every later prompt, is shorter.
        before: entries of the view before it, memories and summaries.
        kept: memories that stay word for word.
        kept_chars: their characters.
        seconds: how long it took, the model's part included.
        rejected: why replies of the model were not used, and why it did not answer.
        unchanged: the summaries that hold as they did before.
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
        """The summaries that were made, the long-term one first."""
        return tuple(summary for summary in (self.longterm, self.recent) if summary is not None)

    @property
    def newest(self) -> Summary:
        """The summary of the memories that were folded."""
        return self.made[-1]

    @property
    def spent(self) -> int:
        """Tokens that the model read and wrote for it, rejected replies included."""
        return sum(summary.tokens.get(part, 0) for summary in self.made for part in ("prompt", "completion"))

    @property
    def break_even(self) -> int | None:
        """Prompts after which it has saved what it cost; None when it saves nothing."""
        return math.ceil(self.spent / self.saved) if self.saved > 0 else None

    def record(self) -> dict[str, object]:
        """Return the result record: seed 001's fields, of the whole view, then range, tokens, retention and cost."""
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
    """Return the tokens of several receipts together."""
    return {part: sum(summary.tokens.get(part, 0) for summary in summaries) for part in TOKEN_PARTS}


def no_fold(view: View, at: str, why: str) -> dict[str, object]:
    """Return the result record of a fold that there was not: an empty summary, everything preserved."""
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
