"""A fold under way, as a value: its plan, and what it read when it was planned.

What it read is compared before the commit: a person may have edited, settings may have changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from agents.compaction.plan import Plan
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies._strategy import Strategy
from agents.compaction.summarizers._summarizer import Source
from agents.memory.entries import Entry, undreamt
from agents.memory.ranges import Range, merged, missing
from agents.memory.summaries import Summary, unread


@dataclass(slots=True)
class Job:
    """A plan with what it read.

    Args:
        plan: the plan.
        strategy: what made it.
        entries: the memories to fold.
        settings: as they were when it was planned.
        longterm, recent: the summaries as they were when it was planned.
        seconds: the clock then.
    """

    plan: Plan
    strategy: Strategy
    entries: tuple[Entry, ...]
    settings: CompactionSettings
    longterm: Summary | None
    recent: Summary | None
    seconds: float

    def earlier(self) -> list[Summary]:
        """Return the summaries that the new long-term summary takes up."""
        return [summary for summary in (self.longterm, self.recent) if summary is not None]

    def gaps(self) -> list[Range]:
        """Return the memories to fold that could not be read."""
        return missing((entry.seq for entry in self.entries), self.plan.first, self.plan.last)

    def unread(self, tier: str) -> tuple[Range, ...]:
        """Return the memories that a new summary stands for and does not know."""
        before = unread(*self.earlier()) if tier == "longterm" else []
        return tuple(merged([*before, *(self.gaps() if tier == "recent" or self.plan.recent is None else [])]))

    def texts(self) -> list[str]:
        """Return the texts of those; when they have changed by the time of the commit, a person edited them."""
        return [summary.text for summary in self.earlier()]

    def replaced(self) -> list[str]:
        """Return the texts that what is to be written stands for: the memories, and what one summary takes up."""
        return [*(self.texts() if self.plan.recent is None else []), *(entry.text for entry in self.entries)]

    def sources(
        self, name: str, settings: CompactionSettings, when: Callable[[str, str], str] = lambda first, last: ""
    ) -> list[Source]:
        """Return what is to be written: the long-term summary first, as it takes up the recent one.

        Args:
            name: whose memories they are.
            settings: those of now.
            when: says when something was, see `Surroundings.when`.
        """
        texts = tuple(self.texts())
        wanted = self.strategy.wanted(settings)
        recent = Source(
            name,
            "recent",
            undreamt(self.entries),
            max_sentences=settings.max_recent_sentences,
            max_tokens=settings.max_summary_tokens,
            max_source_tokens=settings.max_source_tokens,
            begins=self.plan.first == 1,
            style=settings.prompt_style,
            shape=wanted.shape,
            findings=wanted.findings,
            covers=self.plan.recent,
            when=when(self.entries[0].at, self.entries[-1].at) if self.entries else "",
        )
        whole = self.plan.longterm
        if self.plan.recent is None:
            return [replace(recent, tier="longterm", earlier=texts, max_sentences=wanted.sentences, covers=whole)]
        if not texts:
            return [recent]
        both = replace(
            recent, tier="longterm", entries=(), earlier=texts, max_sentences=None, begins=False, covers=whole, when=""
        )
        return [both, recent]
