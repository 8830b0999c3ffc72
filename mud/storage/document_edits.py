"""Changes of one part of a markdown file, with every other byte kept. Pure.

`documents.replace_key` sets a key; here are the title, the description, sections, entries of a key and keys taken out.
Each function takes and returns the text of a file and raises VaultProblem when the file cannot be parsed or when the
part cannot be changed alone; `file` is its name in problems.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mud.errors import Problem, VaultProblem
from mud.storage.documents import (
    Document,
    body_of,
    examine_document,
    heading_lines,
    markdown_lines,
    parse_document,
    replace_key,
)
from mud.storage.front_matter import parse_front, render_entry

_HEADING = re.compile(r"^ {0,3}##[ \t]+(\S.*)$")
_TITLE = re.compile(r"^( {0,3}#[ \t]+)\S.*?([ \t\r]*)$")
_MARKS = r"#{1,2}[ \t]|`{3,}|~{3,}"
_LOOSE = re.compile(rf"(?m)^( {{0,3}}\\*)(?={_MARKS})")
_KEPT = re.compile(rf"(?m)^( {{0,3}}\\*)\\(?={_MARKS})")


def kept_from_marking(text: str) -> str:
    r"""Escape with `\` the lines that would begin a section or a code block."""
    return _LOOSE.sub(lambda found: found[1] + "\\", text)


def as_meant(section: str) -> str:
    r"""Undo `kept_from_marking`; a `\` before other text stays."""
    return _KEPT.sub(lambda found: found[1], section)


def newline_of(text: str) -> str:
    """Return the line end of a file."""
    return "\r\n" if "\r\n" in text else "\n"


# ---- the front matter ----


def remove_key(text: str, key: str, file: str = "") -> str:
    """Take a top-level key out of the front matter, with all of its lines. A missing key changes nothing."""
    front = parse_front(text, file)
    if front.problems:
        raise VaultProblem(front.problems)
    if key not in front.spans:
        return text
    colon, end = front.spans[key]
    begin = text.rfind("\n", 0, colon) + 1
    return text[:begin] + text[text.find("\n", end) + 1 :]


def replace_entry(text: str, key: str, name: str, value: object, file: str = "") -> str:
    """Set one entry of a mapping in the front matter, such as one exit; None takes it out.

    Entries that stand on lines of their own stay as they are; a mapping on one line is written anew.
    """
    document = parse_document(text, file)
    held = document.front.get(key)
    entries = dict(held) if isinstance(held, Mapping) else {}
    if value is None and name not in entries:
        return text
    after = {one: to for one, to in entries.items() if one != name}
    if value is not None:
        after = entries | {name: value}
    if not after:
        return remove_key(text, key, file)
    changed = _replace_line(text, document, key, name, value) if entries else text
    now, problems = examine_document(changed, file)
    if not problems and now.front == {**document.front, key: after}:
        return changed
    return replace_key(text, key, after, file)


def _replace_line(text: str, document: Document, key: str, name: str, value: object) -> str:
    """Change the line of one entry, or add one below the last; the caller checks what came of it."""
    newline, lines = newline_of(text), text.split("\n")
    numbers = [line for one, line in document.lines.items() if one.startswith(f"{key}.")]
    own = document.lines.get(f"{key}.{name}")
    last = lines[max(numbers) - 1]
    entry = last[: len(last) - len(last.lstrip())] + render_entry(name, value) + newline[:-1]
    if own is None:
        lines.insert(max(numbers), entry)
    elif value is None:
        del lines[own - 1]
    else:
        lines[own - 1] = entry
    return "\n".join(lines)


# ---- title and description ----


def replace_title(text: str, name: str, file: str = "") -> str:
    """Set the `# Title`, or add one under the front matter."""
    document, newline = parse_document(text, file), newline_of(text)
    if document.title is None:
        head = len(text) - len(body_of(text))
        return f"{text[:head]}# {name}{newline}{text[head:]}"
    lines = text.split("\n")
    at = document.title_line - 1
    found = _TITLE.match(lines[at])
    lines[at] = f"{found[1]}{name}{found[2]}" if found else f"# {name}"
    return "\n".join(lines)


