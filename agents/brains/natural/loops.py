"""Whether two minds go round in circles: parrots, endless goodbyes and thanks, nothing new, the same questions. Pure.

Every rule counts lines between the agent and one other mind in its newest memories and begins to hold at a number
stated here. What follows grows with the count: a hint in the prompt, then silence towards the other, then a change of
place. People are no part of this: whoever is at a keyboard is answered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum, StrEnum
from itertools import islice, takewhile
from typing import NamedTuple

from agents.brains import Person, Situation, Voice
from agents.brains.natural.lore import Lore
from agents.brains.natural.mind import LITTLE, courtesies
from agents.brains.natural.voice import fill
from agents.memory.entries import Entry
from agents.memory.perception import remembered
from agents.text.addressing import calls, is_question
from agents.text.english import THRESHOLD, similarity, words_of
from mud.clock import iso, parse_iso

LINES, SPOKEN, WITHIN = 16, 32, 600.0
"""Newest lines between two that are looked at, of how many of anybody, and how many seconds back."""
ECHO_AFTER, ASKED_AGAIN = 2, 0.6
"""Newest lines of the other among which a repeated one is looked for; words shared by questions that ask the same."""
SILENCE_FROM, MOVE_FROM = 2, 4
"""Lines over a loop's first number from which on the agent does not answer, and from which on it goes elsewhere."""
SILENCE = 240.0
"""Seconds for which the partner of a loop is not answered."""
VOICE = "default"
"""The voice that words a loop: a model reads it, and owners do in a trace."""


class LoopKind(StrEnum):
    """How two go round in circles."""

    ECHO = "echo"
    FAREWELL = "farewell"
    THANKS = "thanks"
    GREETING = "greeting"
    QUESTION = "question"
    NOTHING_NEW = "nothing new"


class Stage(IntEnum):
    """What follows."""

    HINT = 1
    SILENCE = 2
    MOVE = 3


BEGINS = dict.fromkeys(LoopKind, 3) | {LoopKind.NOTHING_NEW: 5}
"""Lines of each kind that make a loop."""
LEAST = min(BEGINS.values())
_COURTESIES = {"reply.bye": LoopKind.FAREWELL, "reply.night": LoopKind.FAREWELL, "reply.thanks": LoopKind.THANKS,
               "greet.back": LoopKind.GREETING}  # fmt: skip
"""What a sentence is that these texts answer."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A circle in which two go.

    Args:
        kind: which rule found it.
        partner: name of the other.
        times: lines that belong to it.
        seq: number of the newest memory that does.
    """

    kind: LoopKind
    partner: str
    times: int
    seq: int

    @property
    def stage(self) -> Stage:
        """What follows from it."""
        over = self.times - BEGINS[self.kind]
        return Stage.MOVE if over >= MOVE_FROM else Stage.SILENCE if over >= SILENCE_FROM else Stage.HINT

    def told(self, voice: Voice) -> str:
        """Return what happens, as a sentence."""
        return self._worded(voice, f"loop.{self.kind.name.lower()}")

    def hint(self, voice: Voice) -> str:
        """Return what happens and what to do instead, for a prompt."""
        return f"{self.told(voice)} {self._worded(voice, f'loop.advice_{self.stage.name.lower()}')}".strip()

    def _worded(self, voice: Voice, key: str) -> str:
        text = next(iter(voice(VOICE, key)), "")
        return fill(text, {"partner": self.partner, "times": str(self.times)}) or ""


class Spoken(NamedTuple):
    """A line in memory: its number and time, who said it, empty for oneself, the words, whether it was whispered, the
    stems of its telling words, and the courtesies that it is, when it tells little beside.
    """

    seq: int
    at: str
    speaker: str
    words: str
    private: bool
    told: frozenset[str]
    courtesies: frozenset[LoopKind]

    @property
    def own(self) -> bool:
        """Whether one said it oneself."""
        return not self.speaker


