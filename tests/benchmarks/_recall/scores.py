"""What of the evidence was found: pure functions over ranked turns.

The score of a question is the fraction of its evidence among what was found (recall at k); that of many, the mean.
Evidence counts once however often it is named, a session once however much evidence it holds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tests.benchmarks._recall.lives import BenchmarkLife, LifeQuestion

FIRST = (5, 10, 40)
"""Among how many of the first turns evidence is looked for."""
SESSIONS = 10
"""Among how many of the first sessions."""
BUDGETS = (256, 721, 2000, 7000)
"""Within how many tokens of turns; 721 and about 7,000 are what other systems report for a question."""
POOLING = 0.5
"""What each further turn adds to its session, as a part of what the one before it would: one telling turn beats many
vague ones. On the development half anything from 0.3 to 0.9, or the best turn alone, gives 0.930 to 0.933."""

Ranked = Sequence[tuple[int, float]]
"""Turns by their place in the life, from 0, with their scores, best first."""


@dataclass(frozen=True, slots=True)
class Score:
    """The fractions found for one question, or their means over many.

    Args:
        turns: by how many of the first turns.
        sessions: by how many of the first sessions.
        tokens: by budget.
    """

    turns: Mapping[int, float]
    sessions: Mapping[int, float]
    tokens: Mapping[int, float]


def share(evidence: Collection[object], found: Collection[object]) -> float:
    """Return the fraction of the evidence that was found."""
    return sum(one in found for one in evidence) / len(evidence)


def pooled(ranked: Sequence[tuple[int, float]]) -> list[int]:
    """Return sessions, best first: each by the sum of its turns' scores, the n-th best weighed with `POOLING ** (n-1)`.

    Args:
        ranked: the session and score of each turn, best turn first.
    """
    sums: dict[int, float] = {}
    seen: dict[int, int] = {}
    for session, score in ranked:
        sums[session] = sums.get(session, 0.0) + score * POOLING ** seen.get(session, 0)
        seen[session] = seen.get(session, 0) + 1
    return sorted(sums, key=lambda session: -sums[session])  # of equal ones, the first found comes first


def within(ranked: Sequence[int], tokens: Sequence[int], budget: int) -> list[int]:
    """Return the best turns up to the first whose text does not fit.

    Args:
        ranked: turns, best first.
        tokens: length of each turn's text.
        budget: tokens that there is room for.
    """
    chosen = []
    for turn in ranked:
        budget -= tokens[turn]
        if budget < 0:
            break
        chosen.append(turn)
    return chosen


def score_of(life: BenchmarkLife, question: LifeQuestion, ranked: Ranked, tokens: Sequence[int]) -> Score:
    """Return what of a question's evidence was found.

    Args:
        life: the conversation.
        question: one with evidence.
        ranked: the turns that were found for it.
        tokens: length of each turn's text.
    """
    turns = [turn for turn, _ in ranked]
    named = [life.turns[turn] for turn in turns]
    session_of = dict(zip(life.turns, life.sessions, strict=True))
    # What names no turn belongs to no session: it stays what it is, and is not found.
    wanted = {session_of.get(one, one) for one in question.evidence}
    sessions = pooled([(life.sessions[turn], score) for turn, score in ranked])
    return Score(
        {k: share(question.evidence, named[:k]) for k in FIRST},
        {SESSIONS: share(wanted, sessions[:SESSIONS])},
        {
            budget: share(question.evidence, [life.turns[turn] for turn in within(turns, tokens, budget)])
            for budget in BUDGETS
        },
    )


def mean(scores: Sequence[Score]) -> Score | None:
    """Return the mean of each part; None of nothing."""
    if not scores:
        return None
    return Score(*(_means([getattr(one, part) for one in scores]) for part in ("turns", "sessions", "tokens")))


def _means(parts: Sequence[Mapping[int, float]]) -> dict[int, float]:
    return {key: sum(part[key] for part in parts) / len(parts) for key in parts[0]}


def answered(answer: Sequence[str], texts: Sequence[str]) -> bool:
    """Return whether all strings of an answer stand in these texts, in any case."""
    joined = "\n".join(texts).casefold()
    return all(one.casefold() in joined for one in answer)


def percentile(values: Sequence[float], part: float) -> float | None:
    """Return the value below which a part of them lies (nearest rank); None of nothing.

    Args:
        values: in any order.
        part: from 0 to 1.
    """
    if not values:
        return None
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]
