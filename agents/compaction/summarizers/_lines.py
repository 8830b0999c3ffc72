"""The sentences of earlier summaries: taken apart, each said once, and those that together hold the most.

What came up again in the very same words says so and stays; what is only much alike is another memory (`the ferry at 7`
and `the ferry at 8` are two), though of two that are alike the weightier goes first.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agents.compaction.compound import apart
from agents.compaction.summarizers._choice import AGAIN, SMALL, inside
from agents.compaction.summarizers._coverage import ALIKE, SAME, Claim, covering
from agents.compaction.summarizers._prose import closed, ended
from agents.compaction.summarizers._reading import StatementContent, read
from agents.compaction.summarizers._scene import Scene, read_scene
from agents.compaction.wording import PLAIN, flat, quoted, sentences
from agents.llm.tokens import estimate
from agents.text.persons import first_person
from mud.world.narration import listed

FEW = 4
"""Sentences up to which small talk is carried on too; once there are better ones it goes."""
MOST_SPEAKERS = 3
"""Speakers of the same words that are named."""
_FIRST = 1.0
"""What the first facts of a life weigh more, so that it knows its beginning."""
_THOUGHT = "I thought, "
_IDLE = ("I wondered ", "I thought about ", "I mused ")
_SAID = re.compile(r'([^"]*?)( said| promised)?, "([^"]*)"\.?')
_SCRAP = re.compile(r"\W*|[(\[][^()\[\]]*[)\]]\W*")
"""A quotation that says nothing, or only where something was read."""
_BETWEEN = re.compile(r", | and ")
_OTHERS = "others"
_IN_NAMES = frozenset({"the", "of", "and", "de", "van", "von", _OTHERS})


class SummarySentence(NamedTuple):
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
        empty: whether it quotes nothing, or only where something was read.
    """

    plain: str
    level: int
    who: tuple[str, ...]
    what: str
    same: str
    reading: StatementContent
    tokens: int
    worth: float
    small: bool
    empty: bool

    @property
    def text(self) -> str:
        """The sentence as it is told."""
        return AGAIN[self.level - 1] + inside(self.plain) if self.level else self.plain

    @property
    def lead(self) -> str:
        """Who says it, or that it is told of me."""
        return " ".join(self.who) or self.plain.partition(" ")[0]

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
    lines: list[SummarySentence]


@functools.lru_cache(maxsize=4096)
def line(text: str) -> SummarySentence:
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
    empty = '"' in plain and any(_SCRAP.fullmatch(said) for said in quoted(plain))
    return SummarySentence(plain, level, who, what, same, reading, estimate(text) + 1, worth, small, empty)


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


def carried(texts: Iterable[str], name: str) -> Carried:
    """Return what summaries in prose tell; sentences that are no whole ones are left out.

    Args:
        texts: the summaries, oldest first.
        name: whose they are; what tells of them by name is told with I, where that can be done.
    """
    every = [one for text in texts for one in sentences(flat_lines(text))]
    scenes = [_scene(one) for one in every]
    rest = (one for one, known in zip(every, scenes, strict=True) if known is None)
    single = (first_person(one, name) or one for sentence in rest if closed(sentence) for one in apart(sentence))
    lines = merged(ended(one) for one in single)
    return Carried([one for one in scenes if one is not None], [one for one in lines if not one.empty])


def flat_lines(text: str) -> str:
    """Return a text with every line flattened and blank lines left out."""
    return "\n".join(one for one in map(flat, text.split("\n")) if one)


def merged(texts: Iterable[str]) -> list[SummarySentence]:
    """Return sentences as lines, each once; one that came up again says so."""
    told: list[SummarySentence] = []
    seen: dict[str, int] = {}
    for text in texts:
        new = line(text)
        at = seen.setdefault(new.same, len(told))
        if at == len(told):
            told.append(new)
        else:
            told[at] = _again(told[at], new)
    return told


def _again(old: SummarySentence, new: SummarySentence) -> SummarySentence:
    """Return one line for two that say the same: said again by the same person, or by others too."""
    more = [name for name in new.who if name not in old.who]
    if more and _OTHERS not in old.who:
        who = [*old.who, *more]
        who = who if len(who) <= MOST_SPEAKERS else [*who[: MOST_SPEAKERS - 1], _OTHERS]
        return line(f'{listed(who)} said, "{old.what}"')
    level = min(old.level + max(1, new.level), len(AGAIN))
    return line(AGAIN[level - 1] + inside(old.plain))


def kept(lines: Sequence[SummarySentence], tokens: int, most: int | None = None) -> list[int]:
    """Return the places of the lines that stay, in order.

    Args:
        lines: oldest first.
        tokens: tokens that they may take together.
        most: lines at most; None for any number.
    """
    facts = [at for at, one in enumerate(lines) if not one.small]
    firsts = [at for at in facts if lines[at].worth > SMALL][:2]
    stay = covering([_claim(lines[at], _FIRST if at in firsts else 0.0) for at in facts], tokens, most)
    told = [facts[at] for at in stay]
    tokens -= sum(lines[at].tokens for at in told)
    talk = sorted((at for at, one in enumerate(lines) if one.small), key=lambda at: (-lines[at].worth, -at))
    for at in talk[: max(0, min(FEW, most or FEW) - len(facts))]:
        if lines[at].tokens <= tokens:
            tokens -= lines[at].tokens
            told.append(at)
    return sorted(told)


def _claim(one: SummarySentence, more: float) -> Claim:
    found = one.reading
    same = ALIKE if one.plain.startswith(_THOUGHT) else SAME
    return Claim(one.worth + more, found.words, found.heavy, one.lead, one.tokens, same, one.plain, found.binds)
