"""What an agent has heard and not answered yet, and whether a line was for it.

Of several minds one answers what is said to nobody in particular: all of them work out the same one from the words,
so nobody has to arrange it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agents.brains import Person
from agents.brains.instinct.mind import Mind
from agents.memory.entries import Entry
from agents.memory.perception import Utterance, remembered
from agents.text.addressing import Address, addressed, calls, mentions
from mud.clock import parse_iso

STAY = 60.0
"""Seconds for which a person is taken to speak to whom they spoke last."""
STALE = 45.0
"""Seconds after which an unanswered line is no longer worth an answer."""
CHIME_IN = 0.06
"""Chance to answer a line that is for nobody in particular and another's to answer."""


class Waiting(NamedTuple):
    """A line that waits for an answer since some second; `open` when any other mind here may answer it as well."""

    said: Utterance
    since: float
    open: bool


class Attention:
    """One agent's ear.

    Args:
        mind: its mind.
    """

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self.here: tuple[Person, ...] = ()
        self.spoken_to = mind.spoken_to
        self._waiting: list[Waiting] = []
        self._partner: dict[str, tuple[str, float]] = {}

    def begin(self, recent: Sequence[Entry], seconds: float) -> None:
        """Find the last line in memory that was for the agent and was never answered, after a start."""
        newest = recent[-1].at if recent else ""
        for entry in reversed(recent):
            if entry.actor is None or len(self._waiting) or age(entry.at, newest) > STALE:
                return
            if (said := remembered(entry)) and addressed(
                said.words, (self._mind.name,), self._others(said.speaker), private=said.private
            ) is Address.ME:
                self._waiting.append(Waiting(said, seconds, False))

    def hear(self, said: Utterance, seconds: float) -> bool:
        """Take note of a line; return whether it is for this agent to answer."""
        mind = self._mind
        if said.speaker in mind.minds:  # another has answered what was for nobody in particular; once is enough
            self._waiting = [one for one in self._waiting if not one.open or not self._answers(said, one.said)]
        if not self._is_mine(said, seconds):
            return False
        self.spoken_to[said.speaker] = seconds
        self._waiting.append(Waiting(said, seconds, not (said.private or calls(said.words, mind.name))))
        return True

    def _others(self, speaker: str) -> list[str]:
        return [name for name in self._mind.known if name not in (speaker, self._mind.name)]

    def _answers(self, said: Utterance, waiting: Utterance) -> bool:
        """Return whether another mind's line may answer one that waits: it is not for somebody else."""
        if said.speaker == waiting.speaker:
            return False
        names = (self._mind.name, *self._others(said.speaker))
        return mentions(said.words, waiting.speaker) or not any(mentions(said.words, name) for name in names)

    def _is_mine(self, said: Utterance, seconds: float) -> bool:
        mind, speaker, rng = self._mind, said.speaker, self._mind.rng
        speaking = [one for one in self.here if one.speaks and one.name != speaker]
        match addressed(said.words, (mind.name,), self._others(speaker), alone=not speaking, private=said.private):
            case Address.ME:
                self._partner[speaker] = (mind.name, seconds)
                return True
            case Address.OTHER:
                self._partner[speaker] = ("", seconds)
                return False
        if speaker in mind.minds:
            return rng.random() < CHIME_IN
        partner, since = self._partner.get(speaker, ("", float("-inf")))
        if seconds - since < STAY:
            return partner == mind.name
        minds = sorted([*(one.name for one in speaking if one.thinks), mind.name])
        if minds[sum(map(ord, said.words)) % len(minds)] != mind.name:
            return rng.random() < CHIME_IN
        return said.question or len(self.here) < 3 or len(said.words) < 40 or rng.random() < 0.5

    def newest(self, seconds: float) -> Utterance | None:
        """Return the newest line that waits, of people before minds; what is stale, or of nobody here, falls away."""
        if not self._waiting:
            return None
        here = {person.name for person in self.here}
        self._waiting = [one for one in self._waiting if one.said.speaker in here and seconds - one.since <= STALE]
        people = [one for one in self._waiting if one.said.speaker not in self._mind.minds]
        return (people or self._waiting)[-1].said if self._waiting else None

    def answered(self, said: Utterance, seconds: float) -> None:
        """Take a line off, and with it what its speaker had said before; only other questions stay."""
        self.spoken_to[said.speaker] = seconds
        stay = [one for one in self._waiting if one.said.speaker != said.speaker or one.said.question]
        self._waiting = [one for one in stay if one.said != said][-3:]

    def forget(self) -> None:
        """Let go of what waits: another brain, or a person, has answered."""
        self._waiting.clear()

    def lately(self, seconds: float, within: float) -> list[str]:
        """Return the names of those here with whom the agent spoke within some seconds."""
        return [one.name for one in self.here if seconds - self.spoken_to.get(one.name, float("-inf")) <= within]


def age(earlier: str, later: str) -> float:
    """Return the seconds between two written times; none when one of them cannot be read."""
    try:
        return max(0.0, (parse_iso(later) - parse_iso(earlier)).total_seconds())
    except ValueError:
        return 0.0
