"""What of a life's facts is kept: in what a prompt shows, and among what recall finds. Pure.

A fact is as old as when it was last told, in quarters of the life, the first of them the oldest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agents.memory.memory import View
from tests.benchmarks._recall.lives import BenchmarkLife, LifeQuestion

QUARTERS = ("1", "2", "3", "4")


def in_window(view: View, window: int, count: Callable[[str], int]) -> list[str]:
    """Return what a prompt would show of a view, summaries first: of the memories the newest that fit.

    Args:
        view: the view.
        window: tokens that there is room for.
        count: counts those of a text.
    """
    summaries = [summary.text for summary in (view.longterm, view.recent) if summary is not None]
    room, shown = window - sum(map(count, summaries)), []
    for entry in reversed(view.tail):
        room -= count(entry.text)
        if room < 0:
            break
        shown.append(entry.text)
    return [*summaries, *reversed(shown)]


def age_of(question: LifeQuestion, memories: int) -> str | None:
    """Return in which quarter of a life of so many memories its fact was last told; None when that is not known."""
    places = [int(one) for one in question.evidence if one.isdecimal() and int(one) < memories]
    return QUARTERS[4 * max(places) // memories] if places else None


def counted(life: BenchmarkLife, right: Sequence[bool]) -> dict[str, Any]:
    """Return how many facts are kept, by kind and by age.

    Args:
        life: whose.
        right: for each question whether its answer is there.
    """
    kinds = {one.kind: 0 for one in life.questions}
    ages = dict.fromkeys(QUARTERS, 0)
    for one, yes in zip(life.questions, right, strict=True):
        kinds[one.kind] += yes
        age = age_of(one, len(life.records))
        if age is not None:
            ages[age] += yes
    return {"found": sum(right), "by_kind": kinds, "by_age": ages}
