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


def _rank(query: str, name: str) -> int | None:
    """Return how well a plain query fits a name: 0 exact, 1 a prefix, 2 prefixes of its words; None not at all."""
    if name.startswith(query):
        return 0 if query == name else 1
    if query[:1] not in name:
        return None  # no word of it can begin with the query's first
    words = iter(name.split())
    if all(any(word.startswith(part) for word in words) for part in query.split()):
        return 2
    return None


def match_names(query: str, choices: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Return the keys of the choices that share the best rank, in the given order; a choice is a key and its names."""
    wanted = plain(query)
    if not wanted:
        return []
    ranked: list[tuple[int, str]] = []
    for key, names in choices:
        ranks = [rank for name in names if (rank := _rank(wanted, plain(name))) is not None]
        if ranks:
            ranked.append((min(ranks), key))
    best = min((rank for rank, _ in ranked), default=0)
    return [key for rank, key in ranked if rank == best]


def match(query: str, things: Sequence[Thing]) -> list[Thing]:
    """Return the things that match a typed name or `#id` best."""
    wanted = query.strip()
    by_id = [thing for thing in things if thing.id == wanted]
    if by_id:
        return by_id
    keys = set(match_names(query, ((thing.id, thing.names) for thing in things)))
    return [thing for thing in things if thing.id in keys]


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
