"""Text for a terminal, broken between words."""

from __future__ import annotations

import shutil
import textwrap

WIDEST = 100
"""Columns of a line at most; longer ones are hard to read."""


def show_wrapped(text: str) -> None:
    """Print a text at once, its lines broken between words at the terminal's width."""
    width = min(WIDEST, shutil.get_terminal_size().columns)
    for line in text.split("\n"):
        print(textwrap.fill(line, width, drop_whitespace=True, break_on_hyphens=False) if line.strip() else "")
