"""Whether two minds go round in circles: parrots, endless goodbyes and thanks, nothing new, the same questions. Pure.

Every rule counts lines between the agent and one other mind in its newest memories and begins to hold at a number
stated here. What follows grows with the count: a hint in the prompt, then silence towards the other, then a change of
place. People are no part of this: whoever is at a keyboard is answered.
"""

from __future__ import annotations

import functools
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum, StrEnum
from itertools import islice, takewhile
from typing import NamedTuple

from agents.brains import Person, Situation, Voice
from agents.brains._words import telling
from agents.brains.instinct.voice import fill
from agents.memory.entries import Entry
from agents.memory.perception import remembered
from agents.text.addressing import calls, is_question
from agents.text.english import THRESHOLD, similarity, words_of
from mud.clock import iso, parse_iso

LINES = 16
"""Newest lines between two that are looked at."""
SPOKEN = 32
"""Newest lines of anybody among which those are."""
WITHIN = 600.0
"""Seconds back from the newest memory to the oldest line that counts."""
ECHO_AFTER = 2
"""Newest lines of the other among which a line is looked for that is said again."""
ASKED_AGAIN = 0.6
"""Share of common words, names aside, from which on two questions ask the same."""
LITTLE = 2
"""Telling words that a courtesy may hold beside itself: `Goodbye, and sleep well under the willow` holds two."""
SILENCE_FROM, MOVE_FROM = 2, 4
"""Lines over a loop's first number from which on the agent does not answer, and from which on it goes elsewhere."""
SILENCE = 240.0
"""Seconds for which the partner of a loop is not answered."""


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


BEGINS = {
    LoopKind.ECHO: 3,
    LoopKind.FAREWELL: 3,
    LoopKind.THANKS: 3,
    LoopKind.GREETING: 3,
    LoopKind.QUESTION: 3,
    LoopKind.NOTHING_NEW: 5,
}
"""Lines of each kind that make a loop."""
LEAST = min(BEGINS.values())

_COURTESIES = {
    LoopKind.FAREWELL: re.compile(
        r"\b(?:good-?bye|bye|farewell|so long|see you|until (?:then|tomorrow|next time|we meet)|take care|good ?night|"
        r"safe travels|till (?:then|tomorrow))\b",
        re.I,
    ),
    LoopKind.THANKS: re.compile(
        r"\b(?:thank|thanks|thank you|grateful|gratitude|you['’]?re (?:very |most )?welcome|my pleasure|"
        r"don['’]?t mention it|no trouble|not at all|appreciate\w*|kind of you)\b",
        re.I,
    ),
    LoopKind.GREETING: re.compile(
        r"\b(?:hello|hi|hey|greetings|good (?:morning|day|afternoon|evening)|"
        r"(?<!['’]re )(?<!are )(?<!very )(?<!most )welcome)\b",
        re.I,
    ),
}
_NAME = re.compile(r"\b[A-Z]\w+")
VOICE = "default"
"""The voice that words a loop: a model reads it, and owners do in a trace."""


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
        """Return what happens, as a sentence.

        Args:
            voice: gives the texts.
        """
        return self._worded(voice, f"loop.{self.kind.name.lower()}")

    def hint(self, voice: Voice) -> str:
        """Return what happens and what to do instead, for a prompt."""
        return f"{self.told(voice)} {self._worded(voice, f'loop.advice_{self.stage.name.lower()}')}".strip()

    def _worded(self, voice: Voice, key: str) -> str:
        text = next(iter(voice(VOICE, key)), "")
        return fill(text, {"partner": self.partner, "times": str(self.times)}) or ""


class Spoken(NamedTuple):
    """A memory in which somebody spoke: its number and time, who did, empty for oneself, what they said, whether they
    whispered, and the telling words of it.
    """

    seq: int
    at: str
    speaker: str
    words: str
    private: bool
    told: frozenset[str]

    @property
    def own(self) -> bool:
        """Whether one said it oneself."""
        return not self.speaker


