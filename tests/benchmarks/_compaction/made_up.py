"""A made-up life with planted facts, the same for the same seed. Pure.

Central facts are told several times, peripheral ones once, obscure ones once and with a number. The other memories are
everyday talk.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from mud.clock import iso
from tests.benchmarks._recall.lives import BenchmarkLife, LifeQuestion
from tests.benchmarks._samples import sample

_SAMPLE = sample("life")
_NAMES, _PLACES, _TALK, _DEEDS = (_SAMPLE[key] for key in ("names", "places", "talk", "deeds"))
_BEGINNING = datetime(2026, 3, 1, 7, tzinfo=UTC)
_STEP = timedelta(minutes=4)
TOLD = 6
"""How often a central fact is told."""
LOOKS = 12
"""One memory in so many is a look around."""

_COUNTS = {"central": TOLD, "peripheral": 1, "obscure": 1}
LEAST = sum(len(_SAMPLE[kind]) * count for kind, count in _COUNTS.items())


def made_up_life(memories: int, seed: int) -> BenchmarkLife:
    """Return a life of `memories` entries, at least `LEAST`, with its questions."""
    chance = Random(seed)
    texts = {place: _told(chance, place) for place in range(memories)}
    free = chance.sample(range(memories), LEAST)
    questions = []
    for kind, told, asked, answer, count in _facts(chance):
        places = sorted(free.pop() for _ in range(count))
        texts |= dict.fromkeys(places, ("heard" if " says, " in told else "did", told))
        questions.append(LifeQuestion(asked, kind, tuple(map(str, places)), answer))
    records = [_record(place, *texts[place]) for place in range(memories)]
    return BenchmarkLife(records, questions, tuple(map(str, range(memories))))


def _facts(chance: Random) -> Sequence[tuple[str, str, str, tuple[str, ...], int]]:
    """Return each fact: its kind, text, question, strings of the answer, and how often it is told."""
    numbers = chance.sample(range(1000, 9999), len(_SAMPLE["obscure"]))
    facts = []
    for kind, count in _COUNTS.items():
        for at, fact in enumerate(_SAMPLE[kind]):
            words = {"name": _NAMES[at], "place": _PLACES[at], "number": str(numbers[at])}
            answer = tuple(one.format(**words) for one in fact.get("answer", ["{number}"]))
            facts.append((kind, fact["told"].format(**words), fact["asked"].format(**words), answer, count))
    return facts


def _told(chance: Random, place: int) -> tuple[str, str]:
    who, where = chance.choice(_NAMES), chance.choice(_PLACES)
    if place % LOOKS == LOOKS - 1:
        about = " ".join(f"{name} {chance.choice(_DEEDS)}" for name in chance.sample(_NAMES, len(_NAMES)))
        return "result", f"{where.capitalize()}\nA place like any other on a grey day, with a bench and a wall. {about}"
    if place % LOOKS == LOOKS - 2:
        return "said", f'You say, "{chance.choice(_TALK)}"'
    if chance.random() < 0.5:
        return "heard", f'{who} says, "{chance.choice(_TALK)}"'
    return "saw", f"{who} {chance.choice(_DEEDS)}"


def _record(place: int, kind: str, text: str) -> dict[str, Any]:
    return {"at": iso(_BEGINNING + place * _STEP), "kind": kind, "text": text}
