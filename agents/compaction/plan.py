"""What one fold would do, as a value.

Pure: numbers in, numbers out. A plan says which memories are folded and which summary takes up which; it begins at the
watermark or is not made at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

AUTOMATIC = "automatic"
MANUAL = "manual"
SLEEP = "sleep"
EMERGENCY = "emergency"
PRESSURE = "pressure"
"""Else the next prompt would leave out memories that no summary holds."""

Range = tuple[int, int]
"""First and last memory, both included."""
LEAST_SHARE = 4
"""A manual fold makes a recent summary of its own from a window's fourth part on."""


@dataclass(frozen=True, slots=True)
class DueFold:
    """What a strategy wants folded.

    Args:
        first, last: the memories.
        reason: why.
    """

    first: int
    last: int
    reason: str = AUTOMATIC


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """One fold.

    Args:
        strategy: the strategy that made it.
        reason: `automatic`, `manual`, `sleep`, `emergency` or `pressure`.
        first, last: the memories that are folded.
        recent: what the recent summary covers afterwards; None for a strategy with one summary. Where it begins before
            `first`, the current recent summary is made anew with what is folded.
        longterm: what the long-term summary covers afterwards; None when it stays as it is, or there is none yet.
    """

    strategy: str
    reason: str
    first: int
    last: int
    recent: Range | None
    longterm: Range | None

    @property
    def source(self) -> Range:
        """The memories from which the newest summary is made."""
        return self.recent or (self.first, self.last)

    @property
    def joins(self) -> bool:
        """Whether the current recent summary is made anew with what is folded."""
        return self.recent is not None and self.recent[0] < self.first

    @property
    def event(self) -> str:
        """The event of its commit line."""
        return "manual_compact" if self.reason == MANUAL else "auto_compact"

    def until(self, last: int) -> FoldPlan:
        """Return the same fold up to another memory."""
        if self.recent is None:
            return replace(self, last=last, longterm=(1, last))
        return replace(self, last=last, recent=(self.recent[0], last))


def plan_fold(strategy: str, fold: DueFold | None, watermark: int, *, rolling: bool = False) -> FoldPlan | None:
    """Return the plan for a fold, or None for no fold.

    Args:
        strategy: name of the strategy.
        fold: the memories to fold.
        watermark: the last memory that a summary covers.
        rolling: one summary takes up the one before and the memories; else two, as in a waterfall.

    Raises:
        ValueError: when the range does not begin right after the watermark or is empty.
    """
    if fold is None:
        return None
    first, last = fold.first, fold.last
    if first != watermark + 1 or last < first:
        raise ValueError(f"a fold of {first} to {last} does not begin after memory {watermark}")
    if rolling:
        return FoldPlan(strategy, fold.reason, first, last, None, (1, last))
    return FoldPlan(strategy, fold.reason, first, last, (first, last), (1, watermark) if watermark else None)


def join_recent(plan: FoldPlan, recent: Range | None, window: int, *, replaceable: bool) -> FoldPlan | None:
    """Return a manual fold so that it never pushes a recent summary out for little; None for too little.

    What is to be folded joins what the recent summary covers as long as both fit into a window. Of the rest, little is
    left alone until there is more of it.

    Args:
        plan: the fold as the strategy has it.
        recent: what the recent summary covers; None where there is none.
        window: memories that a recent summary covers.
        replaceable: that one may be made anew from its memories.
    """
    if plan.recent is None or recent is None:
        return plan
    if replaceable and plan.last - recent[0] < window:
        return replace(plan, recent=(recent[0], plan.last), longterm=None)
    return plan if plan.last - plan.first + 1 >= enough(window) else None


def enough(window: int) -> int:
    """Return how many memories get a recent summary of their own in a manual fold."""
    return -(-window // LEAST_SHARE)
