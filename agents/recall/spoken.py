"""What is told and what is only asked in a text, and which of two texts repeats the other. Pure.

A clause ends at a mark (. ! ? ; : or a dash), and before a comma where a question begins behind what is told ("I lost
my key, have you seen it?").
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from agents.recall.question import is_telling, words_of

NEW = 0.25
"""Which part of the telling words of a repetition may be others."""
FEWEST = 2
"""Telling words that a text must have to be repeated by another that says more besides."""
BEGINNING = 5
"""Letters that forms of one word have in common, such as painted and painting."""
LONGEST = 1000
"""Characters of a text that are read; a passage of all but very long texts has fewer."""

ONESELF = frozenset(("i", "me", "my", "mine", "myself"))
OTHER = frozenset(("you", "your", "yours", "yourself"))

_ASKING = (
    r"(?:who|whom|whose|what|which|where|when|why|how|am|is|are|was|were|do|does|did|have|has|had|can|could|will|would"
    r"|shall|should|may|might|must|if|(?:is|are|was|were|do|does|did|have|has|had|ca|could|wo|would|should)n['’]?t)\b"
)
_CLAUSE = re.compile(rf"(?:[^.!?;:…—–\n,]|,(?!\s+{_ASKING})|(?<=\d)[.:](?=\d))+(?:[.!?;:…—–\n,]+|$)", re.IGNORECASE)
_BEGINS = re.compile(rf"\W*{_ASKING}", re.IGNORECASE)
_VOICE = re.compile(r"\A[^\"“\n?]{0,80}[\"“]")
"""What stands before a line's words: who says them."""


class SpokenParts(NamedTuple):
    """A text, as clauses of telling words.

    Args:
        told: its clauses that are no questions.
        asked: its questions.
    """

    told: tuple[tuple[str, ...], ...]
    asked: tuple[tuple[str, ...], ...]


@lru_cache(maxsize=1 << 12)
def spoken(text: str) -> SpokenParts:
    """Return what a text tells and asks, without who says it."""
    text = _VOICE.sub("", text[:LONGEST])
    told: list[tuple[str, ...]] = []
    asked: list[tuple[str, ...]] = []
    for clause in _CLAUSE.finditer(text):
        words = tuple(filter(is_telling, words_of(clause[0])))
        mark = clause[0].rstrip()
        if mark.endswith("?"):
            asked.append(words)
        elif words and mark.endswith(",") and _BEGINS.match(clause[0]):
            asked.append(words)  # "When you were there, did you see it?" tells nothing
        elif words:
            told.append(words)
    return SpokenParts(tuple(told), tuple(asked))


def is_question(text: str) -> bool:
    """Tell whether a text ends in a question."""
    return "?" in text and text.rstrip("\"'”’) ").endswith("?")


def tells(text: str, asked: Collection[str]) -> bool:
    """Tell whether a text that ends in a question fits another question by what it tells before: by two words or more,
    as "I saw a fox in the orchard; what could that mean?" fits who asks about foxes there, and asks nothing of its own.

    On the development data a text that told anything before it asked was mostly praise of what it asked about.

    Args:
        text: the text.
        asked: the other question's telling words.
    """
    wanted = {_begun(word) for word in asked}
    parts = spoken(text)
    told, only_asked = (
        {begun for clause in clauses for word in clause if (begun := _begun(word)) in wanted}
        for clauses in (parts.told, parts.asked)
    )
    return len(told) >= min(FEWEST, len(wanted)) and only_asked < told


def _begun(word: str) -> str:
    """Return the beginning of a word, which its other forms share."""
    return word[:BEGINNING]


def of_oneself(text: str) -> bool:
    """Tell whether who speaks here speaks of oneself more than of whoever listens."""
    words = words_of(_VOICE.sub("", text[:LONGEST]))
    return sum(word in ONESELF for word in words) > sum(word in OTHER for word in words)


def repeats(echo: str, original: str, asked: Collection[str]) -> bool:
    """Tell whether a text, where it fits a question, only says again what another one tells, or quotes all of that.

    Args:
        echo: the text that came later.
        original: the one that came first.
        asked: the question's telling words.
    """
    first, later = spoken(original), spoken(echo)
    told = [word for clause in first.told for word in clause]
    if not told:
        return False
    known = set(told)
    fitting = [word for clause in (*later.told, *later.asked) if not known.isdisjoint(clause) for word in clause]
    wanted = [word for word in fitting if word in asked]
    if not wanted or not known.issuperset(wanted):
        return False
    if sum(word not in known for word in fitting) <= NEW * len(fitting):
        return True
    said = [word for clause in (*later.told, *later.asked) for word in clause]
    return len(told) >= FEWEST and _quotes(said, told)


def _quotes(said: list[str], told: list[str]) -> bool:
    """Tell whether all but few of the words of one text stand in another in their order."""
    pairs = set(pairwise(said))
    wanted = list(pairwise(told))
    return sum(pair in pairs for pair in wanted) >= (1 - NEW) * len(wanted)