def replace_description(text: str, content: str, file: str = "") -> str:
    """Set what is read as the description of a thing: the section `## Description`, or else the text under the title.

    Text above the title belongs to the description too; then it cannot be changed alone.
    """
    document = parse_document(text, file)
    if document.section("Description") is not None:
        return replace_section(text, "Description", content, file)
    newline = newline_of(text)
    told = kept_from_marking(content.strip().replace("\r\n", "\n")).replace("\n", newline)
    start, end = _intro(text, document)
    middle = f"{newline}{told}{newline}" if told else ""
    between = newline if end < len(text) else ""
    before = text[:start] if text[:start].endswith("\n") or not start else text[:start] + newline
    changed = before + middle + between + text[end:]
    if parse_document(changed, file).intro != told.replace("\r\n", "\n"):
        message = "there is text above the title; expected the description under it"
        raise VaultProblem([Problem(file, document.body_line, "", message)])
    return changed


def _intro(text: str, document: Document) -> tuple[int, int]:
    """Return the offsets between the title's line, or the front matter, and the first section or the end."""
    body = len(text) - len(body_of(text))
    start = body
    if document.title is not None:
        for _ in range(document.title_line - text.count("\n", 0, body)):
            start = (text.find("\n", start) + 1) or len(text)
    heads = (body + at for at, line in heading_lines(text[body:]) if _HEADING.match(line.rstrip(" \t\r")))
    return start, next((at for at in heads if at >= start), len(text))


# ---- sections ----


class _Section(NamedTuple):
    """The offsets of one section: heading, content, end. `ends_line`: whether the heading's line has an end."""

    heading: str
    start: int
    content: int
    end: int
    ends_line: bool


def replace_section(text: str, heading: str, content: str, file: str = "") -> str:
    """Return a file's text with the content of one section replaced or, if missing, added at the end.

    Of several sections with this heading, which are read as one, the first stays. Raises VaultProblem when the file,
    named `file` in problems, cannot be parsed, or an unclosed code block hides the section.
    """
    before = parse_document(text, file)
    newline = newline_of(text)
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


def remove_section(text: str, heading: str, file: str = "") -> str:
    """Take a section out, with its heading. A missing one changes nothing."""
    before, found = parse_document(text, file), _meant(text, len(text) - len(body_of(text)), heading)
    after = text
    for one in reversed(found):
        after = after[: one.start] + after[one.end :]
    if found and found[-1].end == len(text):
        after = after.rstrip() + newline_of(text)
    _hold(before, parse_document(after, file), heading, None, file)
    return after


def add_item(text: str, heading: str, item: str, file: str = "", instead_of: str = "") -> str:
    """Add an item to the list of a section, or put it in place of the one that begins with `instead_of`."""
    lines = (parse_document(text, file).section(heading) or "").splitlines()
    own = [at for at, line in enumerate(lines) if instead_of and _is_item(line, instead_of)]
    if own:
        lines[own[0]] = f"- {item}"
    else:
        lines.append(f"- {item}")
    return replace_section(text, heading, "\n".join(lines), file)


def _is_item(line: str, begin: str) -> bool:
    return line.startswith(("- ", "* ")) and line[2:].strip().casefold().startswith(begin.casefold())


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


def _hold(before: Document, after: Document, heading: str, told: str | None, file: str) -> None:
    """Raise VaultProblem if anything but this section changed; `told` is None when it was taken out."""

    def rest(one: Document) -> tuple[object, ...]:
        others = [(name, text) for name, text in one.sections.items() if name.casefold() != heading.casefold()]
        return one.front, one.title, one.intro, others

    wanted = told.replace("\r\n", "\n") if told is not None else None
    if rest(before) != rest(after) or after.section(heading) != wanted:
        problem = f"the section ## {heading} cannot be found in it; expected every block of code to be closed"
        raise VaultProblem([Problem(file, 0, heading, problem)])
