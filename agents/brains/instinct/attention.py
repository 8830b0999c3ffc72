"""What an agent has heard and not answered yet, and whether a line was for it.

Of several minds one answers what is said to nobody in particular: all of them work out the same one from the words,
so nobody has to arrange it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from agents.brains.instinct.company import Company, seconds_between
from agents.brains.instinct.statements import is_courtesy
from agents.memory.entries import Entry
from agents.memory.perception import Utterance, remembered
from agents.text.addressing import Address, addressed, calls, mentions

STAY = 60.0
"""Seconds for which who was spoken to stays, and for which a talk between two is taken to go on."""

STALE = 45.0
"""Seconds after which an unanswered line is no longer worth an answer."""

CHIME_IN = 0.06
"""Chance to answer a line that is for nobody in particular and another's to answer."""


@dataclass(frozen=True, slots=True)
class WaitingSpeaker:
    """A line that waits for an answer.

    Args:
        said: the line.
        since: seconds of a monotonic clock when it was heard.
        open: any other mind here may answer it as well.
    """

    said: Utterance
    since: float
    open: bool = False


class InstinctAttention:
    """One agent's ear.

    Args:
        name: the agent's name.
        rng: its chance.
        company: whom it knows.
    """

    def __init__(self, name: str, rng: Random, company: Company) -> None:
        self.name = name
        self.addressed_at = float("-inf")
        self.heard_at = float("-inf")
        self._rng = rng
        self._company = company
        self._waiting: list[WaitingSpeaker] = []
        self._noticed: deque[tuple[str, str]] = deque(maxlen=64)
        self._partner: dict[str, tuple[str, float]] = {}
        self._through = -1

    def hear(self, said: Utterance, seconds: float) -> bool:
        """Take note of a line; return whether it is for this agent to answer.

        Args:
            said: the line.
            seconds: a monotonic clock.
        """
        self._noticed.append((said.speaker, said.words))
        self.heard_at = seconds
        if said.speaker in self._company.minds:
            # Another has answered what was for nobody in particular; once is enough.
            self._waiting = [one for one in self._waiting if not one.open or not self._answers(said, one.said)]
        if not self._is_mine(said, seconds):
            return False
        self.addressed_at = seconds
        if not self._company.has_patience(said.speaker, seconds):
            return False
        self._waiting.append(WaitingSpeaker(said, seconds, not (said.private or calls(said.words, self.name))))
        return True

    def _answers(self, said: Utterance, waiting: Utterance) -> bool:
        """Return whether another mind's line may answer one that waits: it is not for somebody else."""
        if said.speaker == waiting.speaker:
            return False
        names = (self.name, *self._company.others(said.speaker))
        return mentions(said.words, waiting.speaker) or not any(mentions(said.words, name) for name in names)

    def catch_up(self, recent: Sequence[Entry], seconds: float) -> None:
        """Find in memory the lines that nobody gave notice of: after a start, or while another brain had the turn.

        Args:
            recent: the verbatim tail.
            seconds: a monotonic clock.
        """
        new: list[Utterance] = []
        newest = recent[-1].at if recent else ""
        for entry in reversed(recent):
            if entry.seq <= self._through or entry.actor is None:
                break
            said = remembered(entry)
            if said is None:
                continue
            if seconds_between(entry.at, newest) > STALE:
                break
            if (said.speaker, said.words) not in self._noticed:
                new.append(said)
        for said in reversed(new[:3]):
            others = self._company.others(said.speaker)
            if addressed(said.words, (self.name,), others, private=said.private) is Address.ME:
                self.hear(said, seconds)
        self._through = max([self._through, *(entry.seq for entry in recent[-1:])])

    def _is_mine(self, said: Utterance, seconds: float) -> bool:
        """Say whether a line is this agent's to answer."""
        company, speaker = self._company, said.speaker
        alone = all(person.name == speaker for person in company.here)
        others = company.others(speaker)
        match addressed(said.words, (self.name,), others, alone=alone, private=said.private):
            case Address.ME:
                self._partner[speaker] = (self.name, seconds)
                return True
            case Address.OTHER:
                self._partner[speaker] = ("", seconds)
                return False
        partner, since = self._partner.get(speaker, ("", float("-inf")))
        if speaker in company.minds:
            return self._rng.random() < CHIME_IN
        if seconds - since < STAY:
            return partner == self.name
        minds = sorted([*company.thinkers(speaker), self.name])
        if minds[sum(map(ord, said.words)) % len(minds)] != self.name:
            return self._rng.random() < CHIME_IN
        due = said.question or len(company.here) < 3 or is_courtesy(said.words, self.name)
        return due or self._rng.random() < 0.5

    def forget(self) -> None:
        """Let go of what waits: another brain has answered."""
        self._waiting.clear()

    def newest(self, here: Sequence[str], seconds: float) -> Utterance | None:
        """Return the newest line that waits, of somebody who is here; what is stale or void falls away.

        Args:
            here: names of who is here.
            seconds: a monotonic clock.
        """
        self._waiting = [one for one in self._waiting if one.said.speaker in here and seconds - one.since <= STALE]
        return self._waiting[-1].said if self._waiting else None

    def answered(self, said: Utterance) -> None:
        """Take a line off, and with it what its speaker had said before; only other questions stay."""
        self._waiting = [
            one for one in self._waiting if one.said != said and (one.said.speaker != said.speaker or one.said.question)
        ][-3:]
