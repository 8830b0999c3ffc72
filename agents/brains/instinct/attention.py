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
"""Seconds for which somebody is taken to speak to whom they spoke last."""
STALE = 45.0
"""Seconds after which an unanswered line is no longer worth an answer."""
BUSY = 20.0
"""Seconds for which who spoke to another is busy with them."""


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
        self._waiting: list[Waiting] = []
        self._partner: dict[str, tuple[bool, float]] = {}
        """Whether somebody spoke to this agent last, or else to another, and when."""

    def begin(self, recent: Sequence[Entry], seconds: float) -> None:
        """Find the last line in memory that was for the agent and was never answered, after a start."""
        newest = recent[-1].at if recent else ""
        for entry in reversed(recent):
            if entry.actor is None or self._waiting or age(entry.at, newest) > STALE:
                return
            if (said := remembered(entry)) and self._address(said, alone=False) is Address.ME:
                self._waiting.append(Waiting(said, seconds, False))

    def hear(self, said: Utterance, seconds: float) -> bool:
        """Take note of a line; return whether it is for this agent to answer."""
        mind = self._mind
        if said.speaker in mind.minds:  # another has answered what was for nobody in particular; once is enough
            self._waiting = [one for one in self._waiting if not one.open or not self._answers(said, one.said)]
        speaking = [one for one in self.here if one.speaks and one.name != said.speaker]
        address = self._address(said, alone=not speaking)
        if address is not Address.ANYBODY:
            self._partner[said.speaker] = (address is Address.ME, seconds)
        mine, since = self._partner.get(said.speaker, (False, float("-inf")))
        if seconds - since >= STAY:
            minds = sorted([*(one.name for one in speaking if one.thinks), mind.name])
            mine = said.speaker not in mind.minds and minds[sum(map(ord, said.words)) % len(minds)] == mind.name
        if mine:
            mind.spoken_to[said.speaker] = seconds
            self._waiting.append(Waiting(said, seconds, not (said.private or calls(said.words, mind.name))))
        return mine

    def _address(self, said: Utterance, *, alone: bool) -> Address:
        others = self._others(said.speaker)
        return addressed(said.words, (self._mind.name,), others, alone=alone, private=said.private)

    def _others(self, speaker: str) -> list[str]:
        return [name for name in self._mind.known if name not in (speaker, self._mind.name)]

    def _answers(self, said: Utterance, waiting: Utterance) -> bool:
        """Return whether another mind's line may answer one that waits: it is not for somebody else."""
        if said.speaker == waiting.speaker:
            return False
        names = (self._mind.name, *self._others(said.speaker))
        return mentions(said.words, waiting.speaker) or not any(mentions(said.words, name) for name in names)

    def is_busy(self, name: str, seconds: float) -> bool:
        """Return whether somebody talks with another."""
        mine, since = self._partner.get(name, (True, 0.0))
        return not mine and seconds - since < BUSY

    def newest(self, seconds: float) -> Utterance | None:
        """Return the newest line that waits, of people before minds; what is stale, or of nobody here, falls away."""
        if not self._waiting:
            return None
        here = {person.name for person in self.here}
        self._waiting = [one for one in self._waiting if one.said.speaker in here and seconds - one.since <= STALE]
        people = [one for one in self._waiting if one.said.speaker not in self._mind.minds]
        return (people or self._waiting)[-1].said if self._waiting else None

    def answered(self, said: Utterance) -> None:
        """Take a line off, and with it what its speaker had said before; only other questions stay."""
        stay = [one for one in self._waiting if one.said.speaker != said.speaker or one.said.question]
        self._waiting = [one for one in stay if one.said != said][-3:]

    def forget(self) -> None:
        """Let go of what waits: another brain, or a person, has answered."""
        self._waiting.clear()

    def lately(self, seconds: float, within: float) -> list[str]:
        """Return the names of those here with whom the agent spoke within some seconds, unless it took leave."""
        return [one.name for one in self.here if seconds - self._mind.spoken_to.get(one.name, float("-inf")) <= within]


def age(earlier: str, later: str) -> float:
    """Return the seconds between two written times; none when one of them cannot be read."""
    try:
        return max(0.0, (parse_iso(later) - parse_iso(earlier)).total_seconds())
    except ValueError:
        return 0.0
