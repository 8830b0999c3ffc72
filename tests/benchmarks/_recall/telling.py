"""The results of `bench recall`, as one record and as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.benchmarks._bench import Report, Table
from tests.benchmarks._recall.apart import TOKENIZER
from tests.benchmarks._recall.asking import CHROMA, WINDOW, YARDSTICK, FoundMemory, RecalledLife
from tests.benchmarks._recall.bm25 import K1, B
from tests.benchmarks._recall.grouping import Sizes
from tests.benchmarks._recall.lives import BenchmarkLife, Data, LifeQuestion
from tests.benchmarks._recall.scores import (
    BUDGETS,
    FIRST,
    SESSIONS,
    Ranked,
    Score,
    answered,
    mean,
    percentile,
    score_of,
)

CALLED = {
    "recall": "recall, as the world uses it",
    "memories": "recall, memories alone",
    "words": "words alone",
    "vectors": "vectors alone",
    WINDOW: "the last window alone, no recall",
    CHROMA: "chromadb's plain query",
    YARDSTICK: "BM25 of whole memories",
}
AMONG = 5
"""Number of first hits that may hold the answer to a question about a life."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """One question asked in one way.

    Args:
        life, number: which life, and which of its questions, both from 1.
        ranks: the rank of each piece of evidence, from 1; None when it was not found.
    """

    arm: str
    life: int
    number: int
    question: LifeQuestion
    score: Score
    ranks: tuple[int | None, ...]

    def record(self) -> dict[str, Any]:
        """Return it as a record that contains no text of the data."""
        return {
            "arm": self.arm,
            "life": self.life,
            "question": self.number,
            "category": self.question.kind,
            "turns": _rounded(self.score.turns),
            "sessions": _rounded(self.score.sessions),
            "tokens": _rounded(self.score.tokens),
            "ranks": list(self.ranks),
        }


def _rounded(part: Mapping[int, float]) -> dict[str, float]:
    return {str(key): round(value, 4) for key, value in part.items()}


def all_asked(lives: Sequence[BenchmarkLife], lived: Sequence[RecalledLife]) -> list[AnsweredQuestion]:
    return [
        _scored(arm, number, place, life, one.tokens, found)
        for number, (life, one) in enumerate(zip(lives, lived, strict=True), 1)
        for arm, answers in one.found.items()
        for place, found in enumerate(answers)
        if life.questions[place].evidence
    ]


def _scored(
    arm: str, number: int, place: int, life: BenchmarkLife, tokens: Sequence[int], found: Sequence[FoundMemory]
) -> AnsweredQuestion:
    ranked: Ranked = [(one.place, one.score) for one in found if one.place is not None]
    question = life.questions[place]
    at = {life.turns[turn]: rank for rank, (turn, _) in reversed(list(enumerate(ranked, 1)))}
    ranks = tuple(at.get(one) for one in question.evidence)
    return AnsweredQuestion(arm, number, place + 1, question, score_of(life, question, ranked, tokens), ranks)


def _parts(asked: Iterable[AnsweredQuestion]) -> dict[str, Any]:
    scores = [one.score for one in asked]
    found = mean(scores)
    if found is None:
        return {"questions": 0}
    parts = {"turns": found.turns, "sessions": found.sessions, "tokens": found.tokens}
    return {"questions": len(scores)} | {key: _rounded(part) for key, part in parts.items()}


def _of_arm(asked: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    kinds = sorted({one.question.kind for one in asked})
    return _parts(asked) | {
        "by_category": {kind: _parts(one for one in asked if one.question.kind == kind) for kind in kinds}
    }


def _times(lived: Sequence[RecalledLife], seconds: float) -> dict[str, Any]:
    queries = [value for one in lived for value in one.milliseconds]
    return {
        "p50_ms": _short(percentile(queries, 0.5)),
        "p95_ms": _short(percentile(queries, 0.95)),
        "behind": sum(one.behind for one in lived),
        "fill_seconds": round(sum(one.fill_seconds for one in lived), 1),
        "seconds": round(seconds, 1),
    }


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _head(data: Data, lived: Sequence[RecalledLife]) -> dict[str, Any]:
    return {
        "bench": "recall",
        "data": data.form,
        "lives": len(data.lives),
        "memories": sum(len(life.records) for life in data.lives),
        "compactions": sum(one.folds for one in lived),
        "embedder": lived[0].embedder,
    }


def tell_conversations(
    data: Data,
    lived: Sequence[RecalledLife],
    asked: Sequence[AnsweredQuestion],
    seconds: float,
    sizes: Sizes | None = None,
) -> Report:
    """Return the report on conversations; `sizes` is None where each memory is one turn."""
    arms = {arm: _of_arm([one for one in asked if one.arm == arm]) for arm in lived[0].found}
    main = arms.get("recall", _parts(()))
    record = _head(data, lived) | main
    record["left_out"] = sum(not one.evidence for life in data.lives for one in life.questions)
    record |= {"tokenizer": TOKENIZER, **_times(lived, seconds), "arms": arms}
    columns = [f"turns@{k}" for k in FIRST] + [f"sessions@{SESSIONS}"] + [f"{budget:,} tokens" for budget in BUDGETS]
    tables = [
        Table(["asked by", *columns], [[CALLED[arm], *_cells(one)] for arm, one in arms.items()]),
        Table(
            ["category", "questions", *columns],
            [[kind, str(one["questions"]), *_cells(one)] for kind, one in main.get("by_category", {}).items()],
        ),
    ]
    record["grouped"] = None if sizes is None else str(sizes)
    what = "turns" if sizes is None else f"memories of {sizes.least} to {sizes.most} turns"
    told = (
        f"LoCoMo, {record['lives']} conversations, {record['memories']:,} {what}, each life folded "
        f"({record['compactions']} folds): the mean fraction of the evidence found, over {record['questions']} "
        f"questions; {record['left_out']} without evidence are left out, evidence that names no turn is never found, "
        f"captions of pictures are left out. BM25 is that of stems (Porter's) with k1 {K1} and b {B}. "
        f"Tokens are those of {TOKENIZER}'s tokenizer. The second table is recall "
        f"by category number. {_pace(record)}"
    )
    return Report(block_of(data, sizes), record, tables, told)


def block_of(data: Data, sizes: Sizes | None) -> str:
    return f"recall {data.form}" if sizes is None else f"recall {data.form} grouped"


def _cells(parts: Mapping[str, Any]) -> list[str]:
    return [f"{value:.3f}" for key in ("turns", "sessions", "tokens") for value in parts.get(key, {}).values()]


def _pace(record: Mapping[str, Any]) -> str:
    late = f" {record['behind']} searches went without vectors." if record["behind"] else ""
    return (
        f"A query took {record['p50_ms']} ms (p95 {record['p95_ms']} ms), living and indexing "
        f"{record['fill_seconds']} s, everything {record['seconds']} s.{late}"
    )


def tell_life(data: Data, lived: Sequence[RecalledLife], seconds: float) -> Report:
    """Return the report on a life: how many questions are answered among the first hits."""
    life, one = data.lives[0], lived[0]
    asked = _counted(life, [True] * len(life.questions))
    arms = {arm: _of_life(life, answers) for arm, answers in one.found.items()}
    record = _head(data, lived) | {"questions": len(life.questions), "among": AMONG} | arms["recall"]
    record |= {**_times(lived, seconds), "arms": arms}
    table = Table(
        ["asked by", "found", *asked, "evidence"],
        [
            [
                CALLED[arm],
                f"{part['found']} of {len(life.questions)}",
                *(f"{part['by_kind'][kind]} of {count}" for kind, count in asked.items()),
                str(part["evidence"]),
            ]
            for arm, part in arms.items()
        ],
    )
    told = (
        f"A life of {record['memories']:,} memories, {record['compactions']} folds; found means that all of the answer "
        f"stands in the first {AMONG} hits, evidence that one of them is a memory which holds it. Recall looks in "
        f"memories, summaries and notes alike. {_pace(record)}"
    )
    return Report("recall life", record, [table], told)


def _of_life(life: BenchmarkLife, answers: Sequence[Sequence[FoundMemory]]) -> dict[str, Any]:
    first = [[found.text for found in answer[:AMONG]] for answer in answers]
    right = [answered(one.answer, texts) for one, texts in zip(life.questions, first, strict=True)]
    text_of = dict(zip(life.turns, (str(record["text"]) for record in life.records), strict=True))
    evident = [{text_of.get(name) for name in one.evidence} for one in life.questions]
    return {
        "found": sum(right),
        "by_kind": _counted(life, right),
        "evidence": sum(not texts.isdisjoint(some) for texts, some in zip(evident, first, strict=True)),
        "missed": [number for number, yes in enumerate(right, 1) if not yes],
    }


def _counted(life: BenchmarkLife, right: Sequence[bool]) -> dict[str, int]:
    counts = {one.kind: 0 for one in life.questions}
    for one, yes in zip(life.questions, right, strict=True):
        counts[one.kind] += yes
    return counts
