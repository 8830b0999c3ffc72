"""A sentence that is too long is told in part: up to where a clause ends, or the clauses that tell the most.

What is left is always words in a row as they stood, with three dots where something is missing. No name and no number
is cut in two, nothing stays open that was opened.
"""

from __future__ import annotations

import re
from itertools import islice

from agents.compaction.summarizers._inner_marks import missing
from agents.compaction.summarizers._reading import COUNTING, read
from agents.compaction.wording import PLAIN, unquoted

DOTS = "…"
LEAST = 40
"""Characters that a part of a sentence has at least: less of a long one hardly says what it is about."""
CLAUSES = 4
"""Clauses, from the first, with which a part may begin."""
MARGIN = 1.8
"""Worth that later clauses must have more than the first, which says who and what the sentence is about."""
A_CHARACTER = 0.05
"""What a character costs: plain words are hardly worth theirs, as other facts could be told in their place."""

_JOINS = "and|but|or|nor|yet|so|for|which|who|whom|whose|where|when|while|because|since|though|although|until|if|as"
_CLAUSE = re.compile(rf"\s*;(?=\s)|:(?=\s)|\s+[-–—]+(?=\s)|—|[；：。]|,(?=\s+(?:{_JOINS})\b)")
_COMMA = re.compile(r",(?=\s)|[，、]")
_BLANK = re.compile(r"\s+")
_NEW = re.compile(r";\s+|\s+[-–—]+\s+|—|；|,\s+(?=(?:and|but)\b)")
"""Behind what a part may begin: a clause that stands by itself."""
_ENDS = " ,;:-–—，、；：。"
_BARE = "\"'“”‘’()[],;:.!?"
_BRACKETS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))


def shortened(text: str, sentence: str, longest: int, said: bool) -> str:
    """Return what is told of a sentence that is too long, with three dots; empty when no part of it can stand.

    Args:
        text: the text that the sentence is of.
        sentence: the sentence.
        longest: characters of the part at most.
        said: whether it is quoted. Else the part is the beginning, up to where a clause ends, so that it may become a
            sentence.
    """
    starts = [0]
    if said:
        starts += islice((found.end() for found in _NEW.finditer(sentence)), CLAUSES)
    parts = [
        (_worth(part) - (MARGIN if start else 0.0), -start, part)
        for start in starts
        if start == 0 or _balanced(sentence[:start])
        for part in _parts(sentence[start : start + 2 * longest], longest, said)
        if any(map(str.isalnum, part))
    ]
    if not parts:
        return ""
    _, start, part = max(parts)
    before, behind = missing(text, [part])[0]
    return f"{before}{DOTS if start else ''}{part}{'' if sentence.endswith(part) else DOTS}{behind}"


def _worth(part: str) -> float:
    found = read(part)
    return found.worth + len(found.names) - A_CHARACTER * len(part)


def _parts(text: str, longest: int, anywhere: bool) -> list[str]:
    """Return the beginnings of a text that end where a clause does; else the longest up to a comma, else to a word.

    Args:
        text: the text.
        longest: characters of a beginning at most.
        anywhere: whether it may end with any word.
    """
    if LEAST <= len(text) <= longest and _balanced(text):
        return [text]
    for marks in (_CLAUSE, _COMMA, *((_BLANK,) if anywhere else ())):
        places = [found.start() for found in marks.finditer(text, LEAST, longest + 12) if found.start() <= longest]
        clean = (at for at in reversed(places) if not _cuts(text, at, marks is _BLANK) and _balanced(text[:at]))
        if found := [text[:at].rstrip(_ENDS) for at in islice(clean, None if marks is _CLAUSE else 1)]:
            return found
    return []


def _cuts(text: str, at: int, within: bool) -> bool:
    """Return whether a place is in the middle of a name or a number; within a clause also whether words hang there."""
    last = text[max(0, at - 60) : at].split()[-1]
    after = [one.strip(_BARE) for one in text[at : at + 60].lstrip(_ENDS).split()[:3]]
    counted = [_counts(one) for one in after]
    if _counts(last.strip(_BARE)) and (within or any(counted[:2])):
        return True
    if not within:
        return False
    named = last[0].isupper() and any(one[:1].isupper() and one.lower() not in PLAIN for one in after)
    hangs = last.lower().strip(_BARE) in PLAIN or last.endswith((".", "'s", "’s"))
    return named or hangs or any(counted[:1])


def _counts(word: str) -> bool:
    return not COUNTING.isdisjoint(word.lower().split("-")) or any(map(str.isnumeric, word))


def _balanced(text: str) -> bool:
    """Return whether all that a text opens it also closes."""
    return '"' not in unquoted(text).replace('""', "") and all(
        text.count(one) == text.count(end) for one, end in _BRACKETS
    )
