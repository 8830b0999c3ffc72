"""What an agent has heard and not answered yet, and whether a line was for it.

Of several minds one answers what is said to nobody in particular: all of them work out the same one from the words,
so nobody has to arrange it.
"""

from __future__ import annotations

from agents.brains import Person
from agents.brains.instinct.mind import Mind
from agents.memory.perception import Utterance
from agents.text.addressing import Address, addressed
from mud.clock import parse_iso

STAY = 60.0
"""Seconds for which somebody is taken to speak to whom they spoke last."""
STALE = 45.0
"""Seconds after which an unanswered line is no longer worth an answer."""
BUSY = 20.0
"""Seconds for which who spoke to another is busy with them."""


class Attention:
    """One agent's ear.

    Args:
        mind: its mind.
    """

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self.here: tuple[Person, ...] = ()
        self._waiting: list[tuple[Utterance, float]] = []
        """Lines that wait for an answer, and since when."""
        self._partner: dict[str, tuple[bool, float]] = {}
        """Whether somebody spoke to this agent last, or else to another, and when."""

    def hear(self, said: Utterance, seconds: float) -> bool:
        """Take note of a line; return whether it is for this agent to answer."""
        mind, speaker = self._mind, said.speaker
        speaking = [one for one in self.here if one.speaks and one.name != speaker]
        others = [name for name in mind.known if name not in (speaker, mind.name)]
        address = addressed(said.words, (mind.name,), others, alone=not speaking, private=said.private)
        if address is not Address.ANYBODY:
            self._partner[speaker] = (address is Address.ME, seconds)
        mine, since = self._partner.get(speaker, (False, float("-inf")))
        if seconds - since >= STAY:
            minds = sorted([*(one.name for one in speaking if one.thinks), mind.name])
            mine = speaker not in mind.minds and minds[sum(map(ord, said.words)) % len(minds)] == mind.name
        if mine:
            mind.spoken_to[speaker] = seconds
            self._waiting.append((said, seconds))
        return mine

    def is_busy(self, name: str, seconds: float) -> bool:
        """Return whether somebody talks with another."""
        mine, since = self._partner.get(name, (True, 0.0))
        return not mine and seconds - since < BUSY

    def newest(self, seconds: float) -> Utterance | None:
        """Return the newest line that waits, of people before minds; what is stale, or of nobody here, falls away."""
        here = {person.name for person in self.here}
        self._waiting = [one for one in self._waiting if one[0].speaker in here and seconds - one[1] <= STALE]
        people = [said for said, _ in self._waiting if said.speaker not in self._mind.minds]
        waiting = people or [said for said, _ in self._waiting]
        return waiting[-1] if waiting else None

    def answered(self, said: Utterance) -> None:
        """Take a line off, and with it what its speaker had said before; only other questions stay."""
        stay = [one for one in self._waiting if one[0].speaker != said.speaker or one[0].question]
        self._waiting = [one for one in stay if one[0] != said][-3:]

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
