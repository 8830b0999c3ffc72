"""The plan of one fold. It always begins right after the watermark; pure functions."""

from __future__ import annotations

from dataclasses import dataclass, replace

AUTOMATIC = "automatic"
MANUAL = "manual"
SLEEP = "sleep"
EMERGENCY = "emergency"
PRESSURE = "pressure"
"""Without the fold, the next prompt would leave out memories that no summary covers."""

Range = tuple[int, int]
"""First and last memory, both inclusive."""
LEAST_SHARE = 4
"""A manual fold of at least this fraction (1/4) of the window makes its own recent summary."""


@dataclass(frozen=True, slots=True)
class DueFold:
    """A range of memories that a strategy wants folded."""

    first: int
    last: int
    reason: str = AUTOMATIC


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """One fold, of the memories `first` to `last`.

    Args:
        recent: the range of the new recent summary; None for a strategy with one summary. If it begins before
            `first`, the recent summary is written again together with the folded memories.
        longterm: the range of the long-term summary; None if it is unchanged or there is none.
    """

    strategy: str
    reason: str
    first: int
    last: int
    recent: Range | None
    longterm: Range | None

    @property
    def source(self) -> Range:
        return self.recent or (self.first, self.last)

    @property
    def joins(self) -> bool:
        return self.recent is not None and self.recent[0] < self.first

    @property
    def event(self) -> str:
        return "manual_compact" if self.reason == MANUAL else "auto_compact"

    def until(self, last: int) -> FoldPlan:
        if self.recent is None:
            return replace(self, last=last, longterm=(1, last))
        return replace(self, last=last, recent=(self.recent[0], last))


def plan_fold(strategy: str, fold: DueFold | None, watermark: int, *, rolling: bool = False) -> FoldPlan | None:
    """Return the plan for a fold; ValueError if it does not begin right after the watermark."""
    if fold is None:
        return None
    first, last = fold.first, fold.last
    if first != watermark + 1 or last < first:
        raise ValueError(f"a fold of {first} to {last} does not begin after memory {watermark}")
    if rolling:
        return FoldPlan(strategy, fold.reason, first, last, None, (1, last))
    return FoldPlan(strategy, fold.reason, first, last, (first, last), (1, watermark) if watermark else None)


def join_recent(plan: FoldPlan, recent: Range | None, window: int, *, replaceable: bool) -> FoldPlan | None:
    """Return a manual fold that extends the recent summary while both fit into one window.

    A small remainder is not folded (None), so that it does not push the recent summary out.
    """
    if plan.recent is None or recent is None:
        return plan
    if replaceable and plan.last - recent[0] < window:
        return replace(plan, recent=(recent[0], plan.last), longterm=None)
    return plan if plan.last - plan.first + 1 >= enough(window) else None


def enough(window: int) -> int:
    """Return how many memories a manual fold needs for a recent summary of its own."""
    return -(-window // LEAST_SHARE)
