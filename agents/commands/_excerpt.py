"""A long text on one line: shortened between two words, and of a note the part that fits a question. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agents.memory.note_form import NoteSection
from agents.recall.question import content_words, words_of


def excerpt(text: str, most: int) -> str:
    """Return a text on one line, of at most `most` characters and three dots where it was cut, between two words.

    A word that is longer than half of that is cut in two.
    """
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    space = line.rfind(" ", most // 2, most + 1)
    return f"{line[: space if space > 0 else most].rstrip(' ,;:-')}..."


def fitting(sections: Sequence[NoteSection], query: str) -> NoteSection | None:
    """Return the part of a note that has most of a question's words, the upper of several, which is the newer.

    What the vectors found may have none of the words: then the first part that says anything. None when no part does.
    """
    wanted = set(content_words(query))
    told = (one for one in sections if one.text)
    return max(told, key=lambda one: len(wanted & set(words_of(one.text))), default=None)
