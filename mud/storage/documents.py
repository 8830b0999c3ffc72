"""A markdown file with front matter, as a value: what the vault's agents, summaries, notes and world files are made of.

Pure: text in, values and text out. Parsing tells every problem at once, with the line numbers of the file. Changing a
file that people own means changing one key: everything else stays byte for byte. Nothing here rewrites
such a file as a whole; `render_document` is for files that the program alone writes.
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
    """A markdown file, read. Nothing in it holds what `sanitize` takes out.

    Args:
        front: the front matter's keys and values, in their order; text, bool, int, float, None, lists and mappings.
        lines: line number in the file of each of these keys; of a key inside another as `outer.inner`.
        body: everything after the front matter, with plain line ends; `body_of` returns it as it is.
        body_line: line number in the file of the body's first line.
        title: the `# heading` before the first `## heading`; None when there is none.
        intro: the text before the first `## heading`, without the title, stripped.
        sections: text under each `## heading`, stripped, in their order; headings as typed. Sections of one heading
            are joined.
        title_line: line number in the file of the title; of the body when there is none.
        title_hides: the title as it stands in the file holds characters that nobody can see.
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
        """Return the text under a `## heading`, found in any case; None when there is no such heading."""
        wanted = heading.casefold()
        return next((text for name, text in self.sections.items() if name.casefold() == wanted), None)


class MarkdownLine(NamedTuple):
    """One line of markdown.

    Args:
        number: its number, from 1.
        start: offset of its first character.
        text: it, without its line end.
        fenced: it stands in a code fence, or is one of the fence's own lines.
    """

    number: int
    start: int
    text: str
    fenced: bool


def markdown_lines(text: str, first: int = 1) -> Iterator[MarkdownLine]:
    """Yield the lines of a markdown text and which of them are code; `first` is the number of the first.

    Only newlines end a line: the rarer line ends of Unicode would make the numbers differ from every editor's.
    """
    fence, start = "", 0
    for number, raw in enumerate(text.split("\n"), first):
        line = raw.removesuffix("\r")
        after = _fence_after(fence, line)
        yield MarkdownLine(number, start, line, bool(fence or after))
        fence, start = after, start + len(raw) + 1


def heading_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a markdown text that may be a heading, those in code left out.

    Each is the offset of its first character, and it without its line end. Of a text without code, as most are, no
    other line is looked at.
    """
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
    """Return the line number of a code fence that is never closed, which hides all that follows; None when all are.

    Args:
        text: markdown.
        first: number of its first line.
    """
    if not _may_hold_code(text):
        return None
    fence, begun = "", first
    for number, line in enumerate(text.split("\n"), first):
        after = _fence_after(fence, line.removesuffix("\r"))
        begun = number if after and not fence else begun
        fence = after
    return begun if fence else None


def _fence_after(fence: str, line: str) -> str:
    """Return the marks of the code fence that is open after a line, empty for none, given the one open before it."""
    mark = _FENCE.match(line)
    if not mark:
        return fence
    if fence:
        return "" if mark[1].startswith(fence) and not mark[2].strip() else fence
    return "" if mark[1][0] == "`" and "`" in mark[2] else mark[1]


def parse_document(text: str, file: str, longest: int = _front.LONGEST_FRONT) -> Document:
    """Read a markdown file.

    Args:
        text: the whole file.
        file: what problems call it, its path inside the vault.
        longest: characters that its front matter may have.

    Raises:
        VaultProblem: with every problem of the front matter. The body cannot be wrong.
    """
    document, problems = examine_document(text, file, longest)
    if problems:
        raise VaultProblem(problems)
    return document


def examine_document(text: str, file: str, longest: int = _front.LONGEST_FRONT) -> tuple[Document, list[Problem]]:
    """Read a markdown file as `parse_document` does, and return what can be read beside what is wrong."""
    where = _front.split(text)
    front = _front.parse_front(text, where, file, longest)
    document = _document(text, front, where.body)
    if where.body and not document.front and not front.problems and _SECOND_FRONT.match(document.body):
        message = "the front matter is empty, and one follows; expected a single line --- above it"
        return document, [Problem(file, document.body_line - 1, "", message)]
    return document, front.problems


def salvage_document(text: str) -> Document:
    """Return what can be read of a markdown file whose front matter is not in order: each key that is by itself."""
    return _document(text, *_front.salvage(text))


_SECOND_FRONT = re.compile(r"(?:[A-Za-z_]+:.*\n(?:[ \t]+.*\n)*)+---[ \t\r]*$", re.M)
"""A front matter whose first fence is not there, or belongs to an empty one above it."""


def _document(text: str, front: _front.Front, begin: int) -> Document:
    """Return a front matter and the body that begins at an offset as a document."""
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
    """Return whether a line of a file is the title with this name."""
    mark = _HEADING.match(line.rstrip(" \t\r"))
    return mark is not None and mark[2] == name


def body_of(text: str) -> str:
    """Return what stands behind the front matter of a markdown file, as it is."""
    return text[_front.split(text).body :]


def _outline(body: str) -> tuple[tuple[str, int, int] | None, list[tuple[str, int, int]]]:
    """Return the title and the sections of a body, each as (heading, first offset, end); the first one is the intro.

    A section's offsets bound its content, the title's bound its line.
    """
    title: tuple[str, int, int] | None = None
    parts: list[tuple[str, int, int]] = [("", 0, len(body))]
    for begin, line in heading_lines(body):
        # A pattern that looked for the end of the blanks itself would do so at every one of them.
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
    """Return a markdown file that parses back to this front matter and body.

    Args:
        front: keys in the order to be written; values as in `Document.front`, tuples are written as lists.
        body: the text after it, written as it is.

    Raises:
        TypeError: for a value that front matter cannot hold.
        ValueError: for a number that it cannot hold.
    """
    entries = "".join(f"{_front.render_entry(key, value)}\n" for key, value in front.items())
    return f"---\n{entries}---\n{body}"


def replace_key(text: str, key: str, value: object, file: str = "") -> str:
    """Return a file's text with one key of its front matter set, and everything else byte for byte as it was.

    A comment behind the value stays; comments inside a value of several lines go with it. A key that is missing is
    added at the end of the front matter, and a missing front matter at the top of the file.

    Args:
        text: the whole file.
        key: a top-level key.
        value: as in `Document.front`.
        file: what problems call the file.

    Raises:
        VaultProblem: when the front matter is not in order: nothing is changed in a file that cannot be understood.
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
    """Return the name that `[[Name]]`, `[[Name|shown]]` or `[[Name#heading]]` points to; None for other text."""
    mark = _LINK.match(value.strip())
    if not mark:
        return None
    name = mark[1].strip()
    return (name if name.startswith("#") else name.split("#")[0].strip()) or None
