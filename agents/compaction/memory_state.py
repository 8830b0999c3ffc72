"""How a life stands: everything that a strategy decides by, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def _zero() -> int:
    return 0


def _none_fits(tokens: int) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class ViewBudget:
    """Within what a strategy keeps a view by itself, in one unit.

    Args:
        unit: what is counted: `memories` word for word, `entries` with the summary, `characters` or `tokens`.
        taken: how much the view takes.
        most: how much it may take.
    """

    unit: str
    taken: int
    most: int

    def __str__(self) -> str:
        return f"{self.taken:,} of {self.most:,} {self.unit}"


@dataclass(frozen=True, slots=True)
class MemoryState:
    """How a life stands now.

    Args:
        total: memories there are.
        watermark: the last memory that a summary stands for.
        summaries: how many summaries there are, 0 to 2.
        window: tokens of the thinking model's window.
        asleep: whether its character sleeps.
        chars: counts the characters of the summaries and of the memories that are not folded.
        tokens: counts the tokens of the view: summaries, and memories as they are shown.
        fitting: counts how many of the newest memories fit into so many tokens.
    """

    total: int
    watermark: int
    summaries: int = 0
    window: int = 8192
    asleep: bool = False
    chars: Callable[[], int] = _zero
    tokens: Callable[[], int] = _zero
    fitting: Callable[[int], int] = _none_fits

    @property
    def unfolded(self) -> int:
        """Memories that no summary stands for."""
        return self.total - self.watermark
