r"""Change one key or one section in the text of an `agent.md`, and leave everything else in it as it is.

Pure: text in, text out. What is put into a section may be any words: a line that would begin another section, or a
block of code that hides those that follow, is written with a `\` before it, as markdown does, and read without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mud.errors import Problem, VaultProblem
from mud.storage.documents import Document, examine_document, markdown_lines, parse_document

_HEADING = re.compile(r"^ {0,3}##[ \t]+(\S.*)$")
_MARKS = r"#{1,2}[ \t]|`{3,}|~{3,}"
_LOOSE = re.compile(rf"(?m)^( {{0,3}}\\*)(?={_MARKS})")
_KEPT = re.compile(rf"(?m)^( {{0,3}}\\*)\\(?={_MARKS})")


def kept_from_marking(text: str) -> str:
    r"""Return a text of which no line begins a section or a block of code: such a line gets a `\` before its marks."""
    return _LOOSE.sub(lambda found: found[1] + "\\", text)


def as_meant(section: str) -> str:
    r"""Return what `kept_from_marking` made a section of; a `\` that stands before no marks stays."""
    return _KEPT.sub(lambda found: found[1], section)


@dataclass(frozen=True, slots=True)
class _Section:
    """One section: its heading, and the offsets of its heading, its content and its end."""

    heading: str
    start: int
    content: int
    end: int


def replace_section(text: str, heading: str, content: str, file: str = "") -> str:
    """Return a file's text with one section's content set, and everything else as it was.

    Of several sections with this heading, which are read as one, the first stays. One that is missing is added at the
    end.

    Args:
        text: the whole file.
        heading: of the section, in any case.
        content: any words; spaces and empty lines around them are left out.
        file: what problems call the file.

    Raises:
        VaultProblem: when the file cannot be understood, or a block of code in it that is never closed hides where the
            section would be.
    """
    before = parse_document(text, file)
    newline = "\r\n" if "\r\n" in text else "\n"
    told = newline.join(kept_from_marking(content.strip()).splitlines())
    body = len(text) - len(before.body)
    first, *rest = _meant(text, body, heading) or [None]
    if first is None:
        whole = text.rstrip("\r\n ")
        after = f"{whole}{newline}{newline}## {heading}{newline}{told}{newline}"
    else:
        after = text
        for one in reversed(rest):
            if one is not None:
                after = after[: one.start] + after[one.end :]
        gap = newline if after[first.end : first.end + 1] else ""
        begin = "" if after[: first.content].endswith("\n") else newline
        end = first.end if not rest else min(first.end, len(after))
        after = f"{after[: first.content]}{begin}{told}{newline if told else ''}{gap}{after[end:]}"
    _hold(before, parse_document(after, file), heading, told, file)
    return after


def _meant(text: str, body: int, heading: str) -> list[_Section]:
    """Return the sections that are read as the one with this heading."""
    found = list(_sections(text, body))
    first = next((one.heading for one in found if one.heading.casefold() == heading.casefold()), None)
    return [one for one in found if one.heading == first]


def _sections(text: str, body: int) -> Iterator[_Section]:
    """Yield the sections of a file whose body begins at an offset."""
    heads: list[tuple[str, int, int]] = []
    for line in markdown_lines(text[body:]):
        mark = None if line.fenced else _HEADING.match(line.text.rstrip(" \t\r"))
        if mark:
            start = body + line.start
            heads.append((mark[1], start, (text.find("\n", start) + 1) or len(text)))
    for at, (name, start, content) in enumerate(heads):
        yield _Section(name, start, content, heads[at + 1][1] if at + 1 < len(heads) else len(text))


def _hold(before: Document, after: Document, heading: str, told: str, file: str) -> None:
    """Make sure that nothing but the one section reads otherwise than before."""

    def others(one: Document) -> list[tuple[str, str]]:
        return [(name, text) for name, text in one.sections.items() if name.casefold() != heading.casefold()]

    same = (before.front, before.title, before.intro, others(before))
    if same != (after.front, after.title, after.intro, others(after)) or after.section(heading) != told:
        problem = f"the section ## {heading} cannot be found in it; expected every block of code to be closed"
        raise VaultProblem([Problem(file, 0, heading, problem)])


def section_of(text: str, heading: str) -> str:
    """Return what a section of a file says, as it was meant; empty when there is none."""
    return as_meant((examine_document(text, "")[0].section(heading) or "").strip())
