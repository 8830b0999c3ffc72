"""Messages for terminals: wrapped between words, their marks in colour, as bytes. Pure."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from mud.portal.session import Message

NARROWEST, WIDEST = 20, 100
"""Columns that a text is wrapped at; longer lines are hard to read."""

_RESET = "\x1b[0m"
_MARKS = {
    16: {"place": "1;32", "person": "36", "item": "33", "exit": "32", "speech": "1"},
    256: {"place": "1;38;5;150", "person": "38;5;117", "item": "38;5;179", "exit": "38;5;108", "speech": "38;5;230"},
}
"""By how many colours a terminal has."""
_KINDS = {
    16: {
        "refusal": "31", "notice": "35", "news": "35", "whisper": "35", "channel": "35", "departure": "2",
        "arrival": "2",
    },
    256: {
        "refusal": "38;5;174", "notice": "38;5;139", "news": "38;5;139", "whisper": "38;5;182", "channel": "38;5;182",
        "departure": "38;5;246", "arrival": "38;5;246",
    },
}  # fmt: skip
"""For what is not marked in messages of a kind."""

_IN_ASCII = str.maketrans("─│╲╱┐┘┌└┼…", "-|\\/+++++~")
"""What maps are drawn with, for terminals that lack it."""


class TerminalStyle(NamedTuple):
    """How messages are drawn for a terminal.

    Args:
        colours: 0, 16 or 256.
        columns: where lines are wrapped, as `fitting` returns it; None to leave that to the terminal.
        encoding: `utf-8` or `ascii`.
    """

    colours: int = 0
    columns: int | None = None
    encoding: str = "utf-8"


def fitting(columns: int) -> int:
    """Return where lines are wrapped on a terminal with so many columns."""
    return max(NARROWEST, min(WIDEST, columns))


def draw(message: Message, style: TerminalStyle) -> bytes:
    """Return a message, each line ended by CR LF; the same style draws it once only."""
    drawn = message.drawn.get(style)
    if drawn is None:
        text = message.text if style.columns is None else wrap(message.text, style.columns)
        if style.colours:
            text = _coloured(text, message, style.colours)
        if style.encoding == "ascii":
            text = text.translate(_IN_ASCII)
        drawn = message.drawn[style] = f"{text}\n".replace("\n", "\r\n").encode(style.encoding, "replace")
    return drawn


def wrap(text: str, columns: int) -> str:
    """Break lines at spaces, each of which becomes a newline, so that every other character stays where it is."""
    return "\n".join(line if len(line) * 2 <= columns else _wrapped(line, columns) for line in text.split("\n"))


def _wrapped(line: str, columns: int) -> str:
    words = line.split(" ")
    parts, used = [words[0]], columns_of(words[0])
    for word in words[1:]:
        size = columns_of(word)
        breaks = used + 1 + size > columns
        parts += ["\n" if breaks else " ", word]
        used = size if breaks else used + 1 + size
    return "".join(parts)


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for a wide letter, none for a mark on another."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.category(letter) in ("Mn", "Me", "Cf") for letter in text)


def _coloured(text: str, message: Message, colours: int) -> str:
    marks, own = _MARKS[colours], _KINDS[colours].get(message.kind, "")
    begin = f"\x1b[{own}m" if own else ""
    parts, end = [begin], 0
    for mark in message.marks:
        parts += [text[end : mark.start], f"\x1b[{marks[mark.kind]}m", text[mark.start : mark.end], _RESET, begin]
        end = mark.end
    parts.append(text[end:])
    return "".join(parts) + (_RESET if begin else "")
