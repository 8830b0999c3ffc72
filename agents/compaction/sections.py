"""The form of a summary in sections: six headings in order, each with lines of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.compaction.prompt_styles import HEADINGS

_HEADING = re.compile(
    rf"^[ \t]*(?:#+[ \t]*|\d[.)][ \t]*)?(?:\*\*)?({'|'.join(HEADINGS)})(?:\*\*)?[ \t]*:?(?:\*\*)?[ \t]*(.*)$",
    re.IGNORECASE,
)
_MARK = re.compile(r"^[ \t]*(?:[-*•+]|\d+[.)])[ \t]+")
ARCHIVE = re.compile(r"^memories (\d+)-(\d+): @archive \1-\2$")
"""The reference of a summary to the memories that it stands for."""
_NOTHING = re.compile(r"^\W*(?:none|nothing|n/?a|unknown)?\W*$", re.IGNORECASE)


def sections_of(text: str) -> list[tuple[str, list[str]]]:
    """Return the headings of a text as it has them, each with the lines below, without their marks.

    What stands before the first heading has the heading "".
    """
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading:
            found.append((heading[1], []))
            line = heading[2]
        if bare := _MARK.sub("", line).strip():
            found[-1][1].append(bare)
    return found if found[0][1] else found[1:]


def wrong_sections(text: str) -> list[str]:
    """Return what is wrong with the headings of a text."""
    found = sections_of(text)
    wanted = [heading.casefold() for heading in HEADINGS]
    if [heading.casefold() for heading, _ in found] != wanted:
        return ["it has not the six headings in their order"]
    if all(_NOTHING.match(line) for _, lines in found for line in lines):
        return ["it is empty"]
    return []


def body_of(text: str) -> str:
    """Return what a text in sections says, without headings, marks and where to look further, a line each."""
    return "\n".join(line for line in _said(text))


def _said(text: str) -> Iterator[str]:
    for _, lines in sections_of(text):
        yield from (line for line in lines if not (_NOTHING.match(line) or ARCHIVE.match(line)))


def tidy_sections(text: str) -> str:
    """Return a text in sections in its one written form: `Heading:`, then a line for each thing said."""
    written = []
    for heading, lines in sections_of(text):
        name = next((one for one in HEADINGS if one.casefold() == heading.casefold()), heading)
        written += [f"{name}:"] if name else []
        written += [f"- {line}" for line in lines]
    return "\n".join(written)
