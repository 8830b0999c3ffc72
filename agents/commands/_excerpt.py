"""Shortened texts on one line, and the section of a note that fits a query best. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agents.memory.note_form import NoteSection
from agents.recall.question import content_words, words_of


def excerpt(text: str, most: int) -> str:
    """Return a text on one line of at most `most` characters, cut between words where possible and marked with dots."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    space = line.rfind(" ", most // 2, most + 1)
    return f"{line[: space if space > 0 else most].rstrip(' ,;:-')}..."


def fitting(sections: Sequence[NoteSection], query: str) -> NoteSection | None:
    """Return the first section with most words of a query, which may be none; None when all are empty."""
    wanted = set(content_words(query))
    told = (one for one in sections if one.text)
    return max(told, key=lambda one: len(wanted & set(words_of(one.text))), default=None)
