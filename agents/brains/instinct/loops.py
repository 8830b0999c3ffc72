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
from agents.brains.instinct.lore import Lore
from agents.brains.instinct.mind import LITTLE, courtesies
from agents.brains.instinct.voice import fill
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

    def told(self, voice: Voice, *more: str) -> str:
        """Return what happens, as a sentence; with `more`, the keys of further sentences."""
        texts = (next(iter(voice(VOICE, f"loop.{key}")), "") for key in (self.kind.name.lower(), *more))
        return " ".join(fill(text, {"partner": self.partner, "times": str(self.times)}) or "" for text in texts).strip()

    def hint(self, voice: Voice) -> str:
        """Return what happens and what to do instead, for a prompt."""
        return self.told(voice, f"advice_{self.stage.name.lower()}")


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
        self._heard: deque[Spoken] = deque(maxlen=SPOKEN)
        self._through = 0

    def find(self, situation: Situation) -> Loop | None:
        """Return the worst loop that the agent is in with a mind who is here; None while a person waits for a word.

        Only a loop that the newest line between the two belongs to counts: whatever else is said ends it.
        """
        minds = tuple([one.name for one in situation.people if one.thinks])
        last = situation.recent[-1] if situation.recent else None
        if last is None or last.seq < self._through:  # another life has begun
            self._heard.clear()
            self._through = 0
        new = list(takewhile(lambda entry: entry.seq > self._through, reversed(situation.recent)))
        self._heard.extend(self._spoken(reversed(new), (situation.name, *minds)))
        self._through = last.seq if last else 0
        newest = self._heard[-1].seq if self._heard else 0
        if last is None or self._clear == (newest, situation.people):
            return None  # what grows old can only end a loop
        oldest = _since(last.at)
        spoken = [one for one in self._heard if one.at >= oldest]
        found = [loop for one in minds for loop in self._loops(spoken, one, minds, situation.name)]
        loop = max(found, key=lambda one: (one.stage, one.times), default=None)
        self._clear = None if loop else (newest, situation.people)
        return None if loop is None or person_waits(situation) else loop

    def _spoken(self, entries: Iterable[Entry], names: tuple[str, ...]) -> Iterator[Spoken]:
        for entry in entries:
            if said := remembered(entry):
                kinds, rest = courtesies(self._lore().words, said.words, names)
                courteous = frozenset(_COURTESIES[one] for one in kinds if rest <= LITTLE)
                yield Spoken(
                    entry.seq, entry.at, said.speaker, said.words, said.private, self._told(said.words), courteous
                )

    def _told(self, words: str) -> frozenset[str]:
        lists = self._lore().words
        return frozenset(map(lists.stem, lists.content(words)))

    def _loops(self, spoken: Sequence[Spoken], partner: str, minds: tuple[str, ...], name: str) -> Iterator[Loop]:
        """Yield the loops that the lines between two are."""
        third = [mind for mind in minds if mind != partner]
        between = (one for one in reversed(spoken) if one.speaker in ("", partner))
        for_them = (one for one in between if one.private or not any(calls(one.words, mind) for mind in third))
        lines = list(islice(for_them, LINES))[::-1]
        if len(lines) < LEAST or len({line.own for line in lines}) < 2:
            return
        for kind, belongs in self._belonging(lines, (partner, name)):
            mutual = kind is LoopKind.ECHO or len({line.own for line in belongs}) == 2  # but for a parrot it takes two
            if mutual and len(belongs) >= BEGINS[kind]:
                yield Loop(kind, partner, len(belongs), belongs[-1].seq)

    def _belonging(self, lines: Sequence[Spoken], names: tuple[str, str]) -> Iterator[tuple[LoopKind, list[Spoken]]]:
        """Yield each kind of loop that the newest line belongs to, with all the lines that do."""
        for kind in sorted(lines[-1].courtesies):
            yield kind, [line for line in lines if kind in line.courtesies]
        for kind, belongs in ((LoopKind.ECHO, _echoes), (LoopKind.QUESTION, _asks_again)):
            if belongs(lines[-1], lines[:-1], names):
                yield kind, [line for at, line in enumerate(lines) if belongs(line, lines[:at], names)]
        named, known = self._told(" ".join(names)), set[str]()
        stale: list[Spoken] = []  # the last lines that hold no telling word beyond those of the lines before them
        for line in lines:
            stale = [] if line.told - named - known else [*stale, line]
            known |= line.told
        yield LoopKind.NOTHING_NEW, stale


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


def _echoes(line: Spoken, earlier: Sequence[Spoken], names: tuple[str, str]) -> bool:
    """Return whether a line says again what the other has just said."""
    others = (one.words for one in reversed(earlier) if one.own is not line.own)
    return any(similarity(line.words, words) >= THRESHOLD for words in islice(others, ECHO_AFTER))


def _asks_again(line: Spoken, earlier: Sequence[Spoken], names: tuple[str, str]) -> bool:
    """Return whether a line asks what either of the two has asked before, names aside."""
    if not is_question(line.words):
        return False
    asked, *before = (
        words_of(one.words) - words_of(" ".join(names)) for one in (line, *earlier) if is_question(one.words)
    )
    return any(asked and one and len(asked & one) >= ASKED_AGAIN * len(asked | one) for one in before)
