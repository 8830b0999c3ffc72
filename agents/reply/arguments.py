"""The parts of a command in a model's reply: arguments of calls and JSON objects, and private reasons.

Models name arguments freely and in any order. Text that is incomplete or names no verb holds no command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

# ---- private reasons ----

_REASONS = tuple(
    f"{whose}{word}"
    for whose in ("", "private")
    for word in ("reason", "reasoning", "why", "rationale", "because", "explanation")
)
_PARTS = (
    *("reason", "rationale", "why", "because", "explanation", "thought", "thinking"),
    *("motiv", "intention", "purpose", "justification"),
)
_AROUND = ' *_`(["'  # characters around the word that begins a reason
_LOOSE = re.compile(r"[\s_]|(?<=\w)-")
"""Ignored in names: `private_reason`, `Private-Reason` and `privateReason` are the same."""

_WORD = r"[a-z]{3,12}"
_ASIDE = re.compile(
    rf"[(\[]\s?(?:(?:the|my|own|inner|hidden|secret|true|real)\s){{0,2}}({_WORD}(?:[ _-]{_WORD})?)\s?[:=]", re.I
)
_BRACKETS = re.compile(r"[()\[\]]")
_TAIL = ' .!…*_"”'  # characters after a bracket at the end of a speech
_SENTENCE = re.compile(
    rf"(?:[.!?…][\"”'’)*]{{0,3}}|[\"”])\s[*_]{{0,3}}(?:My\s)?"
    rf"(Reason|Reasoning|Rationale|[Pp]rivate[ _-]{_WORD})[*_]{{0,3}}:"
)
"""A reason as its own sentence. Inside a sentence, or without a capital, it is talk about reasons."""


def _normalized(key: str) -> str:
    return _LOOSE.sub("", key).casefold()


def is_reason(head: str) -> bool:
    return _normalized(head.strip(_AROUND)) in _REASONS


def may_become_reason(head: str) -> bool:
    """Return whether the beginning of a line may grow into the name of a private reason."""
    bare = _normalized(head.strip(_AROUND))
    return any(reason.startswith(bare) for reason in _REASONS)


def _holds_reason(key: str) -> bool:
    return any(part in _normalized(key) for part in _PARTS)


def split_reason(words: str) -> tuple[str, str]:
    """Split the words after a verb of speech into what is said and the private reason at the end, or ""."""
    at = 0
    while found := _ASIDE.search(words, at):
        at = found.end()
        if not _is_private(found[1]):
            continue
        closing = _closing(words, at)
        end = closing.end() if closing else len(words)
        if not words[end:].strip(_TAIL):
            reason = words[at : closing.start()] if closing else words[at:].rstrip(_TAIL)
            return _closed(words[: found.start()], words), reason.strip()
        at = end
    for found in _SENTENCE.finditer(words):
        if _is_private(found[1]):
            said = words[: found.start(1)].removesuffix("My ").rstrip(" *_")
            return _closed(said, words), words[found.end() :].strip(' *_"”')
    return words, ""


def _is_private(head: str) -> bool:
    return is_reason(head) or (_normalized(head).startswith("private") and _holds_reason(head))


def _closing(words: str, at: int) -> re.Match[str] | None:
    depth = 1
    for sign in _BRACKETS.finditer(words, at):
        depth += 1 if sign[0] in "([" else -1
        if not depth:
            return sign
    return None


def _closed(said: str, words: str) -> str:
    said = said.rstrip(" *_")
    for opening, closing in ('""', "“”"):
        if said.startswith(opening) and closing not in said[1:] and closing in words[len(said) :]:
            return said + closing
    return said


# ---- arguments ----

WORD_KEYS = (
    *("args", "arguments", "words", "text", "message", "content", "input", "parameters", "value"),
    *("speech", "utterance", "body"),
)
"""Normalized argument names of what is said or done, the surest first."""
WHOM_KEYS = (
    *("target", "to", "recipient", "listener", "object", "exit", "direction"),
    *("whom", "person", "who"),
)
TITLE_KEYS = ("title", "subject", "topic", "heading")

_SPEECH = ("say", "emote", "me", "whisper", "tell")
_TO_SOMEBODY = ("whisper", "tell")  # verbs with the recipient's name before the words
TITLED = ("note", "@overwrite-note")

_KEY = r"(?P<mark>[\"']?)(?P<key>[A-Za-z_][\w-]{0,29}(?:\s[\w-]{1,29}){0,2})(?P=mark)\s?"
_NAMED = re.compile(rf"{_KEY}(?:(?P<sure>=(?!=)|:(?=\s?[\"'“]))|:)\s?")
_COMMA = re.compile(r",\s?")
_QUOTES = {
    opening: re.compile(rf"(?<!\\){closing}\s?(?=,|$)") for opening, closing in (('"', '"'), ("'", "'"), ("“", "”"))
}
_ASSIGNED = re.compile(r"\w[\"']?\s?=\s?[\"'“]|[\"'”]\s[\w ]{1,39}:\s?[\"'“]")
_UNSURE = re.compile(r"[\"“”]|=\s?'")  # not in a bare argument: something was misread
_GIVEN = re.compile(r"(?P<key>[A-Za-z][\w-]{0,29})[\"']?\s?[=:]")

Pair = tuple[str, str]


def command_line(verb: str, pairs: Sequence[Pair]) -> str:
    """Return a command line from a verb and its arguments, the private reason after a bar."""
    pairs = [(_normalized(key), " ".join(text.split())) for key, text in pairs if text.strip()]
    pairs = [*pairs[:1], *map(_labelled, pairs[1:])]
    told = [(key, text) for key, text in pairs if not _holds_reason(key)]
    reasons = [(not is_reason(key), text) for key, text in pairs if _holds_reason(key)]
    reason = min(reasons, key=itemgetter(0))[1] if reasons else ""
    if not told and verb.lower() == "think":
        told, reason = [("", reason)], ""
    line = f"{verb} {_words(verb.lower(), told)}".strip()
    return f"{line} | {reason}" if reason and "|" not in line else line


def _labelled(pair: Pair) -> Pair:
    head, _, text = pair[1].partition(":")
    return (_normalized(head), text.strip()) if not pair[0] and is_reason(head) else pair


def _words(verb: str, told: Sequence[Pair]) -> str:
    """Return the words of a command, the recipient first; unknown names count only where no known name has words."""
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
    line = " ".join(words)
    return line if len(words) < 2 or "->" in line else f"{words[0]} -> {' '.join(words[1:])}"


def _first(told: Sequence[Pair], keys: Sequence[str]) -> list[str]:
    return next(([text] for key in keys for name, text in told if name == key), [])


def arguments_of(inside: str) -> list[Pair] | None:
    """Return the arguments between the brackets of a call, such as `"Hello", reason="to greet"`, or bare words.

    None for what cannot be read without guessing.
    """
    if (inside[:1], inside[-1:]) in (("{", "}"), ("[", "]")):
        inside = inside[1:-1].strip()
    pairs = list(_parsed(inside))
    if ("", "") not in pairs:
        return pairs
    unread = inside[:1] in _QUOTES or _ASSIGNED.search(inside) or _gives_reason(inside)
    return None if unread else [("", inside)]


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
    """Return the text of an argument and its end; "" where the text may contain another argument."""
    if closing := _QUOTES.get(inside[start : start + 1]):
        end = closing.search(inside, start + 1)
        text = inside[start + 1 : end.start()] if end else ""
        return "" if _ASSIGNED.search(text) else re.sub(r"\\([\"'])", r"\1", text), end.end() if end else start
    after = _bare_end(inside, start)
    text = inside[start:after].strip()
    return "" if _UNSURE.search(text) or _gives_reason(text) else text, after


def _gives_reason(text: str) -> bool:
    return any(is_reason(found["key"]) for found in _GIVEN.finditer(text))


def _name(inside: str, at: int) -> re.Match[str] | None:
    """Return the match of an argument's name; a name before a colon and bare words must be a reason's."""
    found = _NAMED.match(inside, at)
    return found if found and (found["sure"] or is_reason(found["key"])) else None


def _bare_end(inside: str, start: int) -> int:
    for comma in _COMMA.finditer(inside, start):
        if inside[comma.end() : comma.end() + 1] in _QUOTES or _name(inside, comma.end()):
            return comma.start()
    return len(inside)


# ---- objects ----

TRIES, DEPTH = 8, 4
"""Braces at which an object is tried, and the depth to which nested objects are searched."""
_VERB_KEYS = ("command", "action", "cmd", "verb", "name", "function", "type", "tool", "toolname")


def command_in(text: str, is_verb: Callable[[str], bool], tries: int = TRIES) -> str | None:
    """Return the command in the first valid JSON object of a text, or None; at most `tries` braces are tried."""
    for found in list(re.finditer(r"\{", text))[:tries]:
        try:
            told, _ = json.JSONDecoder(strict=False).raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        return next((line for one in _objects(told, DEPTH) if (line := _command(one, is_verb))), None)
    return None


def _command(told: Mapping[str, Any], is_verb: Callable[[str], bool]) -> str | None:
    keyed = {_normalized(key): value for key, value in list(told.items())[::-1]}
    reasons = [(key, value) for key, value in told.items() if is_reason(key) and isinstance(value, str)]
    verb = next((keyed[key] for key in _VERB_KEYS if isinstance(keyed.get(key), str)), "")
    if is_verb(verb):
        return command_line(verb, [*reasons, *_known(keyed, verb.lower() in TITLED)])
    verb = next((key for key, value in told.items() if is_verb(key) and isinstance(value, str)), "")
    return command_line(verb, [*reasons, ("", told[verb])]) if verb else None


def _known(keyed: Mapping[str, Any], titled: bool) -> Iterator[Pair]:
    """Yield recipient, title and words of an object; of the names for words only the first with a text is read."""
    for key in (*WHOM_KEYS, *(TITLE_KEYS if titled else ())):
        if isinstance(keyed.get(key), str):
            yield key, keyed[key]
    for key in WORD_KEYS:
        pairs = [(name, text) for name, text in _texts(key, keyed.get(key), DEPTH) if text.strip()]
        yield from pairs
        if not all(_holds_reason(name) for name, _ in pairs):
            return


def _texts(key: str, value: Any, depth: int) -> Iterator[Pair]:
    """Yield the texts of an argument: itself, the items of a list, or the values of an object with their names."""
    if isinstance(value, str) and value.lstrip().startswith("{"):  # JSON inside a string
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
            # a list under another name keeps that name, since it may be a reason
            yield from found if _normalized(name) in WORD_KEYS else [(name, " ".join(text for _, text in found))]


def _objects(found: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    if isinstance(found, dict):
        yield found
    inside = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    for inner in inside if depth else ():
        yield from _objects(inner, depth - 1)
