"""Conversations regrouped: several turns in a row become one long memory. Pure."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tests.benchmarks._recall.lives import BenchmarkLife, Data


class Sizes(NamedTuple):
    """Least and most turns of a memory; the last of a session may have fewer."""

    least: int = 6
    most: int = 12

    def __str__(self) -> str:
        return f"{self.least}-{self.most}"


def sizes(text: str) -> Sizes:
    least, _, most = text.partition("-")
    if least.isdecimal() and most.isdecimal() and 1 <= int(least) <= int(most):
        return Sizes(int(least), int(most))
    raise argparse.ArgumentTypeError(f"{text!r} is wrong; expected two whole numbers from 1 on, such as {Sizes()}")


def grouped(data: Data, sizes: Sizes, seed: int) -> Data:
    """Return conversations in which each memory is several turns of one session, a line each."""
    chance = random.Random(seed)
    return replace(data, lives=[_grouped(life, sizes, chance) for life in data.lives])


def _grouped(life: BenchmarkLife, sizes: Sizes, chance: random.Random) -> BenchmarkLife:
    records, names, sessions, group_of = [], [], [], {}
    for first, end in _cut(life.sessions, sizes, chance):
        name = f"{life.turns[first]}-{life.turns[end - 1]}"
        group_of.update(dict.fromkeys(life.turns[first:end], name))
        text = "\n".join(str(record["text"]) for record in life.records[first:end])
        records.append({"kind": "heard", "at": life.records[first]["at"], "text": text})
        names.append(name)
        sessions.append(life.sessions[first])
    questions = [
        # An unknown turn stays, and is never found.
        replace(one, evidence=tuple(dict.fromkeys(group_of.get(turn, turn) for turn in one.evidence)))
        for one in life.questions
    ]
    return BenchmarkLife(records, questions, names, sessions)


def _cut(sessions: Sequence[int], sizes: Sizes, chance: random.Random) -> Iterator[tuple[int, int]]:
    """Yield the first place and the end of each group; no group crosses a session."""
    first = 0
    while first < len(sessions):
        end = first + chance.randint(*sizes)
        while sessions[min(end, len(sessions)) - 1] != sessions[first]:
            end -= 1
        yield first, min(end, len(sessions))
        first = min(end, len(sessions))
