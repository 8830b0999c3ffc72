"""The arguments of a command in a model's reply, put in the order in which the command takes them. Pure.

Models name arguments as they like and in any order: whom a whisper is for goes first, the words follow, and a private
reason goes behind the bar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.reply.reasons import evened, holds_reason, is_reason

WORD_KEYS = (
    *("args", "arguments", "words", "text", "message", "content", "input", "parameters", "value"),
    *("speech", "utterance", "body"),
)
"""Names of what is said or done, the surest first; evened, as all names here."""
WHOM_KEYS = (
    *("target", "to", "recipient", "listener", "object", "exit", "direction"),
    *("whom", "person", "who"),
)
TITLE_KEYS = ("title", "subject", "topic", "heading")

_SPEECH = ("say", "emote", "me", "whisper", "tell")
"""Verbs whose words others hear: nothing but the words may stand among them."""
_TO_SOMEBODY = ("whisper", "tell")
"""Verbs whose words stand after the name of who is to hear them."""
TITLED = ("note", "@overwrite-note")
"""Verbs whose words stand after a title and an arrow."""

_KEY = r"(?P<mark>[\"']?)(?P<key>[A-Za-z_][\w-]{0,29}(?:\s[\w-]{1,29}){0,2})(?P=mark)\s?"
_NAMED = re.compile(rf"{_KEY}(?:(?P<sure>=(?!=)|:(?=\s?[\"'“]))|:)\s?")
_COMMA = re.compile(r",\s?")
_QUOTES = {
    opening: re.compile(rf"(?<!\\){closing}\s?(?=,|$)") for opening, closing in (('"', '"'), ("'", "'"), ("“", "”"))
}
"""A quotation ends where its argument does; a mark before that belongs to the words."""
_ASSIGNED = re.compile(r"\w[\"']?\s?=\s?[\"'“]|[\"'”]\s[\w ]{1,39}:\s?[\"'“]")
"""What no quotation holds: another argument, after a comma that was forgotten."""
_UNSURE = re.compile(r"[\"“”]|=\s?'")
"""What no bare argument holds: something here was not read."""
_GIVEN = re.compile(r"(?P<key>[A-Za-z][\w-]{0,29})[\"']?\s?[=:]")

Pair = tuple[str, str]
"""The name of an argument, empty when it has none, and its text."""


def line_of(verb: str, pairs: Sequence[Pair]) -> str:
    """Return the command line of a verb and its arguments, the private reason behind a bar.

    Args:
        verb: the verb, or a command that begins with it.
        pairs: its arguments, in the model's order.
    """
    pairs = [(evened(key), " ".join(text.split())) for key, text in pairs if text.strip()]
    pairs = [*pairs[:1], *map(_labelled, pairs[1:])]
    told = [(key, text) for key, text in pairs if not holds_reason(key)]
    reasons = sorted((pair for pair in pairs if holds_reason(pair[0])), key=lambda pair: not is_reason(pair[0]))
    reason = reasons[0][1] if reasons else ""
    if not told and verb.lower() == "think":
        told, reason = [("", reason)], ""
    line = f"{verb} {_words(verb.lower(), told)}".strip()
    return f"{line} | {reason}" if reason and "|" not in line else line


def _labelled(pair: Pair) -> Pair:
    """Return a text without a name under the one that it begins with, if that is a reason's: `"Reason: to greet"`."""
    head, _, text = pair[1].partition(":")
    return (evened(head), text.strip()) if not pair[0] and is_reason(head) else pair


def _words(verb: str, told: Sequence[Pair]) -> str:
    """Return the words of a command: whom first, then the words; what has no known name only where nothing has one."""
    bare = [text for key, text in told if not key]
    words = [*bare, *_first(told, WORD_KEYS)]
    if verb not in _SPEECH and not words and verb not in TITLED:
        return " ".join(text for _, text in told)
    whom = _first(told, (*WHOM_KEYS, "name"))
    title = _first(told, (*TITLE_KEYS, "name"))
    known = (*WHOM_KEYS, *TITLE_KEYS, *(("name",) if verb in (*_TO_SOMEBODY, *TITLED) else ()))
    words = words or [text for key, text in told if key not in known]
    if verb in TITLED:
        return _titled([*title, *words])
    words = words or _first(told, TITLE_KEYS)
    return " ".join([*whom, *words] if verb in _TO_SOMEBODY else words or whom)


def _titled(words: Sequence[str]) -> str:
    """Return a note's title and its text with the arrow between them, unless it stands there."""
    line = " ".join(words)
    return line if len(words) < 2 or "->" in line else f"{words[0]} -> {' '.join(words[1:])}"


def _first(told: Sequence[Pair], keys: Sequence[str]) -> list[str]:
    """Return the text of the first of these names that is there, as a list of one or none."""
    return next(([text] for key in keys for name, text in told if name == key), [])


def arguments_of(inside: str) -> list[Pair] | None:
    """Return the arguments between the brackets of a call; None for what cannot be read without guessing.

    Args:
        inside: `"Hello", reason="to greet"`, or bare words.
    """
    if (inside[:1], inside[-1:]) in (("{", "}"), ("[", "]")):
        inside = inside[1:-1].strip()
    pairs = list(_parsed(inside))
    if ("", "") not in pairs:
        return pairs
    if (
        inside[:1] in _QUOTES
        or _ASSIGNED.search(inside)
        or any(is_reason(found["key"]) for found in _GIVEN.finditer(inside))
    ):
        return None
    return [("", inside)]


def _parsed(inside: str) -> Iterator[Pair]:
    """Yield the arguments of a call one after the other; a pair of nothing, and no more, where one cannot be read."""
    at = 0
    while at < len(inside):
        named = _name(inside, at)
        text, at = _value(inside, named.end() if named else at)
        if not text:
            yield "", ""
            return
        yield named["key"] if named else "", text
        comma = _COMMA.match(inside, at)
        at = comma.end() if comma else len(inside)


def _value(inside: str, start: int) -> tuple[str, int]:
    """Return the text of an argument and where it ends; no text where another argument may be in it."""
    closing = _QUOTES.get(inside[start : start + 1])
    if closing:
        end = closing.search(inside, start + 1)
        text = inside[start + 1 : end.start()] if end else ""
        return "" if _ASSIGNED.search(text) else re.sub(r"\\([\"'])", r"\1", text), end.end() if end else start
    after = _bare_end(inside, start)
    text = inside[start:after].strip()
    return "" if _UNSURE.search(text) or _gives_reason(text) else text, after


def _gives_reason(text: str) -> bool:
    return any(is_reason(found["key"]) for found in _GIVEN.finditer(text))


def _name(inside: str, at: int) -> re.Match[str] | None:
    """Return the name that an argument begins with; before a colon and bare words only a reason is one."""
    found = _NAMED.match(inside, at)
    return found if found and (found["sure"] or is_reason(found["key"])) else None


def _bare_end(inside: str, start: int) -> int:
    """Return where bare words end: at the comma before another argument, not at one of their own."""
    for comma in _COMMA.finditer(inside, start):
        if inside[comma.end() : comma.end() + 1] in _QUOTES or _name(inside, comma.end()):
            return comma.start()
    return len(inside)