class LoopWatch:
    """Looks for loops turn after turn, and looks again only when somebody has spoken or other minds are here.

    Args:
        lore: gives what the vault says of language.
    """

    def __init__(self, lore: Callable[[], Lore]) -> None:
        self._lore = lore
        self._clear: tuple[int, tuple[Person, ...]] | None = None
        """Newest spoken memory, and who was here, when there was no loop."""
        self._apart: dict[str, int] = {}
        """By a mind with whom there was no loop: the newest line of either then."""
        self._heard: deque[Spoken] = deque(maxlen=SPOKEN)
        self._through = 0
        self._names: tuple[str, ...] = ()

    def find(self, situation: Situation) -> Loop | None:
        """Return the worst loop that the agent is in with a mind who is here; None while a person waits for a word.

        Only a loop that the newest line between the two belongs to counts: whatever else is said ends it.
        """
        self._names = (situation.name, *(one.name for one in situation.people if one.thinks))
        self._hear(situation.recent)
        newest = self._heard[-1].seq if self._heard else 0
        if self._clear == (newest, situation.people):
            return None  # what grows old can only end a loop
        loop = self._find(situation)
        self._clear = None if loop else (newest, situation.people)
        return None if loop is None or person_waits(situation) else loop

    def _hear(self, recent: Sequence[Entry]) -> None:
        """Take in what was spoken since the last time."""
        last = recent[-1].seq if recent else 0
        if last < self._through:  # another life has begun
            self._heard.clear()
            self._apart.clear()
            self._through = 0
        new = list(takewhile(lambda entry: entry.seq > self._through, reversed(recent)))
        self._heard.extend(self._spoken(reversed(new)))
        self._through = last

    def _spoken(self, entries: Iterable[Entry]) -> Iterator[Spoken]:
        for entry in entries:
            if said := remembered(entry):
                told, kinds = self._told(said.words), self._courtesies(said.words)
                yield Spoken(entry.seq, entry.at, said.speaker, said.words, said.private, told, kinds)

    def _told(self, words: str) -> frozenset[str]:
        lists = self._lore().words
        return frozenset(map(lists.stem, lists.content(words)))

    def _courtesies(self, words: str) -> frozenset[LoopKind]:
        """Return the courtesies that a line is, when its sentences tell little beside."""
        found, rest = courtesies(self._lore().words, words, self._names)
        return frozenset(_COURTESIES[one] for one in found) if rest <= LITTLE else frozenset()

    def _find(self, situation: Situation) -> Loop | None:
        found: list[Loop] = []
        minds = tuple([person.name for person in situation.people if person.thinks])
        oldest = _since(situation.recent[-1].at) if minds and situation.recent else ""
        spoken = [one for one in self._heard if one.at >= oldest] if minds else []
        newest = {one.speaker: one.seq for one in spoken}
        if "" not in newest or len(spoken) < LEAST:
            return None
        for partner in minds:
            now = max(newest[""], newest.get(partner, 0))
            if partner in newest and self._apart.get(partner) != now:
                loops = self._loops(spoken, partner, minds, situation.name)
                self._apart.pop(partner, None)
                if not loops:
                    self._apart[partner] = now
                found += loops
        return max(found, key=lambda loop: (loop.stage, loop.times), default=None)

    def _loops(self, spoken: Sequence[Spoken], partner: str, minds: tuple[str, ...], name: str) -> list[Loop]:
        """Return the loops that the lines between two are."""
        lines = list(islice(_between(spoken, partner, minds), LINES))[::-1]
        if len(lines) < LEAST or len({line.own for line in lines}) < 2:
            return []
        return [
            Loop(kind, partner, len(belongs), belongs[-1].seq)
            for kind, belongs in self._belonging(lines, (partner, name))
            if len(belongs) >= BEGINS[kind]
        ]

    def _belonging(self, lines: Sequence[Spoken], names: tuple[str, str]) -> Iterator[tuple[LoopKind, list[Spoken]]]:
        """Yield each kind of loop that the newest line belongs to, with all the lines that do."""
        *earlier, newest = lines
        if _echoes(newest, earlier[::-1]):
            yield LoopKind.ECHO, [line for at, line in enumerate(lines) if _echoes(line, lines[:at][::-1])]
        for kind in sorted(newest.courtesies):
            yield kind, _mutual([line for line in lines if kind in line.courtesies])
        if _asks_again(newest, earlier, names):
            again = [line for at, line in enumerate(lines) if _asks_again(line, lines[:at], names)]
            yield LoopKind.QUESTION, _mutual(again)
        if stale := self._without_news(lines, names):
            yield LoopKind.NOTHING_NEW, _mutual(stale)

    def _without_news(self, lines: Sequence[Spoken], names: tuple[str, str]) -> list[Spoken]:
        """Return the last lines that hold no telling word beyond those of the lines before them."""
        named = self._told(" ".join(names))
        known: set[str] = set()
        stale: list[Spoken] = []
        for line in lines:
            stale = [] if line.told - named - known else [*stale, line]
            known |= line.told
        return stale


def person_waits(situation: Situation) -> bool:
    """Return whether a person who is here has spoken since the agent last did."""
    people = {person.name for person in situation.people if not person.thinks}
    for entry in reversed(situation.recent) if people else ():
        if entry.kind == "said" and entry.actor is None:
            return False
        if entry.kind in ("heard", "told") and entry.actor in people:
            return True
    return False


def _since(at: str) -> str:
    """Return when a line was spoken at the earliest to count at this time; empty when it cannot be read."""
    try:
        return iso(parse_iso(at) - timedelta(seconds=WITHIN))
    except (ValueError, OverflowError):
        return ""


def _between(spoken: Sequence[Spoken], partner: str, minds: tuple[str, ...]) -> Iterator[Spoken]:
    """Yield the lines of the agent and one other, newest first, without those that call a third of these."""
    third = [mind for mind in minds if mind != partner]
    for one in reversed(spoken):
        if one.speaker in ("", partner) and (one.private or not any(calls(one.words, mind) for mind in third)):
            yield one


def _mutual(lines: list[Spoken]) -> list[Spoken]:
    """Return these lines when both spoke them; a circle takes two."""
    return lines if len({line.own for line in lines}) == 2 else []


def _echoes(line: Spoken, earlier: Iterable[Spoken]) -> bool:
    """Return whether a line says again what the other has just said, given those before it, newest first."""
    others = (one.words for one in earlier if one.own is not line.own)
    return any(similarity(line.words, words) >= THRESHOLD for words in islice(others, ECHO_AFTER))


def _asks_again(line: Spoken, earlier: Sequence[Spoken], names: tuple[str, str]) -> bool:
    """Return whether a line asks what either of the two has asked before."""
    asked = _asked(line.words, names)
    before = (_asked(one.words, names) for one in earlier if asked)
    return any(len(asked & one) >= ASKED_AGAIN * len(asked | one) for one in before if one)


def _asked(words: str, names: tuple[str, str]) -> frozenset[str]:
    """Return the words of a question, names aside; none when a line asks nothing."""
    return words_of(words) - words_of(" ".join(names)) if is_question(words) else frozenset()
