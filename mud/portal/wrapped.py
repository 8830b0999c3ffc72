"""Text for a terminal, broken between words."""

from __future__ import annotations

import os
import shutil
import textwrap

WIDEST = 100
"""Columns of a line at most; longer ones are hard to read."""


def draws() -> bool:
    """Return whether the terminal knows the codes that draw a line to edit; one that is dumb shows them as letters."""
    return os.environ.get("TERM", "") not in ("dumb", "unknown")


def show_wrapped(text: str) -> None:
    """Print a text at once, its lines broken between words at the terminal's width."""
    width = min(WIDEST, shutil.get_terminal_size().columns)
    for line in text.split("\n"):
        print(textwrap.fill(line, width, drop_whitespace=True, break_on_hyphens=False) if line.strip() else "")
