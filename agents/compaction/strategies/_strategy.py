"""What a strategy is: three pure functions of how many memories there are and how many are folded."""

from __future__ import annotations

from dataclasses import dataclass

from agents.compaction.plan import Due, NextAt


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to fold, as a plug-in.

    Args:
        name: what `strategy:` says; also the name of its file.
        help: one sentence for people.
        due: which memories to fold by itself now.
        manual: which memories to fold when somebody asks for it.
        next_at: at how many memories the next fold is due.
    """

    name: str
    help: str
    due: Due
    manual: Due
    next_at: NextAt
