"""Who is here, whom the agent has met and when, and how much more it has to say to another mind.

Two minds would talk for ever: each answer is a line to answer. So patience with a mind runs out after a few exchanges
and comes back after a silence; with people it never does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from agents.brains import Person
from agents.memory.entries import Entry
from mud.clock import parse_iso

NEW_FOR = 300.0
"""Seconds for which somebody is a stranger after they were first met."""

GREET_AGAIN = 900.0
"""Seconds of absence after which somebody is greeted anew."""

SILENCE = 240.0
"""Seconds without a word between them after which a mind finds its patience with another again."""

EXCHANGES = (2, 4)
"""How many lines a mind has for another before its patience ends, at least and at most."""


class Company:
    """What an agent knows of those around it.

    Args:
        rng: its chance.
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.here: tuple[Person, ...] = ()
        self.known: dict[str, None] = {}
        self._met: dict[str, float] = {}
        self.minds: set[str] = set()
        self._hailed: set[str] = set()
        """Names of those who were greeted."""
        self._stirred: set[str] = set()
        """Names of those who were noticed to say or do anything."""
        self._seen: dict[str, float] = {}
        self._noticed: list[tuple[str, str]] = []
        self._spent: dict[str, int] = {}
        self._limit: dict[str, int] = {}
        self._talked: dict[str, float] = {}
        self._begun = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of everybody known, those here first."""
        return tuple(dict.fromkeys([*(person.name for person in self.here), *self.known]))

    def begin(self, recent: Sequence[Entry], people: Iterable[Person], seconds: float) -> None:
        """Learn, once, from memory who was about lately, so that a restart greets nobody anew.

        Args:
            recent: the verbatim tail.
            people: who is here.
            seconds: a monotonic clock.
        """
        if self._begun:
            return
        self._begun = True
        fresh = list(self._noticed)
        newest = recent[-1].at if recent else ""
        for entry in reversed(recent):
            if not entry.actor:
                continue
            self.known.setdefault(entry.actor)
            self._stirred.add(entry.actor)
            # What was noticed since the start is what may call for a greeting; only what was before it counts.
            if (entry.actor, entry.text) in fresh:
                fresh.remove((entry.actor, entry.text))
                continue
            self._seen.setdefault(entry.actor, seconds - seconds_between(entry.at, newest))
        for person in people:
            if person.name in self._seen and person.name not in {actor for actor, _ in self._noticed}:
                # Known, here before, and not just come in: they are still here.
                self._seen[person.name] = seconds
        self._noticed.clear()

    def notice(self, actor: str, text: str, kind: str, seconds: float) -> bool:
        """Take note that somebody did something; return whether they are newly come and not yet greeted.

        Args:
            actor: their name.
            text: what was perceived.
            kind: kind of the event.
            seconds: a monotonic clock.
        """
        self._meet(actor, seconds)
        self._stirred.add(actor)
        if not self._begun:
            self._noticed.append((actor, text))
        if kind == "departure":
            self.here = tuple(person for person in self.here if person.name != actor)
            self._seen[actor] = seconds
            return False
        return kind == "arrival" and self.is_new(actor, seconds)

    def settle(self, people: tuple[Person, ...], seconds: float) -> tuple[Person, ...]:
        """Take in who is here now; return who of them is yet to be greeted.

        Args:
            people: who is here.
            seconds: a monotonic clock.
        """
        self.here = people
        self.minds.update(person.name for person in people if person.thinks)
        new = tuple(person for person in people if self.is_new(person.name, seconds))
        for person in people:
            if person not in new:
                self._seen[person.name] = seconds
        return new

    def greeted(self, names: Iterable[str], seconds: float) -> None:
        """Count these as met."""
        for name in names:
            self._seen[name] = seconds
            self._meet(name, seconds)
            self._hailed.add(name)

    def _meet(self, name: str, seconds: float) -> None:
        if name not in self.known:
            self.known[name] = None
            self._met[name] = seconds

    def strangers(self, seconds: float) -> list[str]:
        """Return the names of those here whom the agent never met before this."""
        here = (person.name for person in self.here)
        return [name for name in here if seconds - self._met.get(name, float("-inf")) <= NEW_FOR]

    def is_new(self, name: str, seconds: float) -> bool:
        """Return whether this one was not here for so long, or never, that a greeting is due; one is enough for who
        never says or does anything, as a heron does not."""
        if name in self._hailed and name not in self._stirred:
            return False
        return seconds - self._seen.get(name, float("-inf")) > GREET_AGAIN

    def others(self, speaker: str) -> list[str]:
        """Return the names of everybody who may be meant by a line of this speaker."""
        return [name for name in self.names if name != speaker]

    def thinkers(self, speaker: str) -> list[str]:
        """Return the names of the other minds here who may answer this speaker."""
        return [person.name for person in self.here if person.thinks and person.name != speaker]

    def has_patience(self, name: str, seconds: float) -> bool:
        """Return whether there is more to say to this one; always for people."""
        if name not in self.minds:
            return True
        if seconds - self._talked.get(name, float("-inf")) > SILENCE:
            self._spent[name] = 0
            self._limit[name] = self._rng.randint(*EXCHANGES)
        return self._spent[name] < self._limit[name]

    def tire_of(self, name: str, seconds: float) -> None:
        """Have no more to say to another mind until there was a silence between them."""
        if name in self.minds and self.has_patience(name, seconds):
            self._spent[name] = self._limit[name]
            self._talked[name] = seconds

    def spoke_to(self, name: str, seconds: float) -> None:
        """Count a line to somebody."""
        if self.has_patience(name, seconds) and name in self.minds:
            self._spent[name] += 1
            self._talked[name] = seconds


def seconds_between(earlier: str, later: str) -> float:
    """Return the seconds between two written times; none when one of them cannot be read."""
    try:
        return max(0.0, (parse_iso(later) - parse_iso(earlier)).total_seconds())
    except ValueError:
        return 0.0
