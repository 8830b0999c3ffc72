"""Markdown files with front matter, parsed into values and rendered. Pure.

All problems are reported at once, with line numbers. A file that people own is only changed one key at a time, with
every other byte kept; `render_document` is for files that the program alone writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mud.errors import Problem, VaultProblem
from mud.sanitize import sanitize
from mud.storage.front_matter import (
    LONGEST_FRONT,
    Front,
    parse_front,
    render_entry,
    render_value,
    salvage_front,
    split,
)

_HEADING = re.compile(r"^ {0,3}(#{1,2})[ \t]+(\S.*)$")
_MARKED = re.compile(r"^ {0,3}##?[ \t]+\S.*", re.M)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_LINK = re.compile(r"^\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]$")
_SECOND_FRONT = re.compile(r"(?:[A-Za-z_]+:.*\n(?:[ \t]+.*\n)*)+---[ \t\r]*$", re.M)
"""A front matter below an empty one, or without its opening line."""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed markdown file; all text is sanitized."""

    front: dict[str, object] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # line number of each key; nested keys are `outer.inner`
    body: str = ""  # everything after the front matter, with `\n` as line end; `body_of` returns it unchanged
    body_line: int = 1
    title: str | None = None  # the `# heading` before the first `## heading`, if any
    intro: str = ""  # the text before the first `## heading`, without the title, stripped
    sections: dict[str, str] = field(default_factory=dict)  # text under each `## heading`; equal ones are joined
    title_line: int = 1  # line number of the title; of the body without one
    title_hides: bool = False  # the title in the file holds invisible characters

    def section(self, heading: str) -> str | None:
        """Return the text under a `## heading`, ignoring case; None without one."""
        wanted = heading.casefold()
        return next((text for name, text in self.sections.items() if name.casefold() == wanted), None)

    def items(self, heading: str) -> tuple[tuple[str, int], ...]:
        """Return the items of the list under a `## heading`, ignoring case, each with the number of its line."""
        if self.section(heading) is None:
            return ()
        found: list[tuple[str, int]] = []
        under = ""
        for line in markdown_lines(self.body, self.body_line):
            if line.text.startswith("## ") and not line.fenced:
                under = line.text[3:].strip().casefold()
            elif under == heading.casefold() and line.text.startswith(("- ", "* ")) and not line.fenced:
                found.append((line.text[2:].strip(), line.number))
        return tuple(found)


class MarkdownLine(NamedTuple):
    """One line of markdown; `start` is its offset, `fenced` says that it is part of a code fence."""

    number: int
    start: int
    text: str
    fenced: bool


def markdown_lines(text: str, first: int = 1) -> Iterator[MarkdownLine]:
    """Yield the lines of a markdown text; `first` is the number of the first line.

    Only newlines end a line, as in editors; Unicode knows more line ends.
    """
    fence, start = "", 0
    for number, raw in enumerate(text.split("\n"), first):
        line = raw.removesuffix("\r")
        after = _fence_after(fence, line)
        yield MarkdownLine(number, start, line, bool(fence or after))
        fence, start = after, start + len(raw) + 1


