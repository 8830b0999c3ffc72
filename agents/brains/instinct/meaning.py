"""The values in which what was said is handed on: the names known, and what a sentence means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Names(NamedTuple):
    """The names that an agent knows, as written."""

    me: str
    people: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    things: tuple[str, ...] = ()


class Meaning(NamedTuple):
    """What a sentence means.

    Args:
        intent: stem of the intent's file; `question` is an open question, `statement` tells something.
        wants: what is asked for: memory, self, place, people, way, deed or nothing.
        asks: the part of a fact that is wanted: what who when where number why name colour yes; "" for none.
        texts: keys of the voice's texts that answer, best first.
        slots: the words in the places of the pattern, as said: person, place, thing, topic, text, name; a second person
            is `whom`.
        words: the sentence, without names called and courtesies before it.
        how: the layer that read it: `pattern`, `example` or `open`.
    """

    intent: str
    wants: str
    asks: str
    texts: tuple[str, ...]
    slots: Mapping[str, str]
    words: str
    how: str
