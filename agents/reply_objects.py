"""The command that an object in a model's reply names: JSON in the many shapes of answers and tool calls. Pure.

It corrects nothing: an object that is not whole, or names no verb, holds no command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

TRIES = 8
"""Braces from which on an object is tried to be read."""
DEPTH = 4
"""Objects within objects that are looked into."""

_VERB_KEYS = ("command", "action", "cmd", "verb", "name", "function", "type", "tool", "tool_name")
_WORD_KEYS = ("args", "arguments", "words", "text", "message", "content", "input", "parameters", "value")
_WHOM_KEYS = ("target", "to", "recipient", "listener", "object", "exit", "direction")
_REASON_KEYS = ("reason", "reasoning", "why", "private_reason")
_TO_SOMEBODY = ("whisper", "tell")
"""Verbs whose words stand after the name of who is to hear them."""


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
    verb = next((told[key] for key in _VERB_KEYS if isinstance(told.get(key), str)), "")
    words, whom, reason = (_first_text(told, keys) for keys in (_WORD_KEYS, _WHOM_KEYS, _REASON_KEYS))
    if not is_verb(verb):
        verb = next((key for key, value in told.items() if is_verb(key) and isinstance(value, str)), "")
        words, whom = told.get(verb, ""), ""
    if not verb:
        return None
    if whom and (not words or verb.lower() in _TO_SOMEBODY):
        words = f"{whom} {words}"
    line = " ".join(f"{verb} {words}".split())
    return f"{line} | {' '.join(reason.split())}" if reason and "|" not in line else line


def _objects(found: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield an object and those inside it, the outer ones first."""
    if isinstance(found, dict):
        yield found
    inside = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    for inner in inside if depth else ():
        yield from _objects(inner, depth - 1)


def _first_text(told: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """Return the first of these keys that holds words; a list or object of texts is joined."""
    for key in keys:
        value = told.get(key)
        if isinstance(value, str) and value.lstrip().startswith("{"):  # arguments that are JSON once more
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                continue
        if isinstance(value, dict):
            value = [one for key, one in value.items() if key not in _REASON_KEYS]
        if isinstance(value, list):
            value = " ".join(one for one in value if isinstance(one, str))
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""
