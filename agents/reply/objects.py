"""The command that an object in a model's reply names: JSON in the many shapes of answers and tool calls. Pure.

It corrects nothing: an object that is not whole, or names no verb, holds no command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agents.reply.arguments import TITLE_KEYS, TITLED, WHOM_KEYS, WORD_KEYS, Pair, line_of
from agents.reply.reasons import evened, holds_reason, is_reason

TRIES = 8
"""Braces from which on an object is tried to be read."""
DEPTH = 4
"""Objects within objects that are looked into."""

_VERB_KEYS = ("command", "action", "cmd", "verb", "name", "function", "type", "tool", "toolname")
"""Names of what holds the verb, evened."""


def command_in(text: str, is_verb: Callable[[str], bool], tries: int = TRIES) -> str | None:
    """Return the command that the first whole object of a text names, its reason after a bar; None when it names none.

    Args:
        text: a reply; what stands before and after the object does not count.
        is_verb: whether a text begins with a verb.
        tries: braces from which on an object is tried to be read.
    """
    for found in list(re.finditer(r"\{", text))[:tries]:
        try:
            told, _ = json.JSONDecoder(strict=False).raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        return next((line for one in _objects(told, DEPTH) if (line := _command(one, is_verb))), None)
    return None


def _command(told: Mapping[str, Any], is_verb: Callable[[str], bool]) -> str | None:
    """Return the command of one object: verb and words under their keys, or the words under the verb."""
    keyed = {evened(key): value for key, value in list(told.items())[::-1]}
    reasons = [(key, value) for key, value in told.items() if is_reason(key) and isinstance(value, str)]
    verb = next((keyed[key] for key in _VERB_KEYS if isinstance(keyed.get(key), str)), "")
    if is_verb(verb):
        return line_of(verb, [*reasons, *_known(keyed, verb.lower() in TITLED)])
    verb = next((key for key, value in told.items() if is_verb(key) and isinstance(value, str)), "")
    return line_of(verb, [*reasons, ("", told[verb])]) if verb else None


def _known(keyed: Mapping[str, Any], titled: bool) -> Iterator[Pair]:
    """Yield whom, title and words of an outer object; of the names of words only the first that has some is read."""
    for key in (*WHOM_KEYS, *(TITLE_KEYS if titled else ())):
        if isinstance(keyed.get(key), str):
            yield key, keyed[key]
    for key in WORD_KEYS:
        pairs = [(name, text) for name, text in _texts(key, keyed.get(key), DEPTH) if text.strip()]
        yield from pairs
        if not all(holds_reason(name) for name, _ in pairs):
            return


def _texts(key: str, value: Any, depth: int) -> Iterator[Pair]:
    """Yield the texts that an argument holds: itself, those of a list without names, those of an object with theirs."""
    if isinstance(value, str) and value.lstrip().startswith("{"):  # arguments that are JSON once more
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        yield from (("", one) for one in value if isinstance(one, str))
    elif isinstance(value, dict) and depth:
        for name, inner in value.items():
            found = list(_texts(name, inner, depth - 1))
            # what a name holds that is none of words stays under it: a reason in a list is no less one
            yield from found if evened(name) in WORD_KEYS else [(name, " ".join(text for _, text in found))]


def _objects(found: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield an object and those inside it, the outer ones first."""
    if isinstance(found, dict):
        yield found
    inside = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    for inner in inside if depth else ():
        yield from _objects(inner, depth - 1)
