"""Scores of ranked turns against evidence. Pure.

A question's score is the fraction of its evidence that was found (recall at k); that of many questions is the mean.
Evidence named twice counts once, and so does a session with several pieces of evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tests.benchmarks._recall.lives import BenchmarkLife, LifeQuestion

FIRST = (5, 10, 40)
"""Numbers of first turns among which evidence is looked for."""
SESSIONS = 10
"""Number of first sessions."""
BUDGETS = (256, 721, 2000, 7000)
"""Token budgets for turns; 721 and about 7,000 are what other systems report for a question."""
POOLING = 0.5
"""Weight of each further turn of a session, relative to the one before: one telling turn beats many vague ones. On the
development half anything from 0.3 to 0.9, or the best turn alone, gives 0.930 to 0.933.
"""

Ranked = Sequence[tuple[int, float]]
"""Turns by their place in the life, from 0, with their scores, best first."""


@dataclass(frozen=True, slots=True)
class Score:
    """The fractions found for one question, or their means: by first turns, first sessions and token budgets."""

    turns: Mapping[int, float]
    sessions: Mapping[int, float]
    tokens: Mapping[int, float]


def share(evidence: Collection[object], found: Collection[object]) -> float:
    return sum(one in found for one in evidence) / len(evidence)


def pooled(ranked: Sequence[tuple[int, float]]) -> list[int]:
    """Return sessions, best first, by the sum of their turns' scores; the n-th best weighs `POOLING ** (n-1)`.

    `ranked` has the session and score of each turn, best turn first.
    """
    sums: dict[int, float] = {}
    seen: dict[int, int] = {}
    for session, score in ranked:
        sums[session] = sums.get(session, 0.0) + score * POOLING ** seen.get(session, 0)
        seen[session] = seen.get(session, 0) + 1
    return sorted(sums, key=lambda session: -sums[session])  # of equal ones, the first found comes first


def within(ranked: Sequence[int], tokens: Sequence[int], budget: int) -> list[int]:
    """Return the best turns up to the first whose text does not fit into the budget."""
    chosen = []
    for turn in ranked:
        budget -= tokens[turn]
        if budget < 0:
            break
        chosen.append(turn)
    return chosen


def score_of(life: BenchmarkLife, question: LifeQuestion, ranked: Ranked, tokens: Sequence[int]) -> Score:
    turns = [turn for turn, _ in ranked]
    named = [life.turns[turn] for turn in turns]
    session_of = dict(zip(life.turns, life.sessions, strict=True))
    # An unknown turn belongs to no session, and is never found.
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
    if not scores:
        return None
    return Score(*(_means([getattr(one, part) for one in scores]) for part in ("turns", "sessions", "tokens")))


def _means(parts: Sequence[Mapping[int, float]]) -> dict[int, float]:
    return {key: sum(part[key] for part in parts) / len(parts) for key in parts[0]}


def answered(answer: Sequence[str], texts: Sequence[str]) -> bool:
    """Return whether all strings of an answer occur in these texts, ignoring case."""
    joined = "\n".join(texts).casefold()
    return all(one.casefold() in joined for one in answer)


def percentile(values: Sequence[float], part: float) -> float | None:
    """Return the nearest-rank percentile, with `part` from 0 to 1; None without values."""
    if not values:
        return None
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]
