"""Text for a terminal, wrapped between words."""

from __future__ import annotations

import os
import shutil
import textwrap

WIDEST = 100
"""Most columns of a line; longer ones are hard to read."""


def draws() -> bool:
    """Return whether the terminal understands the codes for line editing; a dumb one prints them."""
    return os.environ.get("TERM", "") not in ("dumb", "unknown")


def show_wrapped(text: str) -> None:
    """Print a text at once, wrapped between words at the terminal's width."""
    width = min(WIDEST, shutil.get_terminal_size().columns)
    for line in text.split("\n"):
        print(textwrap.fill(line, width, drop_whitespace=True, break_on_hyphens=False) if line.strip() else "")
