"""Conversations regrouped: some turns in a row become one long memory, as in lives whose messages are long. Pure."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tests.benchmarks._recall.lives import BenchmarkLife, Data


class Sizes(NamedTuple):
    """How many turns a memory has.

    Args:
        least, most: at least and at most; the last of a session may have fewer.
    """

    least: int = 6
    most: int = 12

    def __str__(self) -> str:
        """Return it as it is typed."""
        return f"{self.least}-{self.most}"


def sizes(text: str) -> Sizes:
    """Return an argument that says how many turns a memory has, such as `6-12`.

    Raises:
        argparse.ArgumentTypeError: it does not.
    """
    least, _, most = text.partition("-")
    if least.isdecimal() and most.isdecimal() and 1 <= int(least) <= int(most):
        return Sizes(int(least), int(most))
    raise argparse.ArgumentTypeError(f"{text!r} is wrong; expected two whole numbers from 1 on, such as {Sizes()}")


def grouped(data: Data, sizes: Sizes, seed: int) -> Data:
    """Return conversations in which a memory is several turns of one session, a line each.

    Args:
        data: conversations of single turns.
        sizes: how many turns a memory has.
        seed: chooses how many each has; the same one chooses the same.
    """
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
        # What names no turn stays, and is never found.
        replace(one, evidence=tuple(dict.fromkeys(group_of.get(turn, turn) for turn in one.evidence)))
        for one in life.questions
    ]
    return BenchmarkLife(records, questions, names, sessions)


def _cut(sessions: Sequence[int], sizes: Sizes, chance: random.Random) -> Iterator[tuple[int, int]]:
    """Yield the first place and the end of each group; none goes beyond its session."""
    first = 0
    while first < len(sessions):
        end = first + chance.randint(*sizes)
        while sessions[min(end, len(sessions)) - 1] != sessions[first]:
            end -= 1
        yield first, min(end, len(sessions))
        first = min(end, len(sessions))