Apart = dict[str, int]
"""By a mind with whom there was no loop: the newest line of either then."""


class LoopWatch:
    """Looks for loops turn after turn, and looks again only when somebody has spoken or other minds are here."""

    def __init__(self) -> None:
        self._clear: tuple[int, tuple[Person, ...]] | None = None
        """Newest spoken memory, and who was here, when there was no loop."""
        self._apart: Apart = {}
        self._heard: deque[Spoken] = deque(maxlen=SPOKEN)
        self._through = 0

    def find(self, situation: Situation) -> Loop | None:
        """Return the loop that the agent is in, see `find_loop`; None while a person waits for a word."""
        self._hear(situation.recent)
        newest = self._heard[-1].seq if self._heard else 0
        if self._clear == (newest, situation.people):
            return None  # what grows old can only end a loop
        loop = find_loop(situation, self._heard, self._apart)
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
        self._heard.extend(_spoken(reversed(new)))
        self._through = last


def find_loop(situation: Situation, heard: Iterable[Spoken] | None = None, apart: Apart | None = None) -> Loop | None:
    """Return the worst loop that the agent is in with a mind who is here; None when it is in none.

    Only a loop that the newest line between the two belongs to counts: whatever else is said ends it.

    Args:
        situation: the situation.
        heard: what was spoken lately, oldest first; None for what its newest memories hold.
        apart: with whom there was none at the last look, who are not looked at again before one of the two has spoken;
            kept up to date.
    """
    apart = {} if apart is None else apart
    found: list[Loop] = []
    minds = tuple([person.name for person in situation.people if person.thinks])
    spoken = _lately(situation.recent, heard) if minds else []
    newest = {one.speaker: one.seq for one in spoken}
    if "" not in newest or len(spoken) < LEAST:
        return None
    for partner in minds:
        now = max(newest[""], newest.get(partner, 0))
        if partner in newest and apart.get(partner) != now:
            loops = _loops(spoken, partner, minds, situation.name)
            if loops:
                apart.pop(partner, None)
            else:
                apart[partner] = now
            found += loops
    return max(found, key=lambda loop: (loop.stage, loop.times), default=None)


def _loops(spoken: Sequence[Spoken], partner: str, minds: tuple[str, ...], name: str) -> list[Loop]:
    """Return the loops that the lines between two are."""
    lines = list(islice(_between(spoken, partner, minds), LINES))[::-1]
    if len(lines) < LEAST or len({line.own for line in lines}) < 2:
        return []
    return [
        Loop(kind, partner, len(belongs), belongs[-1].seq)
        for kind, belongs in _belonging(lines, (partner, name))
        if len(belongs) >= BEGINS[kind]
    ]


def person_waits(situation: Situation) -> bool:
    """Return whether a person who is here has spoken since the agent last did."""
    people = {person.name for person in situation.people if not person.thinks}
    if not people:
        return False
    for entry in reversed(situation.recent):
        if entry.kind == "said" and entry.actor is None:
            return False
        if entry.kind in ("heard", "told") and entry.actor in people:
            return True
    return False


def _spoken(entries: Iterable[Entry]) -> Iterator[Spoken]:
    """Yield the memories in which somebody spoke."""
    for entry in entries:
        said = remembered(entry)
        if said is not None:
            yield Spoken(entry.seq, entry.at, said.speaker, said.words, said.private, _told(said.words))


def _lately(recent: Sequence[Entry], heard: Iterable[Spoken] | None) -> list[Spoken]:
    """Return what was spoken last and not too long ago, oldest first."""
    spoken = list(_spoken(recent) if heard is None else heard)[-SPOKEN:]
    oldest = _since(recent[-1].at) if spoken else ""
    if not spoken or spoken[0].at >= oldest:
        return spoken
    return [one for one in spoken if one.at >= oldest]  # times are written so that they sort


def _since(at: str) -> str:
    """Return when a line was spoken at the earliest to count at this time; empty when it cannot be read."""
    try:
        return iso(parse_iso(at) - timedelta(seconds=WITHIN))
    except (ValueError, OverflowError):
        return ""


