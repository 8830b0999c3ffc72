"""Markdown files with front matter, parsed into values and rendered. Pure.

All problems are reported at once, with line numbers. A file that people own is only changed one key at a time, with
every other byte kept; `render_document` is for files that the program alone writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mud.errors import Problem, VaultProblem
from mud.sanitize import sanitize
from mud.storage import _front

_HEADING = re.compile(r"^ {0,3}(#{1,2})[ \t]+(\S.*)$")
_MARKED = re.compile(r"^ {0,3}##?[ \t]+\S", re.M)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_LINK = re.compile(r"^\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]$")


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed markdown file; all text is sanitized.

    Args:
        lines: line number of each key of the front matter; nested keys are named `outer.inner`.
        body: everything after the front matter, with `\n` as line end; `body_of` returns it unchanged.
        title: the `# heading` before the first `## heading`, if any.
        intro: the text before the first `## heading`, without the title, stripped.
        sections: text under each `## heading`, stripped; sections with the same heading are joined.
        title_line: line number of the title; of the body without one.
        title_hides: the title in the file holds invisible characters.
    """

    front: dict[str, object] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    title: str | None = None
    intro: str = ""
    sections: dict[str, str] = field(default_factory=dict)
    title_line: int = 1
    title_hides: bool = False

    def section(self, heading: str) -> str | None:
        """Return the text under a `## heading`, ignoring case; None without one."""
        wanted = heading.casefold()
        return next((text for name, text in self.sections.items() if name.casefold() == wanted), None)


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
        return
    for found in _MARKED.finditer(text):
        start = found.start()
        end = text.find("\n", start)
        yield start, text[start : end if end >= 0 else None].removesuffix("\r")


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


def parse_document(text: str, file: str, longest: int = _front.LONGEST_FRONT) -> Document:
    """Parse a markdown file. Raises VaultProblem with every problem of the front matter; `file` is its name in them."""
    document, problems = examine_document(text, file, longest)
    if problems:
        raise VaultProblem(problems)
    return document


def examine_document(text: str, file: str, longest: int = _front.LONGEST_FRONT) -> tuple[Document, list[Problem]]:
    """Parse a markdown file; return the problems instead of raising them."""
    where = _front.split(text)
    front = _front.parse_front(text, where, file, longest)
    document = _document(text, front, where.body)
    if where.body and not document.front and not front.problems and _SECOND_FRONT.match(document.body):
        message = "the front matter is empty, and one follows; expected a single line --- above it"
        return document, [Problem(file, document.body_line - 1, "", message)]
    return document, front.problems


def salvage_document(text: str) -> Document:
    """Parse a markdown file with broken front matter; each key that parses on its own is kept."""
    return _document(text, *_front.salvage(text))


_SECOND_FRONT = re.compile(r"(?:[A-Za-z_]+:.*\n(?:[ \t]+.*\n)*)+---[ \t\r]*$", re.M)
"""A front matter below an empty one, or without its opening line."""


def _document(text: str, front: _front.Front, begin: int) -> Document:
    raw = text[begin:]
    body = sanitize(raw)
    title, parts = _outline(body)
    sections: dict[str, str] = {}
    for heading, start, end in parts[1:]:
        content = body[start:end].strip()
        sections[heading] = f"{sections[heading]}\n\n{content}".strip() if heading in sections else content
    intro = body[: parts[0][2]]
    if title is not None:
        intro = intro[: title[1]] + intro[title[2] :]
    line = text.count("\n", 0, begin) + 1
    name = title[0] if title else None
    above = body.count("\n", 0, title[1]) if title else 0
    hides = title is not None and body != raw and not _heads(name, raw.split("\n")[above])
    return Document(front.values, front.lines, body, line, name, intro.strip(), sections, line + above, hides)


def _heads(name: str | None, line: str) -> bool:
    mark = _HEADING.match(line.rstrip(" \t\r"))
    return mark is not None and mark[2] == name


def body_of(text: str) -> str:
    """Return what follows the front matter, unchanged."""
    return text[_front.split(text).body :]


def _outline(body: str) -> tuple[tuple[str, int, int] | None, list[tuple[str, int, int]]]:
    """Return the title and the sections of a body as (heading, start, end); the first section is the intro.

    The offsets of a section are those of its content, the title's those of its line.
    """
    title: tuple[str, int, int] | None = None
    parts: list[tuple[str, int, int]] = [("", 0, len(body))]
    for begin, line in heading_lines(body):
        # Stripped here: a pattern that matched trailing blanks would be quadratic.
        mark = _HEADING.match(line.rstrip(" \t\r"))
        if not mark:
            continue
        after = min(len(body), body.find("\n", begin) + 1 or len(body))
        if mark[1] == "##":
            heading, start, _ = parts[-1]
            parts[-1] = (heading, start, begin)
            parts.append((mark[2], after, len(body)))
        elif title is None and len(parts) == 1:
            title = (mark[2], begin, after)
    return title, parts


def render_document(front: Mapping[str, object], body: str) -> str:
    """Return a markdown file that parses back to this front matter and body; tuples are written as lists."""
    entries = "".join(f"{_front.render_entry(key, value)}\n" for key, value in front.items())
    return f"---\n{entries}---\n{body}"


def replace_key(text: str, key: str, value: object, file: str = "") -> str:
    """Set one top-level key of the front matter; every other byte stays. Raises VaultProblem for a broken one.

    Comments in a value of several lines are lost. A missing key is added at the end, a missing front matter at the top.
    """
    where = _front.split(text)
    front = _front.parse_front(text, where, file)
    if front.problems:
        raise VaultProblem(front.problems)
    newline = _newline(text)
    if where.start is None:
        entry = f"---{newline}{_front.render_entry(key, value, newline)}{newline}---{newline}"
        return text[: where.body] + entry + text[where.body :]
    if key not in front.spans:
        return text[: where.end] + _front.render_entry(key, value, newline) + newline + text[where.end :]
    start, end = front.spans[key]
    return text[:start] + _front.render_value(value, newline) + text[end:]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def link_name(value: str) -> str | None:
    """Return the target of `[[Name]]`, `[[Name|shown]]` or `[[Name#heading]]`; None for other text."""
    mark = _LINK.match(value.strip())
    if not mark:
        return None
    name = mark[1].strip()
    return (name if name.startswith("#") else name.split("#")[0].strip()) or None
