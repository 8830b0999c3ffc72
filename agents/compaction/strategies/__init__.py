"""Ways to decide when memories are folded and which, one file each.

To add one, write a module here with pure functions and, at module level, `MINE = Strategy("mine", "one sentence about
it", due=..., manual=..., next_at=...)`. It can then be named in `strategy:` of config/memory_compaction.md or of an
agent.md. It must fold from the watermark on; whatever it does, what is not folded is shown word for word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from agents.compaction.settings import CompactionSettings, SummaryStyle
from agents.memory.entries import Range

AUTOMATIC, MANUAL, SLEEP, EMERGENCY, PRESSURE = "automatic", "manual", "sleep", "emergency", "pressure"
"""Reasons of folds. Pressure: without the fold, the next prompt would leave out memories that no summary covers."""
LEAST_MEMORY = 8
"""Tokens that a short memory takes, such as that somebody left: so many memories take as much in the mean at least."""
Reach = tuple[str, int]  # A key of the settings, and a number of tokens


class DueFold(NamedTuple):
    """A range of memories that a strategy wants folded."""

    first: int
    last: int
    reason: str = AUTOMATIC


class ViewBudget(NamedTuple):
    """A limit that a strategy keeps for a view, in memories, entries, characters or tokens."""

    unit: str
    taken: int
    most: int


@dataclass(frozen=True, slots=True)
class MemoryState:
    """The input of a strategy's decisions; sizes are computed on access."""

    total: int
    watermark: int  # the last memory that a summary covers
    summaries: int = 0
    window: int = 8192  # tokens of the thinking model's window
    asleep: bool = False
    chars: Callable[[], int] = int  # characters of the summaries and unfolded memories
    tokens: Callable[[], int] = int  # tokens of the view, summaries and memories as shown
    fitting: Callable[[int], int] = lambda tokens: 0  # returns how many of the newest memories fit into so many tokens
    # returns the end of the fewest whole days that hold `least` unfolded memories or more; `last` if none ends before
    whole_days: Callable[[int, int], int] = lambda last, least: last

    @property
    def unfolded(self) -> int:
        return self.total - self.watermark

    def all_but_newest(self, count: int, reason: str = AUTOMATIC) -> DueFold | None:
        """Return the fold of all memories but the newest `count`; None if there are none."""
        end = self.total - count
        return DueFold(self.watermark + 1, end, reason) if end > self.watermark else None


def newest(count: int) -> str:
    return f"the newest {count:,} memories" if count > 1 else "the newest memory" if count else "nothing"


def nothing(state: MemoryState, settings: CompactionSettings) -> None:
    """Fold nothing, and hide nothing."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A plug-in that decides what is folded and when: pure functions of the state of a memory and the settings."""

    name: str
    help: str
    # returns the automatic fold that is due now
    due: Callable[[MemoryState, CompactionSettings], DueFold | None] = nothing
    # returns the fold on request; its reason is ignored
    manual: Callable[[MemoryState, CompactionSettings], DueFold | None] = nothing
    # describes what it waits for, such as `at 129 memories`
    waits: Callable[[MemoryState, CompactionSettings], str] = lambda state, settings: (
        "only what a prompt has no room for"
    )
    # describes what is never folded, such as `the newest 64 memories`
    keeps: Callable[[CompactionSettings], str] = lambda settings: "everything"
    # memories at which the next fold is due; None if it does not depend on their number
    next_at: Callable[[MemoryState, CompactionSettings], int | None] = nothing
    by_number: bool = False  # a fold is due from that number on and never before
    rolling: bool = False  # it has one summary, rewritten in every fold
    by_period: bool = False  # its long-term summary consists of days, weeks, months and years
    masks: bool = False
    # the range of unfolded memories that is not shown either
    hides: Callable[[MemoryState, CompactionSettings], Range | None] = nothing
    least_saving: Callable[[CompactionSettings], int] = lambda settings: 0  # tokens that an automatic fold must save
    by_tokens: bool = False  # it decides by tokens, so they are counted as exactly as possible
    journals: bool = False  # facts go to the journal before a fold, and the agent is told when a fold is near
    style: Callable[[CompactionSettings], SummaryStyle] = lambda settings: SummaryStyle()
    # the limits that it keeps for the view
    budgets: Callable[[MemoryState, CompactionSettings], tuple[ViewBudget, ...]] = lambda state, settings: ()
    # the deciding key of the settings, and the tokens at which it folds at the latest; None if it never does
    reach: Callable[[CompactionSettings, int], Reach | None] = lambda settings, window: None
