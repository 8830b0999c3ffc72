"""What a strategy is: pure functions of how a life stands, and what its summaries and its view look like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.compaction.memory_state import MemoryState, ViewBudget
from agents.compaction.plan import DueFold, Range
from agents.compaction.settings import CompactionSettings
from agents.compaction.summary_style import SummaryStyle

LEAST_MEMORY = 8
"""Tokens that a short memory takes, such as that somebody left: so many memories take as much in the mean at least."""
Reach = tuple[str, int]
"""A key of the settings, and a number of tokens."""

Due = Callable[[MemoryState, CompactionSettings], DueFold | None]
"""Which memories to fold now; None for nothing."""


def nothing(standing: MemoryState, settings: CompactionSettings) -> DueFold | None:
    """Fold nothing."""
    return None


def _never(standing: MemoryState, settings: CompactionSettings) -> int | None:
    return None


def _hides_nothing(standing: MemoryState, settings: CompactionSettings) -> Range | None:
    return None


def _unbounded(standing: MemoryState, settings: CompactionSettings) -> tuple[ViewBudget, ...]:
    return ()


def _as_set(settings: CompactionSettings) -> SummaryStyle:
    return SummaryStyle()


def newest(count: int) -> str:
    """Say that so many of the newest memories are never folded."""
    return f"the newest {count:,} memories" if count > 1 else "the newest memory" if count else "nothing"


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to keep a life's view small, as a plug-in.

    Args:
        name: what `strategy:` says; also the name of its file.
        help: one sentence for people.
        due: which memories to fold by itself now.
        manual: which memories to fold when somebody asks for it; its reason does not matter.
        waits: says in words what it waits for, such as `at 129 memories`.
        keeps: says in words what is never folded, such as `the newest 64 memories`.
        next_at: at how many memories the next fold is due; None when it does not go by their number.
        by_number: it goes by nothing else: a fold is due from that number on and never before.
        rolling: it has one summary, made anew with every fold from the one before and the memories.
        masks: results of one's own queries shrink to a line when newer ones have come.
        hides: which memories that are not folded are not shown either.
        least_saving: tokens that an automatic fold must save.
        by_tokens: it decides by tokens, which are counted as exactly as can be then.
        journals: facts are kept in the journal before a fold, and its owner is told when its head is getting full.
        wanted: how its summaries are written.
        budgets: within what it keeps the view by itself; nothing for one that keeps it within nothing.
        reach: of some settings and the tokens of a window, the key that decides and the tokens from which on it folds
            by itself at the latest; None when it never does.
    """

    name: str
    help: str
    due: Due = nothing
    manual: Due = nothing
    waits: Callable[[MemoryState, CompactionSettings], str] = lambda standing, settings: (
        "only what a prompt has no room for"
    )
    keeps: Callable[[CompactionSettings], str] = lambda settings: "everything"
    next_at: Callable[[MemoryState, CompactionSettings], int | None] = _never
    by_number: bool = False
    rolling: bool = False
    masks: bool = False
    hides: Callable[[MemoryState, CompactionSettings], Range | None] = _hides_nothing
    least_saving: Callable[[CompactionSettings], int] = lambda settings: 0
    by_tokens: bool = False
    journals: bool = False
    wanted: Callable[[CompactionSettings], SummaryStyle] = _as_set
    budgets: Callable[[MemoryState, CompactionSettings], tuple[ViewBudget, ...]] = _unbounded
    reach: Callable[[CompactionSettings, int], Reach | None] = lambda settings, window: None
