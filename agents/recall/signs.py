"""What a question says besides its words: of whom it asks, of when, and for what kind of thing. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache

from agents.memory.entries import Entry
from agents.recall.question import Question
from agents.recall.settings import RecallSettings
from agents.recall.spoken import of_oneself
from mud.clock import parse_iso

OWN = ("said", "thought", "did")
"""Kinds of memories of what one did oneself."""
SELF = 2.0
"""How much more than a name it counts that a question about oneself finds somebody who speaks of oneself: of the lines
of one of two whom the question does not name .02 more were found, with 1 .005 and with 3 as many."""
TWO = 2
"""Voices among which whoever asks about oneself is taken for one; where there are more, most of them are others."""
SPOKEN = ("said", "heard", "told")
"""Kinds of memories of what somebody said."""


@lru_cache(8192)
def stamp(at: str) -> float | None:
    """Return a written time in seconds, None for one that cannot be read."""
    try:
        return parse_iso(at).timestamp()
    except (ValueError, OverflowError):
        return None


def recency_of(at: str, now: float, half_life_days: float) -> float | None:
    """Return how recent a written time is, 1 for now; None for one that cannot be read.

    Args:
        at: the time.
        now: the time it is counted from, in seconds.
        half_life_days: after how many days half is left.
    """
    then = stamp(at)
    if then is None:
        return None
    age = max(0.0, now - then) / 86400
    return float(0.5 ** min(age / half_life_days, 1000.0))


class Signs:
    """What a question says besides its words, weighed for one memory at a time.

    Args:
        question: the question.
        entries: all that is looked at, by place.
        weights: what each sign is worth.
    """

    def __init__(self, question: Question, entries: Mapping[int, Entry], weights: RecallSettings) -> None:
        self._question, self._weights = question, weights
        self._named = {actor: question.names(actor) for actor in {entry.actor or "" for entry in entries.values()}}
        voices = {(entry.kind == "said", entry.actor) for entry in entries.values() if entry.kind in SPOKEN}
        self._of_oneself = question.oneself and not any(self._named.values()) and len(voices) <= TWO
        seqs = [entry.seq for entry in entries.values()]
        self._first, self._last = min(seqs, default=0), max(seqs, default=0)

    @property
    def most(self) -> float:
        """What a memory can get from all signs together."""
        question, weights = self._question, self._weights
        return (
            weights.who * max(question.own or any(self._named.values()), SELF * self._of_oneself)
            + weights.when * bool(question.moments or question.order)
            + weights.answer * (question.number or question.time)
        )

    def who(self, entry: Entry) -> float:
        """Return what a memory gets for being of whom the question is about."""
        if not self._question.own:
            if self._named[entry.actor or ""]:
                return self._weights.who
            # Who asks "where did I grow up" asks whoever told that of themselves, not who answered.
            told = self._of_oneself and entry.kind in SPOKEN and of_oneself(entry.text)
            return SELF * self._weights.who if told else 0.0
        if entry.kind not in OWN:
            return 0.0
        # "What did I tell Moss?" asks for what was said to him.
        to = [name for name, named in self._named.items() if named]
        return self._weights.who / (1 if not to or any(name in entry.text for name in to) else 2)

    def when(self, entry: Entry) -> float:
        """Return what it gets for being of the time that is asked about."""
        fit = 0.0
        if self._question.moments and (at := stamp(entry.at)) is not None:
            fit = self._question.when(datetime.fromtimestamp(at, UTC))
        if self._question.order and self._last > self._first:
            late = (entry.seq - self._first) / (self._last - self._first)
            fit = max(fit, (late if self._question.order > 0 else 1 - late) / 2)
        return self._weights.when * fit

    def answer(self, entry: Entry) -> float:
        """Return what it gets for holding the kind of thing that is asked for."""
        return self._weights.answer if self._question.answered_by(entry.text) else 0.0
