"""Ways to decide when memories are folded and which, one file each.

To add one, write a module here with pure functions and, at module level, `MINE = Strategy("mine", "one sentence about
it", due=..., manual=..., next_at=...)`. It can then be named in `strategy:` of config/memory_compaction.md or of an
agent.md. It must fold from the watermark on; whatever it does, what is not folded is shown word for word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.compaction.plan import AUTOMATIC, DueFold, Range
from agents.compaction.settings import CompactionSettings, SummaryStyle

LEAST_MEMORY = 8
"""Tokens that a short memory takes, such as that somebody left: so many memories take as much in the mean at least."""
UNBOUNDED = "only what a prompt has no room for"
"""What a strategy waits for that folds nothing by itself."""
UNBOUNDED = "only what a prompt has no room for"
"""What a strategy waits for that folds nothing by itself."""
Reach = tuple[str, int]
"""A key of the settings, and a number of tokens."""


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
    """Everything that a strategy decides by; sizes are counted when they are asked for.

    Args:
        total: number of memories.
        watermark: the last memory that a summary covers.
        summaries: number of summaries, 0 to 2.
        window: tokens of the thinking model's window.
        asleep: whether the character sleeps.
        chars: counts the characters of the summaries and of the memories that are not folded.
        tokens: counts the tokens of the view: summaries, and memories as they are shown.
        fitting: counts how many of the newest memories fit into so many tokens.
    """

    total: int
    watermark: int
    summaries: int = 0
    window: int = 8192
    asleep: bool = False
    chars: Callable[[], int] = int
    tokens: Callable[[], int] = int
    fitting: Callable[[int], int] = lambda tokens: 0

    @property
    def unfolded(self) -> int:
        """Memories that no summary covers."""
        return self.total - self.watermark


def all_but_newest(state: MemoryState, count: int, reason: str = AUTOMATIC) -> DueFold | None:
    """Return the fold of all memories but the newest `count`; None when that is nothing."""
    end = state.total - count
    return DueFold(state.watermark + 1, end, reason) if end > state.watermark else None


def newest(count: int) -> str:
    """Say that so many of the newest memories are never folded."""
    return f"the newest {count:,} memories" if count > 1 else "the newest memory" if count else "nothing"


def nothing(state: MemoryState, settings: CompactionSettings) -> DueFold | None:
    """Fold nothing."""
    return None


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to keep a view small, as a plug-in: pure functions of the state of a memory and its settings.

    Args:
        name: what `strategy:` says; also the name of its file.
        help: one sentence for people.
        due: which memories to fold automatically now; None for nothing.
        manual: which memories to fold when somebody asks for it; its reason does not matter.
        waits: says in words what it waits for, such as `at 129 memories`.
        keeps: says in words what is never folded, such as `the newest 64 memories`.
        next_at: number of memories at which the next fold is due; None when it does not go by their number.
        by_number: it goes by nothing else: a fold is due from that number on and never before.
        rolling: it has one summary, made anew with every fold from the one before and the memories.
        masks: results of the character's own queries shrink to a line when newer ones have come.
        hides: which memories that are not folded are not shown either.
        least_saving: tokens that an automatic fold must save.
        by_tokens: it decides by tokens, which are counted as exactly as can be then.
        journals: facts are kept in the journal before a fold, and its owner is told when much waits to be folded.
        style: how its summaries are written.
        budgets: within what it keeps the view by itself; empty for no bounds.
        reach: of settings and the tokens of a window, the key that decides and the tokens from which on it folds
            automatically at the latest; None when it never does.
    """

    name: str
    help: str
    due: Callable[[MemoryState, CompactionSettings], DueFold | None] = nothing
    manual: Callable[[MemoryState, CompactionSettings], DueFold | None] = nothing
    waits: Callable[[MemoryState, CompactionSettings], str] = lambda state, settings: UNBOUNDED
    keeps: Callable[[CompactionSettings], str] = lambda settings: "everything"
    next_at: Callable[[MemoryState, CompactionSettings], int | None] = lambda state, settings: None
    by_number: bool = False
    rolling: bool = False
    masks: bool = False
    hides: Callable[[MemoryState, CompactionSettings], Range | None] = lambda state, settings: None
    least_saving: Callable[[CompactionSettings], int] = lambda settings: 0
    by_tokens: bool = False
    journals: bool = False
    style: Callable[[CompactionSettings], SummaryStyle] = lambda settings: SummaryStyle()
    budgets: Callable[[MemoryState, CompactionSettings], tuple[ViewBudget, ...]] = lambda state, settings: ()
    reach: Callable[[CompactionSettings, int], Reach | None] = lambda settings, window: None
