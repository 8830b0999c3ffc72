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

_NAMES = ("Aldous", "Berta", "Casimir", "Dagny", "Egbert", "Frieda", "Gunther", "Hedda")
_PLACES = ("the Glassworks", "the Mill Race", "the Toll House", "the Rope Walk", "the Hop Field")
_TALK = ("My back aches today.", "The bread was burnt again.", "It smells of rain.", "Have you eaten?", "I am off now.")
_DEEDS = ("yawns.", "looks around.", "hums a tune.", "stretches.", "leans on the wall.")
_BEGINNING = datetime(2026, 3, 1, 7, tzinfo=UTC)
_STEP = timedelta(minutes=4)
TOLD = 6
"""How often a central fact is told."""
LOOKS = 12
"""One memory in so many is a look around."""

_CENTRAL = (
    ("I promised {name} to bring the silver key to {place}.", "What did I promise {name}?", ("silver key",)),
    ("{name} taught me all I know of glass.", "Who taught me of glass?", ("{name}",)),
    ("{name} is looking for her brother Leopold.", "Whom is {name} looking for?", ("Leopold",)),
    ("I owe {name} a goose.", "What do I owe {name}?", ("goose",)),
)
_PERIPHERAL = (
    ('{name} says, "I never eat pickled plums."', "What does {name} never eat?", ("pickled plums",)),
    ('{name} says, "The oak cradle is hidden under {place}."', "Where is the oak cradle hidden?", ("{place}",)),
    ('{name} says, "I was a bell founder once."', "What was {name} once?", ("bell founder",)),
    ('{name} says, "My daughter will marry at the first frost."', "When will the daughter marry?", ("first frost",)),
)
_OBSCURE = (
    ('{name} says, "The lock of {place} opens with {number}."', "What number opens the lock of {place}?"),
    ('{name} says, "I sold the red lantern for {number} pennies."', "For how many pennies was the lantern sold?"),
    ('{name} says, "It is {number} paces from here to {place}."', "How many paces is it to {place}?"),
    ('{name} says, "The crown bears the year {number}."', "Which year does the crown bear?"),
)

LEAST = len(_CENTRAL) * TOLD + len(_PERIPHERAL) + len(_OBSCURE)


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
    numbers = chance.sample(range(1000, 9999), len(_OBSCURE))
    obscure = [(told, asked, (str(number),)) for (told, asked), number in zip(_OBSCURE, numbers, strict=True)]
    facts = []
    for kind, made, count in (("central", _CENTRAL, TOLD), ("peripheral", _PERIPHERAL, 1), ("obscure", obscure, 1)):
        for number, (told, asked, answer) in enumerate(made):
            words = {"name": _NAMES[number], "place": _PLACES[number], "number": answer[0]}
            facts.append(
                (kind, told.format(**words), asked.format(**words), tuple(one.format(**words) for one in answer), count)
            )
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
