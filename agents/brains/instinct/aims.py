"""Reads what a goal aims at: a location to reach, a thing to find, somebody to meet, a question to have answered.

Pure rules over English words. What it cannot read is no aim: such a goal is spoken of, and nothing is done for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from agents.brains._words import is_weak, stem, telling, tokens
from agents.text.addressing import mentions
from mud.world.sentences import sentences


class AimSort(StrEnum):
    """What is aimed at."""

    PLACE = "place"
    PERSON = "person"
    THING = "thing"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Aim:
    """One thing aimed at.

    Args:
        sort: what it is; `thing` also for what may turn out to be a location or a person.
        words: how the goal puts it, such as `the fin of the sundial`, or the question `who built the tower`.
        takes: the thing is to be had, not only seen.
        exact: only this sort of thing will do.
    """

    sort: AimSort
    words: str
    takes: bool = False
    exact: bool = False


_LEAD = re.compile(
    r"^(?:(?:i|you|we) (?:want|wish|hope|would like|need|have|must|should|will)(?: to)?|i['’]d like to|"
    r"my goal is(?: to)?|your goal is(?: to)?|to|please|try to|and|then|first|finally|at last|always|once more)\s+",
    re.I,
)
_VERBS = (
    r"go|walk|travel|climb|return|visit|reach|explore|meet|greet|talk|speak|thank|find|look|search|seek|get|fetch|take|"
    r"examine|see|collect|recover|bring|discover|learn|know|ask|hunt"
)
_NEXT = re.compile(
    rf"\s*[;.!]\s+|,?\s+(?:and then|then|and|,)\s+(?=(?:to )?(?:{_VERBS})\b)|,\s+(?=(?:{_VERBS})\b)", re.I
)
_ASKS = re.compile(
    r"^(?:find out|learn|know|discover|ask(?: \w+)?|hear|understand)\s+"
    r"(?P<words>(?:who|what|where|when|why|how|which|whether)\b.+)$",
    re.I,
)
_GOES = re.compile(
    r"^(?:(?:go|walk|travel|climb|return|come|get|find (?:my|your|the|a) way)(?: back)?"
    r"(?: up| down| over| in| out)? ?(?:to|into|in|for)|"
    r"visit|reach|explore|see)\s+(?P<words>.+)$",
    re.I,
)
_MEETS = re.compile(r"^(?:meet|greet|talk (?:to|with)|speak (?:to|with)|thank|ask|see)\s+(?P<words>.+)$", re.I)
_SEEKS = re.compile(
    r"^(?P<verb>find|look for|search for|search|hunt for|seek|get|fetch|take|examine|see|collect|recover|"
    r"bring(?: back)?|discover|look at)\s+(?P<words>.+)$",
    re.I,
)
_TAKES = ("get", "fetch", "take", "collect", "recover", "bring", "bring back")
_ENDS = re.compile(
    r"\s+(?:that|who|which|whom|because|so that|in order|for|before|after|until|with|and|to|or)\s+|[,;:(]", re.I
)
_OF = re.compile(r"\s+(?:of|from|in|at|on|under|near|by|inside|behind)\s+", re.I)
_PRONOUNS = frozenset(("it", "him", "her", "them", "a", "something", "somebody", "someone", "anything", "everything"))


@lru_cache(maxsize=256)
def aims_of(goal: str) -> tuple[Aim, ...]:
    """Return what a goal aims at, in the order it names it; none when it aims at nothing one could come to."""
    found: list[Aim] = []
    for sentence in sentences(goal):
        for part in _NEXT.split(sentence.strip().rstrip(".!")):
            aim = _aim_of(part or "")
            if aim and aim not in found:
                found.append(aim)
    return tuple(found)


def _aim_of(part: str) -> Aim | None:
    bare = part.strip()
    while (shorter := _LEAD.sub("", bare, count=1)) != bare:
        bare = shorter
    if asked := _ASKS.match(bare):
        return Aim(AimSort.ANSWER, asked["words"].rstrip("?!. "), exact=True)
    names = bool(re.search(r"(?:^|\s)(?!The\b)[A-ZÀ-ÞΑ-ΩА-Я]\w+", bare.partition(" ")[2]))
    if names and (met := _MEETS.match(bare)) and not re.match(r"the\b", met["words"], re.I):
        return _aim(AimSort.PERSON, met["words"], exact=bare.split()[0].casefold() != "see")
    if gone := _GOES.match(bare):
        return _aim(AimSort.PLACE, gone["words"], exact=not bare.casefold().startswith(("see", "visit")))
    if sought := _SEEKS.match(bare):
        return _aim(AimSort.THING, sought["words"], takes=sought["verb"].casefold() in _TAKES)
    return None


def _aim(sort: AimSort, words: str, *, takes: bool = False, exact: bool = False) -> Aim | None:
    short = _ENDS.split(words.strip(), maxsplit=1)[0].strip().rstrip("?!.")
    if not telling(short) or short.casefold() in _PRONOUNS:
        return None
    return Aim(sort, short, takes, exact)


def is_meant(aim: Aim, name: str) -> bool:
    """Return whether the name of a location, a person or a thing is what is aimed at.

    "The fin of the sundial" means the bronze fin, and not the sundial; "the bronze fin" does not mean the gilt fin.
    """
    wanted = _head(aim.words)
    if not wanted:
        return False
    names = {stem(word) for word in tokens(name)}
    *others, last = wanted
    if last not in names:
        return False
    named = [word for word in names if word in others]
    return len(named) >= len(others) / 2 and not (others and len(names) > 1 and not named)


@lru_cache(maxsize=512)
def _head(words: str) -> tuple[str, ...]:
    """Return the stems that name what is aimed at, its own name last."""
    first = _OF.split(words, maxsplit=1)[0]
    told = telling(first) or telling(words)
    strong = [word for word in told[:-1] if not is_weak(word)] + list(told[-1:])
    return tuple(stem(word.casefold()) for word in strong)


def is_spoken_of(aim: Aim, words: str) -> bool:
    """Return whether a line speaks of what is aimed at."""
    head = _head(aim.words)
    return bool(head) and head[-1] in {stem(word) for word in tokens(words)}


def places_in(words: str, known: Iterable[str]) -> list[str]:
    """Return the known locations that a line names, in the order in which it does."""
    plain = words.casefold()
    found = [place for place in known if mentions(words, place) or mentions(words, place.removeprefix("The "))]
    return sorted(found, key=lambda place: plain.find(place.removeprefix("The ").casefold()))
