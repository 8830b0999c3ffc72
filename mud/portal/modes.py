"""How the person who started the program is served: by a full screen, line by line at a prompt, or as a pipe."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import Enum, auto
from typing import NamedTuple, TextIO

SMALLEST = (60, 16)
"""Columns and rows that a full screen needs."""
FOR_SCREEN_READERS = ("LOCI_PLAIN", "ACCESSIBLE")
ASKING_FOR_LINES = (*FOR_SCREEN_READERS, "NO_COLOR")
"""Variables of the environment that ask for the line mode when they are not empty; set for screen readers, say."""


class Mode(Enum):
    PIPE = auto()
    LINES = auto()
    SCREEN = auto()


class Streams(NamedTuple):
    """The standard streams; a full screen is drawn on `stderr`."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO | None


def mode_of(plain: bool | None, streams: Streams, environment: Mapping[str, str]) -> Mode:
    """Return how the person at the standard streams is served.

    Args:
        plain: whether a terminal is used line by line; None to decide by what it and its user can do.
    """
    is_terminal = streams.stdin.isatty() and streams.stdout.isatty()
    if not is_terminal or environment.get("TERM", "") in ("dumb", "unknown"):
        return Mode.PIPE
    if plain is None:
        size = os.get_terminal_size(streams.stdout.fileno())
        small = size.columns < SMALLEST[0] or size.lines < SMALLEST[1]
        plain = small or any(environment.get(name) for name in ASKING_FOR_LINES)
    return Mode.LINES if plain or not _draws(streams.stderr) else Mode.SCREEN


def _draws(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that takes the characters of a full screen."""
    return stream is not None and stream.isatty() and stream.encoding.lower().replace("-", "") == "utf8"
