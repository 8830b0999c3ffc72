"""Matching typed names to things. All matches of the best rank are returned, never a random one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice

from mud.world.things import Thing

_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.I)
_AFTER_NAME = ",:"


@lru_cache(maxsize=1 << 11)
def plain(name: str) -> str:
    """Normalize a name for comparison: casefolded, NFC, single spaces, no leading article."""
    return _ARTICLE.sub("", unicodedata.normalize("NFC", " ".join(name.casefold().split())))


_NO_MATCH = 3


def _rank(query: str, name: str) -> int:
    """Return how well a plain query fits a name: 0 exact, 1 a prefix, 2 prefixes of its words, else `_NO_MATCH`."""
    if name.startswith(query):
        return 0 if query == name else 1
    words = iter(name.split())
    return 2 if all(any(word.startswith(part) for word in words) for part in query.split()) else _NO_MATCH


def match_names(query: str, choices: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Return the keys of the choices that share the best rank, in the given order; a choice is a key and its names."""
    wanted = plain(query)
    if not wanted:
        return []
    found, best, first = list[str](), _NO_MATCH, wanted[0]
    for key, names in choices:
        for name in names:
            known = plain(name)
            if first not in known:
                continue  # no word of it can begin with the query's first
            rank = _rank(wanted, known)
            if rank < best:
                found, best = [key], rank
            elif rank == best < _NO_MATCH and key != found[-1]:
                found.append(key)
    return found


def match(query: str, things: Sequence[Thing]) -> list[Thing]:
    """Return the things that match a typed name or `#id` best."""
    if query[:1].isspace() or query.startswith("#"):
        wanted = query.strip()
        if by_id := [thing for thing in things if thing.id == wanted]:
            return by_id
    keys = match_names(query, [(thing.id, thing.names) for thing in things])
    return [thing for thing in things if thing.id in keys] if keys else []


def split_name(text: str, things: Sequence[Thing]) -> tuple[Thing | None, str]:
    """Split `Eliza the Kind hello there` into the thing and the rest, preferring the longest name.

    Returns (None, text) when no beginning of the text names exactly one thing.
    """
    names = [(thing, {plain(name) for name in thing.names}) for thing in things]
    longest = max((len(name.split()) for _, own in names for name in own), default=0) + 1  # an article
    # Cut in the text as typed, to keep the spaces of the rest; no cut is longer than the longest name.
    ends = [found.end() for found in islice(re.finditer(r"\S+", text), longest)]
    for end in reversed(ends):
        typed = text[:end].rstrip(_AFTER_NAME)
        if typed != typed.rstrip():
            continue  # a separate mark belongs to the rest: `tell Eliza :`
        fitting = [thing for thing, own in names if plain(typed) in own]
        if len(fitting) == 1:
            return fitting[0], text[end:].strip()
    fitting = match(text[: ends[0]].rstrip(_AFTER_NAME), things) if ends else []
    return (fitting[0], text[ends[0] :].strip()) if len(fitting) == 1 else (None, text)
