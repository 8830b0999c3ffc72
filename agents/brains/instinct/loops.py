"""Whether two minds go round in circles: parrots, endless goodbyes and thanks, nothing new, the same questions. Pure.

One rule finds them all: a line is stale when it tells nothing that was not said before it. What follows grows with the
number of stale lines between the agent and another mind: a hint in the prompt, then silence towards the other, then a
change of place. People are no part of this: whoever is at a keyboard is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, StrEnum
from itertools import takewhile
from typing import NamedTuple

from agents.brains import Situation, Voice
from agents.brains.instinct.attention import age
from agents.brains.instinct.mind import courtesies
from agents.brains.instinct.voice import fill
from agents.brains.instinct.words import Words, tokens
from agents.memory.entries import Entry
from agents.memory.perception import Utterance, remembered
from agents.text.addressing import calls
from agents.text.english import THRESHOLD, similarity

LINES, WITHIN = 16, 600.0
"""How many of the newest lines between two are looked at, and how many seconds back."""
ECHO_AFTER = 3
"""Lines within which one says again what the other said."""
SILENCE = 240.0
"""Seconds for which the partner of a loop is not answered."""
VOICE = "default"
"""The voice that words a loop: a model reads it, and owners do in a trace."""


class LoopKind(StrEnum):
    """What the newest line of a loop is."""

    ECHO = "echo"
    FAREWELL = "reply.bye"
    NIGHT = "reply.night"
    THANKS = "reply.thanks"
    GREETING = "greet.back"
    QUESTION = "question"
    NOTHING_NEW = "nothing new"


class Stage(IntEnum):
    """What follows, and from how many stale lines on."""

    HINT = 4
    SILENCE = 6
    MOVE = 8


class Loop(NamedTuple):
    """A circle in which two go: the other's name, how many stale lines, and the memory of the newest one."""

    kind: LoopKind
    partner: str
    times: int
    seq: int

    @property
    def stage(self) -> Stage:
        """What follows from it."""
        return max(one for one in Stage if one <= self.times)

    def told(self, voice: Voice, *more: str) -> str:
        """Return what happens, as a sentence; with `more`, the keys of further sentences."""
        kind = LoopKind.FAREWELL if self.kind is LoopKind.NIGHT else self.kind
        texts = (next(iter(voice(VOICE, f"loop.{key}")), "") for key in (kind.name.lower(), *more))
        return " ".join(fill(text, {"partner": self.partner, "times": str(self.times)}) or "" for text in texts).strip()

    def hint(self, voice: Voice) -> str:
        """Return what happens and what to do instead, for a prompt."""
        return self.told(voice, f"advice_{self.stage.name.lower()}")


def find_loop(situation: Situation, words: Words) -> Loop | None:
    """Return the longest loop that the agent is in with a mind who is here; None while a person waits for a word.

    Only a loop that the newest line between the two belongs to counts: whatever else is said ends it.
    """
    minds = [one.name for one in situation.people if one.thinks]
    found = [] if person_waits(situation) else [_loop_with(one, minds, situation, words) for one in minds]
    return max(filter(None, found), key=lambda loop: loop.times, default=None)


def _loop_with(partner: str, minds: Sequence[str], situation: Situation, words: Words) -> Loop | None:
    """Return the loop that the agent is in with a mind; what was said to a third one is no part of it."""
    third = [mind for mind in minds if mind != partner]
    lines: list[tuple[Entry, Utterance]] = []
    for entry in situation.recent:
        said = remembered(entry) if age(entry.at, situation.recent[-1].at) <= WITHIN else None
        if (
            said
            and said.speaker in ("", partner)
            and (said.private or not any(calls(said.words, one) for one in third))
        ):
            lines.append((entry, said))
    kinds = _stale([said for _, said in lines[-LINES:]], (situation.name, partner), words)
    run = list(takewhile(lambda kind: kind, reversed(kinds)))
    both = len({said.speaker for _, said in lines[len(lines) - len(run) :]}) == 2
    return Loop(run[0], partner, len(run), lines[-1][0].seq) if both and run[0] and len(run) >= Stage.HINT else None


def _stale(lines: Sequence[Utterance], names: tuple[str, str], words: Words) -> list[LoopKind | None]:
    """Return for each line whether it is stale: as what, or None for one that tells something.

    A courtesy or a question may hold a new word, and a line that the other only says after one is stale as well.
    """
    kinds: list[LoopKind | None] = []
    known = {words.stem(word) for word in tokens(" ".join(names))}
    for at, said in enumerate(lines):
        told = {words.stem(word) for word in words.content(said.words)}
        found, rest = courtesies(words, said.words, names)
        courtesy = next(iter(found), "")
        new = min(rest, len(told - known)) if courtesy else len(told - known)
        before = [one for one in range(max(0, at - ECHO_AFTER), at) if lines[one].speaker != said.speaker]
        echoed = [one for one in before if similarity(lines[one].words, said.words) >= THRESHOLD]
        kind = LoopKind(courtesy) if courtesy else LoopKind.QUESTION if said.question else LoopKind.NOTHING_NEW
        kind = LoopKind.ECHO if echoed and not courtesy else kind
        for one in echoed:
            kinds[one] = kinds[one] or kind
        kinds.append(kind if echoed or new <= (kind is not LoopKind.NOTHING_NEW) else None)
        known |= told
    return kinds


def person_waits(situation: Situation) -> bool:
    """Return whether a person who is here has spoken since the agent last did."""
    people = {person.name for person in situation.people if not person.thinks}
    for entry in reversed(situation.recent) if people else ():
        if entry.kind == "said" and entry.actor is None:
            return False
        if entry.kind in ("heard", "told") and entry.actor in people:
            return True
    return False
