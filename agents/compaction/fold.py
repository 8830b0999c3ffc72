"""A fold under way, as a value: its plan, and what it read when it was planned.

What it read is compared before the commit: a person may have edited, settings may have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agents.compaction.plan import FoldPlan
from agents.compaction.retention import carried
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategy import Strategy
from agents.compaction.summarizer import SummarySource
from agents.memory.entries import Entry, undreamt
from agents.memory.ranges import Range, merged, missing, spoken
from agents.memory.summaries import EDITED, Summary, unread
from mud.errors import LociError


@dataclass(slots=True)
class Fold:
    """A plan with what it read.

    Args:
        plan: the plan.
        strategy: what made it.
        entries: the memories that the summary of the fold is made from.
        settings: as they were when it was planned.
        longterm, recent: the summaries as they were when it was planned.
        seconds: the clock then.
    """

    plan: FoldPlan
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
        """Return the memories that could not be read."""
        return missing((entry.seq for entry in self.entries), *self.plan.told)

    def unread(self, tier: str) -> tuple[Range, ...]:
        """Return the memories that a new summary stands for and does not know."""
        before = unread(*self.earlier()) if tier == "longterm" else []
        return tuple(merged([*before, *(self.gaps() if tier == "recent" or self.plan.recent is None else [])]))

    def texts(self) -> list[str]:
        """Return the texts of those; when they have changed by the time of the commit, a person edited them."""
        return [summary.text for summary in self.earlier()]

    def stays(self) -> tuple[Summary, ...]:
        """Return the summaries that hold after the fold as they did before."""
        return (self.longterm,) if self.plan.joins and self.longterm is not None else ()

    def gone(self) -> list[str]:
        """Return the texts of the summaries that it replaces."""
        return [summary.text for summary in self.earlier() if summary not in self.stays()]

    def folded(self) -> list[str]:
        """Return the texts of the memories that are folded now."""
        return [entry.text for entry in self.entries if entry.seq >= self.plan.first]

    def again(self) -> list[str]:
        """Return the texts of the memories that were folded before and are read again."""
        return [entry.text for entry in self.entries if entry.seq < self.plan.first]

    def replaced(self) -> list[str]:
        """Return the texts that what is to be written stands for: the memories, and what one summary takes up."""
        return [*(self.texts() if self.plan.recent is None else []), *(entry.text for entry in self.entries)]

    def deepened(self, made: Summary, source: SummarySource) -> Summary:
        """Return a summary with how often its memories were summed up; one that only moves stays what it was."""
        earlier = self.earlier()
        if made.tier != "longterm" or not earlier:
            return made
        if not source.entries and len(earlier) == 1 and earlier[0].text == made.text:
            return replace(made, method=earlier[0].method, model=earlier[0].model, depth=earlier[0].depth)
        return replace(made, depth=max(summary.depth for summary in earlier) + 1)

    def sources(
        self, name: str, settings: CompactionSettings, when: Callable[[str, str], str] = lambda first, last: ""
    ) -> list[SummarySource]:
        """Return what is to be written: the long-term summary first, as it takes up the recent one.

        Args:
            name: whose memories they are.
            settings: those of now.
            when: says when something was, see `Surroundings.when`.
        """
        texts, sample = tuple(self.texts()), carried(self.earlier(), name)
        wanted = self.strategy.wanted(settings)
        recent = SummarySource(
            name,
            "recent",
            undreamt(self.entries),
            max_sentences=settings.max_recent_sentences,
            max_tokens=settings.max_summary_tokens,
            max_source_tokens=settings.max_source_tokens,
            begins=self.plan.told[0] == 1,
            style=settings.prompt_style,
            shape=wanted.shape,
            findings=wanted.findings,
            covers=self.plan.recent,
            when=when(self.entries[0].at, self.entries[-1].at) if self.entries else "",
        )
        whole = self.plan.longterm
        if self.plan.recent is None:
            longterm = replace(recent, tier="longterm", max_sentences=wanted.sentences)
            return [replace(longterm, earlier=texts, covers=whole, sample=sample)]
        if whole is None:
            return [recent]
        both = replace(recent, tier="longterm", entries=(), max_sentences=None, begins=False, when="")
        both = replace(both, earlier=texts, covers=whole, sample=sample)
        return [both, recent]


def check_join(plan: FoldPlan, entries: Sequence[Entry], recent: Summary | None) -> None:
    """Make sure that a recent summary that is made anew loses nothing: no person's words, no memory it knew.

    Args:
        plan: what is to be folded.
        entries: the memories that the new summary is made from.
        recent: the summary of now.

    Raises:
        LociError: it would.
    """
    if not plan.joins:
        return
    if not may_be_made_anew(recent):
        raise LociError("the recent summary was edited meanwhile")
    if gone := missing((entry.seq for entry in entries), plan.told[0], plan.first - 1):
        raise LociError(f"{spoken(*gone[0])} cannot be read, and the recent summary tells of them")


def may_be_made_anew(recent: Summary | None) -> bool:
    """Return whether a recent summary may be made anew: no person wrote it, and it knows all its memories."""
    return recent is not None and recent.method != EDITED and not recent.unread
