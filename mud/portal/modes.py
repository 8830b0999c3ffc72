"""How the person who started the program is served: by a full screen, line by line at a prompt, or as a pipe."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from enum import Enum, auto

SMALLEST = (60, 16)
"""Columns and rows that a full screen needs."""
ASKING_FOR_LINES = ("LOCI_PLAIN", "ACCESSIBLE", "NO_COLOR")
"""Variables of the environment that ask for the line mode when they are not empty; set for screen readers, say."""


class Mode(Enum):
    PIPE = auto()
    LINES = auto()
    SCREEN = auto()


def mode_of(plain: bool | None, environment: Mapping[str, str] = os.environ) -> Mode:
    """Return how the standard streams are used.

    Args:
        plain: whether a terminal is used line by line; None to decide by what it and its user can do.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or environment.get("TERM", "") in ("dumb", "unknown"):
        return Mode.PIPE
    if plain is None:
        size = shutil.get_terminal_size()
        small = size.columns < SMALLEST[0] or size.lines < SMALLEST[1]
        plain = small or any(environment.get(name) for name in ASKING_FOR_LINES)
    return Mode.LINES if plain or not _draws() else Mode.SCREEN


def _draws() -> bool:
    """Return whether the stream that a full screen is drawn on is a terminal which takes its characters."""
    stream = sys.__stderr__
    return stream is not None and stream.isatty() and stream.encoding.lower().replace("-", "") == "utf8"
