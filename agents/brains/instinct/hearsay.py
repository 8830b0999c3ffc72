"""Unwraps what one mind passes on from another: whose words they were, and the words themselves.

Minds answer in frames, "Anna told me in The Library: ...", and an answer to an answer would wrap one frame in the next.
What is kept is the innermost statement and the one who made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agents.brains._words import is_small, names_in
from agents.memory.perception import without_sayer

_OPENS = re.compile(r"(?<!\w)['‘](?=\w)")
_CLOSES = re.compile(r"[.!?…]['’]+(?!\w)")
_FRAME = re.compile(r"^(?P<frame>[^:]{1,160}):\s+(?P<words>.+)$", re.S)
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.I)
_PLACE = re.compile(
    r"\b(?:[Ii]n )?The [A-Z][\w'’]*(?: [A-Z]\w*\b(?!['’]|\s+(?:told|said)))?"
    r"|\b[Ii]n (?!\w+['’]s)[A-Z]\w*(?: [A-Z]\w*\b(?!['’]|\s+(?:told|said)))?"
)
_OPENING = re.compile(
    r"(?:^|[.!?]\s+)([A-ZÀ-ÞΑ-ΩА-Я][\w-]+)"
    r"(?=['’]s\b|\s+(?:told|said|says|knew|put|stood|trusted|passed|spoke|did|was)\b|, in\b|,\s*$)"
)
_TELLS = re.compile(
    r"\b(?:told|tells?|said|says?|saying|words|have it|had it|heard?|wrote|report|account|quote|knew|from|according|"
    r"was you|was your|forget|remember|authority|mouth|lips|bench|bread|that was|it was|trusted|stood|hook|filed|in|"
    r"to me|forgotten|kept|lost|news|delivered)\b",
    re.I,
)


def unwrapped(words: str, names: Iterable[str]) -> tuple[str, str]:
    """Return who first made a statement and the statement, or "" and the words as they are when nobody is quoted.

    Args:
        words: what was said or written down.
        names: names of everybody known, who may be the source.
    """
    known = [name for name in names if name]
    source, inner = "", words.strip()
    while True:
        frame, rest = _split(inner)
        told_by = _source(frame, known) if rest else ""
        if not told_by:
            # Who is named as the source is not named again.
            return source, without_sayer(inner, source)
        source, inner = told_by, rest


def _split(words: str) -> tuple[str, str]:
    """Split a line into its frame and what it quotes; the second is empty when it quotes nothing."""
    opens = _OPENS.search(words)
    if opens:
        after = words[opens.end() :]
        closes = list(_CLOSES.finditer(after))
        # The outermost mark closes last; within it the next round finds the rest.
        inner = after[: closes[-1].start() + 1] if closes else after
        return words[: opens.start()], inner.strip()
    found = _FRAME.match(words)
    if found and _TELLS.search(found["frame"]):
        return found["frame"], found["words"]
    return words, ""


def _source(frame: str, known: list[str]) -> str:
    """Say whose words follow a frame: a name that is told of goes before one that is called.

    The source may be nobody one ever met; then a capital gives the name away, unless it is a place's.
    """
    bare = _PLACE.sub("", frame)
    strange = [name for name in (*_OPENING.findall(bare), *names_in(bare, known)) if not is_small(name)]
    called: list[str] = []
    told_of: list[tuple[int, str]] = []
    for name in dict.fromkeys([*known, *strange]):
        for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", frame, re.I):
            before, after = frame[: found.start()].rstrip(), frame[found.end() :].lstrip()
            if (not before or before[-1] in ",;.!?:") and (not after or after[0] in ",.;:!?"):
                called.append(name)
            else:
                told_of.append((found.start(), name))
    if told_of:
        return max(told_of)[1]
    if not called:
        return ""
    return called[0] if _YOU.search(frame) else called[-1]
