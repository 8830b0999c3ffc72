r"""Changes one key or one section in the text of an `agent.md`, and leaves the rest as it is.

No I/O. Section content may be any text: lines that would begin a section, or a code block that hides what follows, are
escaped with `\` as in markdown, and read without it.

Before a command changes the file, its text is kept in `versions/`, named after the time and the changed field, such as
`agent-20261120-072137-goal.md`; a config file that a command changed is kept alike in the vault's `versions/`. Texts
of undone changes have `-undone`. A text that a command wrote and nobody edited since has `-command`; the oldest of
these are deleted, a person's text is kept for good.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from mud.errors import Problem, VaultProblem
from mud.storage.documents import Document, body_of, markdown_lines, parse_document, replace_key
from mud.storage.files import read_if_there, read_text, write_atomic

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


FOLDER = "versions"
WRITTEN = "written"
"""File with the digest of the text that a command wrote last; any other text was written by people."""
MOST = 50
"""Texts of commands kept per file, undone ones included; the oldest goes first."""
SECTIONS = {"profile": "Profile", "description": "Description"}
"""Fields that are sections, with their headings; others are front matter keys."""
_UNSET = {"goal": "", "brain": "auto"}
"""The values of keys that are missing."""
FIELDS = (*SECTIONS, "goal", "brain", "think_interval", "strategy", "preset", "auto_enabled")
"""Fields that commands may change; files named after anything else are ignored."""
AGENT = "agent"
_NAME = re.compile(rf"\w+-(\d{{8}}-\d{{6}})(?:-(\d+))?-({'|'.join(FIELDS)})(-command)?(-undone)?\.md")


class DefinitionVersion(NamedTuple):
    """An earlier text.

    Args:
        field: the changed key, or a section's name in lower case.
        command: whether a command had written this text.
        undone: whether the change that made this text was undone.
    """

    path: Path
    field: str
    order: tuple[str, int]
    command: bool
    undone: bool


def versions(folder: Path, file: str = AGENT) -> list[DefinitionVersion]:
    """Return the earlier texts of a file in a folder, oldest first."""
    named = ((path, _NAME.fullmatch(path.name)) for path in (folder / FOLDER).glob(f"{file}-*.md"))
    found = (
        DefinitionVersion(path, name[3], (name[1], int(name[2] or 1)), bool(name[4]), bool(name[5]))
        for path, name in named
        if name
    )
    return sorted(found, key=lambda one: one.order)


def keep(folder: Path, text: str, changed: str, field: str, now: datetime, file: str = AGENT) -> None:
    """Keep a text before a command replaces it by `changed`, and delete the oldest texts of commands."""
    stamp, known = now.astimezone(UTC).strftime("%Y%m%d-%H%M%S"), versions(folder, file)
    number = max((one.order[1] for one in known if one.order[0] == stamp), default=0) + 1
    by = "-command" if _by_command(folder, text) else ""
    write_atomic(folder / FOLDER / f"{file}-{stamp}{f'-{number}' if number > 1 else ''}-{field}{by}.md", text)
    _wrote(folder, changed)
    own = [one for one in versions(folder, file) if one.command]
    for one in own[: max(0, len(own) - MOST)]:
        one.path.unlink(missing_ok=True)


def follow(folder: Path, text: str, changed: str) -> None:
    """Record a change without keeping the text: a command's text stays one, a person's stays theirs."""
    if _by_command(folder, text):
        _wrote(folder, changed)


def _by_command(folder: Path, text: str) -> bool:
    """Return whether a command wrote this text last; False when unknown."""
    try:
        return read_if_there(folder / FOLDER / WRITTEN) == _digest(text)
    except VaultProblem:
        return False


def _wrote(folder: Path, text: str | None) -> None:
    write_atomic(folder / FOLDER / WRITTEN, _digest(text) if text is not None else "")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def last_change(folder: Path) -> DefinitionVersion | None:
    """Return the text before the last change that was not undone."""
    return next((one for one in reversed(versions(folder)) if not one.undone), None)


def put_aside(version: DefinitionVersion, undone: str, back: str) -> None:
    """Keep the text of a change that is being undone. `undone`: the current file; `back`: the file afterwards."""
    folder = version.path.parent.parent
    by = "-command" if _by_command(folder, undone) else ""
    write_atomic(version.path.with_name(f"{version.path.stem.removesuffix('-command')}{by}-undone.md"), undone)
    again = version.command and back == read_text(version.path, file=version.path.name)
    _wrote(folder, back if again else None)


def taken_back(text: str, version: DefinitionVersion, file: str) -> str:
    """Return a file's text with one change undone; byte for byte as before when nothing else changed.

    Raises:
        OSError: when the version cannot be read.
        VaultProblem: when a text cannot be parsed, or the key was missing and has no default.
    """
    field, before = version.field, read_text(version.path, file=version.path.name)
    then, now = parse_document(before, version.path.name), parse_document(text, file)
    heading = SECTIONS.get(field)
    if heading is not None:
        old, new = (as_meant((one.section(heading) or "").strip()) for one in (then, now))
        if replace_section(before, heading, new, file) == text:
            return before
        return replace_section(text, heading, old, file)
    if replace_key(before, field, now.front.get(field), file) == text:
        return before
    if field not in then.front and field not in _UNSET:
        raise VaultProblem([Problem(file, now.lines.get(field, 0), field, "it was not set before; take its line out")])
    return replace_key(text, field, then.front.get(field, _UNSET.get(field)), file)
