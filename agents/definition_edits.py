r"""Changes one key or one section in the text of an `agent.md`, and leaves the rest as it is.

No I/O. Section content may be any text: lines that would begin a section, or a code block that hides what follows, are
escaped with `\` as in markdown, and read without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mud.errors import Problem, VaultProblem
from mud.storage.documents import Document, body_of, markdown_lines, parse_document

_HEADING = re.compile(r"^ {0,3}##[ \t]+(\S.*)$")
_MARKS = r"#{1,2}[ \t]|`{3,}|~{3,}"
_LOOSE = re.compile(rf"(?m)^( {{0,3}}\\*)(?={_MARKS})")
_KEPT = re.compile(rf"(?m)^( {{0,3}}\\*)\\(?={_MARKS})")


def kept_from_marking(text: str) -> str:
    r"""Escape with `\` the lines that would begin a section or a code block."""
    return _LOOSE.sub(lambda found: found[1] + "\\", text)


def as_meant(section: str) -> str:
    r"""Undo `kept_from_marking`; a `\` before other text stays."""
    return _KEPT.sub(lambda found: found[1], section)


class _Section(NamedTuple):
    """The offsets of one section: heading, content, end. `ends_line`: whether the heading's line has an end."""

    heading: str
    start: int
    content: int
    end: int
    ends_line: bool


def replace_section(text: str, heading: str, content: str, file: str = "") -> str:
    """Return a file's text with the content of one section replaced or, if missing, added at the end.

    Of several sections with this heading, which are read as one, the first stays. `file` names the file in problems.

    Raises:
        VaultProblem: when the file cannot be parsed, or an unclosed code block hides the section.
    """
    before = parse_document(text, file)
    newline = "\r\n" if "\r\n" in text else "\n"
    told = kept_from_marking(content.strip().replace("\r\n", "\n")).replace("\n", newline)
    found = _meant(text, len(text) - len(body_of(text)), heading)
    after = text
    for one in reversed(found[1:]):
        after = after[: one.start] + after[one.end :]
    if found:
        at = found[0].content
        after = after[:at] + _filled(after[at:], found[0], told, newline)
    else:
        after = f"{text.rstrip()}{newline}{newline}## {heading}{newline}{told}{newline}"
    _hold(before, parse_document(after, file), heading, told, file)
    return after


def _filled(text: str, section: _Section, told: str, newline: str) -> str:
    """Replace the content at the start of a text by `told`."""
    room = section.end - section.content
    old = text[:room].strip()
    if old:
        at = text.index(old)
        return text[:at] + told + text[at + len(old) :]
    rest = text[room:]
    begin = "" if section.ends_line else newline
    return f"{begin}{told}{newline}{newline if rest else ''}{rest}"


def _meant(text: str, body: int, heading: str) -> list[_Section]:
    """Return the sections that are read as one under this heading."""
    found = list(_sections(text, body))
    first = next((one.heading for one in found if one.heading.casefold() == heading.casefold()), None)
    return [one for one in found if one.heading == first]


def _sections(text: str, body: int) -> Iterator[_Section]:
    heads: list[tuple[str, int, int]] = []
    for line in markdown_lines(text[body:]):
        mark = None if line.fenced else _HEADING.match(line.text.rstrip(" \t\r"))
        if mark:
            start = body + line.start
            heads.append((mark[1], start, (text.find("\n", start) + 1) or len(text)))
    for at, (name, start, content) in enumerate(heads):
        end = heads[at + 1][1] if at + 1 < len(heads) else len(text)
        yield _Section(name, start, content, end, text[content - 1] == "\n")


def _hold(before: Document, after: Document, heading: str, told: str, file: str) -> None:
    """Raise VaultProblem if anything but this section changed."""

    def others(one: Document) -> list[tuple[str, str]]:
        return [(name, text) for name, text in one.sections.items() if name.casefold() != heading.casefold()]

    same = (before.front, before.title, before.intro, others(before))
    if same != (after.front, after.title, after.intro, others(after)) or after.section(heading) != told.replace(
        "\r\n", "\n"
    ):
        problem = f"the section ## {heading} cannot be found in it; expected every block of code to be closed"
        raise VaultProblem([Problem(file, 0, heading, problem)])
