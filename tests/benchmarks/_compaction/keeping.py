"""Counts which facts of a life are kept in a prompt's view, and which recall finds. Pure.

The age of a fact is the quarter of the life in which it was last told, 1 for the oldest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agents.memory.memory import View
from tests.benchmarks._recall.lives import BenchmarkLife, LifeQuestion

QUARTERS = ("1", "2", "3", "4")


def in_window(view: View, window: int, count: Callable[[str], int]) -> list[str]:
    """Return what a prompt of `window` tokens would show of a view: summaries, and the newest memories that fit."""
    summaries = [summary.text for summary in (view.longterm, view.recent) if summary is not None]
    room, shown = window - sum(map(count, summaries)), []
    for entry in reversed(view.tail):
        room -= count(entry.text)
        if room < 0:
            break
        shown.append(entry.text)
    return [*summaries, *reversed(shown)]


def age_of(question: LifeQuestion, memories: int) -> str | None:
    """Return the quarter of the life in which a question's fact was last told; None when that is not known."""
    places = [int(one) for one in question.evidence if one.isdecimal() and int(one) < memories]
    return QUARTERS[4 * max(places) // memories] if places else None


def counted(life: BenchmarkLife, right: Sequence[bool]) -> dict[str, Any]:
    """Return how many facts are kept, by kind and by age; `right` has an entry for each question."""
    kinds = {one.kind: 0 for one in life.questions}
    ages = dict.fromkeys(QUARTERS, 0)
    for one, yes in zip(life.questions, right, strict=True):
        kinds[one.kind] += yes
        age = age_of(one, len(life.records))
        if age is not None:
            ages[age] += yes
    return {"found": sum(right), "by_kind": kinds, "by_age": ages}