def heading_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield offset and text of the lines that may be headings, outside of code. Fast for texts without code."""
    if _may_hold_code(text):
        for line in markdown_lines(text):
            if not line.fenced and _MARKED.match(line.text):
                yield line.start, line.text
    else:
        yield from ((found.start(), found[0].removesuffix("\r")) for found in _MARKED.finditer(text))


def _may_hold_code(text: str) -> bool:
    return "```" in text or "~~~" in text


def open_fence(text: str, first: int = 1) -> int | None:
    """Return the line number of a code fence that is never closed; None without one."""
    if not _may_hold_code(text):
        return None
    fence, begun = "", first
    for number, line in enumerate(text.split("\n"), first):
        after = _fence_after(fence, line.removesuffix("\r"))
        begun = number if after and not fence else begun
        fence = after
    return begun if fence else None


def _fence_after(fence: str, line: str) -> str:
    """Return the marks of the fence that is open after a line, or "", given those before it."""
    mark = _FENCE.match(line)
    if not mark:
        return fence
    if fence:
        return "" if mark[1].startswith(fence) and not mark[2].strip() else fence
    return "" if mark[1][0] == "`" and "`" in mark[2] else mark[1]


def parse_document(text: str, file: str, longest: int = LONGEST_FRONT) -> Document:
    """Parse a markdown file. Raises VaultProblem with every problem of the front matter; `file` is its name in them."""
    document, problems = examine_document(text, file, longest)
    if problems:
        raise VaultProblem(problems)
    return document


def examine_document(text: str, file: str, longest: int = LONGEST_FRONT) -> tuple[Document, list[Problem]]:
    """Parse a markdown file; return the problems instead of raising them."""
    front = parse_front(text, file, longest)
    document = _document(text, front)
    if front.where.body and not front.values and not front.problems and _SECOND_FRONT.match(document.body):
        message = "the front matter is empty, and one follows; expected a single line --- above it"
        return document, [Problem(file, document.body_line - 1, "", message)]
    return document, front.problems


def salvage_document(text: str) -> Document:
    """Parse a markdown file with broken front matter; each key that parses on its own is kept."""
    return _document(text, salvage_front(text))


class _Heading(NamedTuple):
    """A heading, and the offsets of its line and of what follows."""

    start: int
    end: int
    text: str


def _document(text: str, front: Front) -> Document:
    raw = text[front.where.body :]
    body = sanitize(raw)
    title: _Heading | None = None
    parts: list[_Heading] = []
    for start, line in heading_lines(body):
        if mark := _heading(line):
            heading = _Heading(start, body.find("\n", start) + 1 or len(body), mark[2])
            if mark[1] == "##":
                parts.append(heading)
            elif title is None and not parts:
                title = heading
    ends = [*(part.start for part in parts), len(body)]
    sections: dict[str, str] = {}
    for part, end in zip(parts, ends[1:], strict=True):
        content = body[part.end : end].strip()
        sections[part.text] = f"{sections[part.text]}\n\n{content}".strip() if part.text in sections else content
    number = text.count("\n", 0, front.where.body) + 1
    intro = body[: ends[0]].strip()
    document = Document(front.values, front.lines, body, number, None, intro, sections, number)
    if title is None:
        return document
    above = body.count("\n", 0, title.start)
    typed = _heading(raw.split("\n")[above]) if body != raw else None
    hides = body != raw and (typed is None or typed[2] != title.text)
    intro = (body[: title.start] + body[title.end : ends[0]]).strip()
    return replace(document, title=title.text, intro=intro, title_line=number + above, title_hides=hides)


def _heading(line: str) -> re.Match[str] | None:
    # Stripped here: a pattern that matched trailing blanks would be quadratic.
    return _HEADING.match(line.rstrip(" \t\r"))


def body_of(text: str) -> str:
    """Return what follows the front matter, unchanged."""
    return text[split(text).body :]


def render_document(front: Mapping[str, object], body: str) -> str:
    """Return a markdown file that parses back to this front matter and body; tuples are written as lists."""
    entries = "".join(f"{render_entry(key, value)}\n" for key, value in front.items())
    return f"---\n{entries}---\n{body}"


def replace_key(text: str, key: str, value: object, file: str = "") -> str:
    """Set one top-level key of the front matter; every other byte stays. Raises VaultProblem for a broken one.

    Comments in a value of several lines are lost. A missing key is added at the end, a missing front matter at the top.
    """
    front = parse_front(text, file)
    if front.problems:
        raise VaultProblem(front.problems)
    where, newline = front.where, "\r\n" if "\r\n" in text else "\n"
    if where.start is None:
        entry = f"---{newline}{render_entry(key, value, newline)}{newline}---{newline}"
        return text[: where.body] + entry + text[where.body :]
    if key not in front.spans:
        return text[: where.end] + render_entry(key, value, newline) + newline + text[where.end :]
    start, end = front.spans[key]
    return text[:start] + render_value(value, newline) + text[end:]


def link_name(value: str) -> str | None:
    """Return the target of `[[Name]]`, `[[Name|shown]]` or `[[Name#heading]]`; None for other text."""
    mark = _LINK.match(value.strip())
    if not mark:
        return None
    name = mark[1].strip()
    return (name if name.startswith("#") else name.split("#")[0].strip()) or None
