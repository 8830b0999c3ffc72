"""The weights by which a remembered sentence answers a question, found from the lives in `lives/`.

`python -m tests.evening.fit` plays every life: what a person told, and then what they ask, with the line that answers
it, or none. It prints how often the likeliest sentence is the right one, each life judged by the weights of all others,
and then the weights of all (`WEIGHTS` in `agents/brains/instinct/relevance.py`).
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.brains import Recall
from agents.brains.instinct.facts import candidates
from agents.brains.instinct.relevance import NEAR, SURE, WEIGHTS, Question, Relevance
from agents.brains.instinct.talk import HITS, Talk
from agents.memory.perception import Utterance
from agents.recall.embedders.minilm import MiniLM
from tests.unit.agents.brains.instinct.evening import Evening, Near
from tests.unit.agents.brains.instinct.shipped import INTERPRETER

LIVES = Path(__file__).parent / "lives"
RIDGE, STEPS = 0.0004, 30
"""Penalty of large weights for each example, and steps of Newton's method."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """A question, with what may answer it.

    Args:
        features: of each sentence remembered, a row each, in the order of `WEIGHTS`.
        right: 1 for each that answers, else 0.
    """

    features: Numbers
    right: Numbers


def life(file: Path, near: Near | None) -> list[Asked]:
    """Tell a mind what somebody lived, and return their questions with what it remembers to each.

    Args:
        file: the life, JSON: `told` lines, `asked` pairs of a question and the index of what answers it, `unknown`
            questions.
        near: gives the similarity of a question to each of some texts; none without vectors.
    """
    data, evening, numbers, found = json.loads(file.read_text("utf-8")), Evening(people=("Ann",), near=near), [], []
    for line in data["told"]:
        numbers.append(len(evening.entries) + 1)
        evening.say(line)
    for text, answer in [*data["asked"], *((text, None) for text in data["unknown"])]:
        question = Talk(evening.mind, evening.read(text), Utterance("Ann", text), evening.seen()).question()
        if isinstance(question, Question):
            hits = evening.recall(Recall(f"{question.text} Ann", HITS))
            scale = Relevance(question, INTERPRETER.words)
            some = candidates(question, hits, evening.entries, INTERPRETER.words)
            rows = [scale.features(fact, vector, ahead) for fact, vector, ahead, _ in some]
            right = [answer is not None and fact.seq == numbers[answer] for fact, *_ in some]
            found += [Asked(np.array(rows), np.array(right, dtype=float))] * bool(rows)
    return found


def fitted(asked: Sequence[Asked]) -> Numbers:
    """Return the weights under which these questions' right answers are likeliest, by Newton's method."""
    features, right = np.vstack([one.features for one in asked]), np.concatenate([one.right for one in asked])
    weights, penalty = np.zeros(features.shape[1]), RIDGE * len(right) * np.eye(features.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (likely - right) + penalty @ weights
        weights -= np.linalg.solve((features.T * (likely * (1 - likely))) @ features + penalty, slope)
    return weights


def judged(asked: Sequence[Asked], weights: Numbers) -> Counter[str]:
    """Count for how many questions the likeliest sentence is right, and is sure, offered or neither."""
    counts = Counter[str]()
    for one in asked:
        likely = 1 / (1 + np.exp(-one.features @ weights))
        best = int(likely.argmax())
        kind = "unknown" if not one.right.any() else "right" if one.right[best] else "wrong"
        level = "sure" if likely[best] >= SURE else "offered" if likely[best] >= NEAR else "not found"
        counts[f"{kind}, {level}"] += 1
    return counts


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = MiniLM(Path(folder))
        vector_of = lru_cache(maxsize=None)(lambda text: model.embed([text])[0])

        def near(question: str, texts: list[str]) -> list[float]:
            return [float(vector_of(text) @ vector_of(question)) for text in texts]

        for name, by in (("with vectors", near), ("by words alone", None)):
            lives = [life(file, by) for file in sorted(LIVES.glob("*.json"))]
            counts = Counter[str]()
            for left_out in range(len(lives)):
                others = [one for number, some in enumerate(lives) if number != left_out for one in some]
                counts += judged(lives[left_out], fitted(others))
            weights = fitted([one for some in lives for one in some])
            print(f"{name}: {dict(sorted(counts.items()))}")
            print("  " + ", ".join(f"{one} {weight:.1f}" for one, weight in zip(WEIGHTS, weights, strict=True)))


if __name__ == "__main__":
    main()
