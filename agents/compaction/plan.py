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


@dataclass(frozen=True, slots=True)
class Fold:
    """What a strategy wants folded.

    Args:
        first, last: the memories.
        reason: why.
    """

    first: int
    last: int
    reason: str = AUTOMATIC


@dataclass(frozen=True, slots=True)
class Plan:
    """One fold.

    Args:
        strategy: the strategy that made it.
        reason: `automatic`, `manual`, `sleep`, `emergency` or `pressure`.
        first, last: the memories that are folded.
        recent: what the recent summary covers afterwards; None for a strategy with one summary.
        longterm: what the long-term summary covers afterwards; None when there is none yet.
    """

    strategy: str
    reason: str
    first: int
    last: int
    recent: Range | None
    longterm: Range | None

    @property
    def event(self) -> str:
        """The event of its commit line."""
        return "manual_compact" if self.reason == MANUAL else "auto_compact"

    def until(self, last: int) -> Plan:
        """Return the same fold up to another memory."""
        if self.recent is None:
            return replace(self, last=last, longterm=(1, last))
        return replace(self, last=last, recent=(self.first, last))


def plan_fold(strategy: str, fold: Fold | None, watermark: int, *, rolling: bool = False) -> Plan | None:
    """Return the plan for a fold, or None for no fold.

    Args:
        strategy: name of the strategy.
        fold: the memories to fold.
        watermark: the last memory that a summary stands for.
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
        return Plan(strategy, fold.reason, first, last, None, (1, last))
    return Plan(strategy, fold.reason, first, last, (first, last), (1, watermark) if watermark else None)
