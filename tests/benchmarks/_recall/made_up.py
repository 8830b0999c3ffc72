"""Made-up lives of a text world of any length, the same for the same seed. Pure.

Words follow Zipf's law as modified by Mandelbrot: the chance of the word of rank r goes with 1 / (r + 2.7). Four
memories of five are speech, the others everyday events, so that some repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from random import Random

from agents.memory.entries import Entry
from mud.clock import iso
from tests.benchmarks._samples import sample

FLATTENING = 2.7
_SAMPLE = sample("world")
_NAMES, _PLACES, _DEEDS, _SMALL, _ASKING = (_SAMPLE[key] for key in ("names", "places", "deeds", "small", "asking"))
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_STEP = timedelta(minutes=4)


class MadeUp:
    """Makes memories and questions from `words`, given most frequent first."""

    def __init__(self, seed: int, words: Sequence[str]) -> None:
        self._seed, self._words = seed, words
        self._weights = list(accumulate(1 / (rank + FLATTENING) for rank in range(1, len(words) + 1)))

    def entry(self, life: int, seq: int) -> Entry:
        chance = Random(f"{self._seed} {life} {seq}")
        who, where, kind = chance.choice(_NAMES), chance.choice(_PLACES), chance.random()
        at = iso(_BEGINNING + seq * _STEP)
        if kind < 0.8:
            return Entry(seq, at, "heard", who, where, f'{who} says, "{self._speech(chance)}"')
        if kind < 0.9:
            return Entry(seq, at, "saw", who, where, f"{who} {chance.choice(_DEEDS)}.", importance=2)
        return Entry(seq, at, "saw", who, where, f"{who} arrives from {chance.choice(_PLACES)}.", importance=2)

    def _telling(self, chance: Random, count: int) -> list[str]:
        return chance.choices(self._words, cum_weights=self._weights, k=count)

    def _speech(self, chance: Random) -> str:
        said: list[str] = []
        for word in self._telling(chance, chance.randint(4, 9)):
            said += [chance.choice(_SMALL), word] if chance.random() < 0.6 else [word]
        return " ".join(said).capitalize() + "."

    def question(self, number: int) -> str:
        """Return a question of two or three telling words; questions count from 1."""
        chance = Random(f"{self._seed} question {number}")
        words = " ".join(self._telling(chance, chance.randint(2, 3)))
        asking: str = chance.choice(_ASKING)
        return asking.format(name=chance.choice(_NAMES), words=words)


def end_of(memories: int) -> datetime:
    return _BEGINNING + memories * _STEP