def _between(spoken: Sequence[Spoken], partner: str, minds: tuple[str, ...]) -> Iterator[Spoken]:
    """Yield the lines of the agent and one other, newest first, without those that call a third of these."""
    third = [(mind, mind.casefold()) for mind in minds if mind != partner]
    for one in reversed(spoken):
        if not one.speaker or one.speaker == partner:
            plain = "" if one.private else one.words.casefold()
            if not [mind for mind, folded in third if folded in plain and calls(one.words, mind)]:
                yield one


def _belonging(lines: Sequence[Spoken], names: tuple[str, str]) -> Iterator[tuple[LoopKind, list[Spoken]]]:
    """Yield each kind of loop that the newest line belongs to, with all the lines that do."""
    *earlier, newest = lines
    if _echoes(newest, earlier[::-1]):
        yield LoopKind.ECHO, [line for at, line in enumerate(lines) if _echoes(line, lines[:at][::-1])]
    for kind in _courtesies(newest.words):
        yield kind, _mutual([line for line in lines if kind in _courtesies(line.words)])
    if _asks_again(newest, earlier, names):
        yield (
            LoopKind.QUESTION,
            _mutual([line for at, line in enumerate(lines) if _asks_again(line, lines[:at], names)]),
        )
    if stale := _without_news(lines, names):
        yield LoopKind.NOTHING_NEW, _mutual(stale)


def _mutual(lines: list[Spoken]) -> list[Spoken]:
    """Return these lines when both spoke them; a circle takes two."""
    return lines if len({line.own for line in lines}) == 2 else []


def _echoes(line: Spoken, earlier: Iterable[Spoken]) -> bool:
    """Whether a line says again what the other has just said.

    Args:
        line: the line.
        earlier: those before it, newest first.
    """
    others = (one.words for one in earlier if one.own is not line.own)
    return any(_alike(line.words, words) for words in islice(others, ECHO_AFTER))


@functools.lru_cache(maxsize=4096)
def _alike(one: str, other: str) -> bool:
    return similarity(one, other) >= THRESHOLD


@functools.lru_cache(maxsize=4096)
def _courtesies(words: str) -> tuple[LoopKind, ...]:
    """Return the courtesies that a line is, when it tells little beside."""
    kinds = tuple(kind for kind, sign in _COURTESIES.items() if sign.search(words))
    if not kinds:
        return ()
    bare = words
    for sign in _COURTESIES.values():
        bare = sign.sub(" ", bare)
    return kinds if len(telling(bare, _NAME.findall(bare))) <= LITTLE else ()


def _asks_again(line: Spoken, earlier: Sequence[Spoken], names: tuple[str, str]) -> bool:
    """Whether a line asks what either of the two has asked before."""
    asked = _asked(line.words, names) if is_question(line.words) else None
    if not asked:
        return False
    before = (_asked(one.words, names) for one in earlier)
    return any(len(asked & one) >= ASKED_AGAIN * len(asked | one) for one in before if one)


@functools.lru_cache(maxsize=4096)
def _asked(words: str, names: tuple[str, str]) -> frozenset[str]:
    """Return the words of a question, names aside; none when a line asks nothing."""
    return words_of(words) - words_of(" ".join(names)) if is_question(words) else frozenset()


def _without_news(lines: Sequence[Spoken], names: tuple[str, str]) -> list[Spoken]:
    """Return the last lines that hold no telling word beyond those of the lines before them."""
    new = frozenset(telling(lines[-1].words, names))
    if new.difference(*[line.told for line in lines[:-1]]):
        return []  # as most do
    known: set[str] = set()
    stale: list[Spoken] = []
    for line in lines:
        words = set(telling(line.words, names))
        stale = [] if words - known else [*stale, line]
        known |= words
    return stale


@functools.lru_cache(maxsize=4096)
def _told(words: str) -> frozenset[str]:
    return frozenset(telling(words))
