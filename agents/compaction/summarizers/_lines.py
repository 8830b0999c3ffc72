"""The sentences of earlier summaries: taken apart, each said once, and the most worth keeping put together again.

What came up again in the very same words says so and stays; what is only much alike is another memory (`the ferry at 7`
and `the ferry at 8` are two), though of two that are alike the weightier goes first.
"""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agents.compaction.summarizers._choice import AGAIN, SMALL, inside
from agents.compaction.summarizers._prose import closed, ended
from agents.compaction.summarizers._reading import Reading, read
from agents.compaction.summarizers._scene import Scene, read_scene
from agents.compaction.wording import PLAIN, flat, sentences
from agents.llm.tokens import estimate
from mud.world.narration import listed

FEW = 4
"""Sentences up to which small talk is carried on too; once there are better ones it goes."""
MOST_SPEAKERS = 3
"""Speakers of the same words that are named."""
_FIRST = 1.0
"""What the first facts of a life weigh more, so that it knows its beginning."""
_IDLE = ("I wondered ", "I thought about ", "I mused ")
_ALIKE = 0.6
"""Jaccard index of the words from which the weightier of two sentences goes first and the other last."""
_SAID = re.compile(r'([^"]*?)( said)?, "([^"]*)"\.?')
_BETWEEN = re.compile(r", | and ")
_OTHERS = "others"
_IN_NAMES = frozenset({"the", "of", "and", "de", "van", "von", _OTHERS})


class Line(NamedTuple):
    """A sentence of a summary.

    Args:
        plain: the sentence without what says that it came again.
        level: how often it came: 0 once, 1 more than once, 2 oftener.
        who: who said it, when it only says what others said; else nobody.
        what: what they said.
        same: what tells whether another sentence says the same.
        reading: what it holds.
        tokens: tokens of it at most, with the blank after it.
        worth: how much it is worth keeping; small talk that comes again is still small talk.
        small: whether it is only small talk, or a passing thought.
    """

    plain: str
    level: int
    who: tuple[str, ...]
    what: str
    same: str
    reading: Reading
    tokens: int
    worth: float
    small: bool

    @property
    def text(self) -> str:
        """The sentence as it is told."""
        return AGAIN[self.level - 1] + inside(self.plain) if self.level else self.plain

    @property
    def own(self) -> bool:
        """Whether it tells what I did or said."""
        return self.plain.startswith(("I ", "I'", "I’", "My "))


class Carried(NamedTuple):
    """What earlier summaries tell.

    Args:
        scenes: where I was and with whom, oldest first.
        lines: every other sentence, each once, oldest first.
    """

    scenes: list[Scene]
    lines: list[Line]


@functools.lru_cache(maxsize=4096)
def line(text: str) -> Line:
    """Return a sentence of a summary, taken apart."""
    plain, level = text, 0
    for at, again in enumerate(AGAIN, 1):
        if text.startswith(again):
            plain, level = text[len(again) :], at
    found = _SAID.fullmatch(plain)
    who = _speakers(found[1]) if found and found[2] else ()
    what = found[3] if found else ""
    reading = read(what if found else plain)
    often = min(2, level + max(0, len(who) - 1))
    worth = reading.worth * (1.0 + 0.4 * often) if reading.worth > SMALL else reading.worth
    small = worth <= SMALL and bool(what or plain.startswith(_IDLE))
    same = what.casefold() if who else plain.casefold()
    return Line(plain, level, who, what, same, reading, estimate(text) + 1, worth, small)


def _speakers(text: str) -> tuple[str, ...]:
    """Return the names in what stands before `said`; none when it is more than names, or oneself."""
    for word in text.replace(",", "").split():
        low = word.casefold()
        if low not in _IN_NAMES and (word == low or low in PLAIN):
            return ()
    return tuple(_BETWEEN.split(text))


@functools.lru_cache(maxsize=256)
def _scene(sentence: str) -> Scene | None:
    return read_scene(sentence)


def carried(texts: Iterable[str]) -> Carried:
    """Return what summaries in prose tell; sentences that are no whole ones are left out."""
    every = [one for text in texts for one in sentences(flat_lines(text))]
    scenes = [_scene(one) if one.startswith(("My first", "I was ")) else None for one in every]
    rest = (one for one, known in zip(every, scenes, strict=True) if known is None)
    return Carried([one for one in scenes if one is not None], merged(ended(one) for one in rest if closed(one)))


def flat_lines(text: str) -> str:
    """Return a text with every line flattened and blank lines left out."""
    return "\n".join(one for one in map(flat, text.split("\n")) if one)


def merged(texts: Iterable[str]) -> list[Line]:
    """Return sentences as lines, each once; one that came up again says so."""
    told: list[Line] = []
    seen: dict[str, int] = {}
    for text in texts:
        new = line(text)
        at = seen.setdefault(new.same, len(told))
        if at == len(told):
            told.append(new)
        else:
            told[at] = _again(told[at], new)
    return told


def _again(old: Line, new: Line) -> Line:
    """Return one line for two that say the same: said again by the same person, or by others too."""
    more = [name for name in new.who if name not in old.who]
    if more and _OTHERS not in old.who:
        who = [*old.who, *more]
        who = who if len(who) <= MOST_SPEAKERS else [*who[: MOST_SPEAKERS - 1], _OTHERS]
        return line(f'{listed(who)} said, "{old.what}"')
    level = min(old.level + max(1, new.level), len(AGAIN))
    return line(AGAIN[level - 1] + inside(old.plain))


def kept(lines: Sequence[Line], tokens: int, most: int | None = None) -> list[int]:
    """Return the places of the lines that stay, in order.

    Args:
        lines: oldest first.
        tokens: tokens that they may take together.
        most: lines at most; None for any number.
    """
    stay: list[int] = []
    for at in _by_worth(lines):
        if most is not None and len(stay) >= most:
            break
        if lines[at].tokens <= tokens:
            tokens -= lines[at].tokens
            stay.append(at)
    return sorted(stay)


def _by_worth(lines: Sequence[Line]) -> list[int]:
    """Return the places of lines, the most worth keeping first; of equals the newer first."""
    worth = [one.worth for one in lines]
    firsts = [at for at, value in enumerate(worth) if value > SMALL][:2]
    for at in firsts:
        worth[at] += _FIRST
    ranked = sorted(range(len(lines)), key=lambda at: (-worth[at], -at))
    talk = [at for at in ranked if lines[at].small]
    facts = [at for at in ranked if not lines[at].small]
    return [*_unlike(lines, facts), *talk[: max(0, FEW - len(facts))]]


def _unlike(lines: Sequence[Line], ranked: Sequence[int]) -> list[int]:
    """Return ranked places with those behind that are much like a better one."""
    holds: dict[str, list[int]] = defaultdict(list)
    first: list[int] = []
    last: list[int] = []
    for at in ranked:
        words = lines[at].reading.words
        shared = Counter(other for word in words if word in holds for other in holds[word])
        if any(
            count >= _ALIKE * len(words | lines[other].reading.words) for other, count in shared.items() if count > 1
        ):
            last.append(at)
            continue
        first.append(at)
        for word in words:
            holds[word].append(at)
    return first + last
