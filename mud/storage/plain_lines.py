"""Front matter in its plain form, read line by line in a fiftieth of the time that YAML takes. Pure.

Nearly every file that people and this program write has this form: `key: value`, keys indented by two spaces below a
key, texts in double quotes or of letters that mean nothing in YAML, and lists and mappings in brackets. Whatever goes
beyond it is left to YAML, so both readings are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mud.sanitize import sanitize

_LONGEST_KEY = 60  # characters; YAML takes a thousand
_LETTER = r'[^"\\\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]'
_QUOTED = f'"{_LETTER}*"'
_NAME = r"[A-Za-z](?:[\w /()-]{0,58}[\w/()-])?"
_KEY = rf'(?P<key>{_NAME}|"{_LETTER}{{0,{_LONGEST_KEY}}}")'
_NUMBER = r"(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,9})?"
_LINE = re.compile(
    rf"(?P<inner>  )?{_KEY}:"
    rf"(?: (?:(?P<quoted>{_QUOTED})|(?P<number>{_NUMBER})|(?P<plain>[A-Za-z](?:[\w ,.'/();!?-]*[\w,.'/();!?-])?)"
    r"|(?P<flow>[\[{].*[\]}])))?",
    re.A,
)
_TOKEN = re.compile(rf"({_QUOTED})|({_NUMBER})(?=[,\]}}])|({_NAME})(?=[:,\]}}])|(, |: |[\[\]{{}}])", re.A)
_MEANS = {"true": True, "false": False, "null": None}
_DEEPEST = 12
"""Brackets within each other; YAML counts what is around them too."""


class PlainFront(NamedTuple):
    """What `parse_front` knows of a front matter without problems."""

    values: dict[str, object]
    lines: dict[str, int]
    spans: dict[str, tuple[int, int]]


class _NotPlain(Exception):
    """The text goes beyond the plain form."""


def read_plain(text: str, start: int, end: int, first: int = 2) -> PlainFront | None:
    """Read the front matter between two offsets; None unless it has the plain form. `first`: number of its first line.

    It is as `yaml` reads it: values, the line of each key, and the span of each top-level value.
    """
    source = text[start:end]
    if sanitize(source) != source:
        return None
    try:
        return _read(source, start, first)
    except _NotPlain:
        return None


def _read(source: str, offset: int, first: int) -> PlainFront:
    front = PlainFront({}, {}, {})
    outer, inner = "", dict[str, object]()
    for number, line in enumerate(source.removesuffix("\n").split("\n"), first):
        if (found := _LINE.fullmatch(line)) is None:
            raise _NotPlain
        key, colon, ending = _unquoted(found["key"]), offset + found.end("key") + 1, offset + len(line)
        value = _value(found)
        if found["inner"]:
            if not outer or value is inner:
                raise _NotPlain
            _put(inner, key, value)
            front.spans[outer] = front.spans[outer][0], ending
        else:
            _check_filled(outer, inner)
            outer, inner = (key, {}) if found.lastgroup == "key" else ("", {})
            value = inner if outer else value
            _put(front.values, key, value)
            front.spans[key] = colon, ending
        name = f"{outer}.{key}" if found["inner"] else key
        for one in (name, *(_names_in(value, name) if found["flow"] else ())):
            _put(front.lines, one, number)
        offset += len(line) + 1
    _check_filled(outer, inner)
    return front


def _check_filled(outer: str, inner: dict[str, object]) -> None:
    if outer and not inner:  # a key without a value
        raise _NotPlain


def _put(found: dict[str, object] | dict[str, int], key: str, value: object) -> None:
    if key in found:
        raise _NotPlain
    found[key] = value  # type: ignore[assignment]


def _value(found: re.Match[str]) -> object:
    """Return the value of a line; a key without one is left out here."""
    kind = found.lastgroup
    raw = found[kind] if kind else ""
    match kind:
        case "quoted":
            return raw[1:-1]
        case "number":
            return float(raw) if "." in raw else int(raw)
        case "plain":
            return _word(raw)
        case "flow":
            return _flow(raw)
    if found["inner"]:
        raise _NotPlain
    return None


def _word(raw: str) -> object:
    known = raw.lower()
    if known not in _MEANS:
        return raw
    if raw not in (known, known.capitalize(), known.upper()):
        raise _NotPlain
    return _MEANS[known]


def _unquoted(raw: str) -> str:
    return raw[1:-1] if raw.startswith('"') else raw


def _flow(raw: str) -> object:
    tokens = _tokens(raw)
    value = _collection(next(tokens), tokens, 1)
    if next(tokens, None) is not None:
        raise _NotPlain
    return value


def _tokens(raw: str) -> Iterator[re.Match[str]]:
    at = 0
    while at < len(raw):
        if (found := _TOKEN.match(raw, at)) is None:
            raise _NotPlain
        yield found
        at = found.end()


def _collection(token: re.Match[str], tokens: Iterator[re.Match[str]], depth: int) -> object:
    """Return the value that begins with a token."""
    if token[4] is None:
        return _unquoted(token[1]) if token[1] else _number(token[2]) if token[2] else _word(token[3])
    closing = {"[": "]", "{": "}"}.get(token[4])
    if closing is None or depth > _DEEPEST:
        raise _NotPlain
    items, pairs = list[object](), dict[str, object]()
    token = _next(tokens)
    if closing == "]" and token[4] == "[":  # it may be a link without quotes
        raise _NotPlain
    while token[4] != closing:
        if items or pairs:
            if token[4] != ", ":
                raise _NotPlain
            token = _next(tokens)
        if closing == "]":
            items.append(_collection(token, tokens, depth + 1))
        else:
            key = _unquoted(token[1] or token[3] or "")
            if token[4] or token[2] or len(key) > _LONGEST_KEY or _next(tokens)[4] != ": ":
                raise _NotPlain
            _put(pairs, key, _collection(_next(tokens), tokens, depth + 1))
        token = _next(tokens)
    return items if closing == "]" else pairs


def _next(tokens: Iterator[re.Match[str]]) -> re.Match[str]:
    token = next(tokens, None)
    if token is None:
        raise _NotPlain
    return token


def _number(raw: str) -> int | float:
    return float(raw) if "." in raw else int(raw)


def _names_in(value: object, outer: str) -> Iterator[str]:
    """Yield the names of the keys in a value, as YAML's reader gives lines to them."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield f"{outer}.{key}"
            yield from _names_in(one, f"{outer}.{key}")
    elif isinstance(value, list):
        for one in value:
            yield from _names_in(one, outer)
