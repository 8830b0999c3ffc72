"""Intents as data: the notation of patterns, and the files that hold them."""

from __future__ import annotations

from typing import NamedTuple

from mud.errors import Problem


class Intent(NamedTuple):
    """One thing that somebody may want by a sentence."""

    name: str
    wants: str
    asks: str
    texts: tuple[str, ...]
    patterns: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()


def parse_intent(source: str, file: str) -> tuple[Intent | None, list[Problem]]:
    """Read one file of an intent; return it, None when it is of no use, and what is wrong."""
    return None, []


def parse_words(source: str) -> dict[str, list[str]]:
    """Read one file of word lists: a section `## name`, its items as a list; an indented line continues an item."""
    found: dict[str, list[str]] = {}
    section: list[str] = []
    for line in source.splitlines():
        if line.startswith("## "):
            section = found.setdefault(line[3:].strip().lower(), [])
        elif line.startswith("- "):
            section.append(line[2:].strip())
        elif line.startswith("  ") and line.strip() and section:
            section[-1] += f" {line.strip()}"
    return found
