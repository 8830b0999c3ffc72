"""Earlier texts of an `agent.md`, kept whole before a command replaces what people wrote, so that it can be taken back.

They lie in `versions/` beside the file, named after the moment and after what was changed then, such as
`agent-20261120-072137-goal.md`. What a change that was taken back had made of the file is kept there too, under the
same name and `-undone`. A text that a command had written, and nobody edited since, has `-command` in its name: of
these the oldest go, one that people wrote is kept for good.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from agents.definition_edits import as_meant, replace_section
from mud.errors import Problem, VaultProblem
from mud.storage.documents import parse_document, replace_key
from mud.storage.files import read_if_there, read_text, write_atomic

FOLDER = "versions"
WRITTEN = "written"
"""The file in it that holds the digest of what a command last wrote: any other text is one that people wrote."""
MOST = 50
"""Texts of commands that are kept of each file, those of changes taken back among them; the oldest goes first."""
SECTIONS = {"profile": "Profile", "description": "Description"}
"""What may be changed that is a section, with its heading; all else is a key of the front matter."""
_UNSET = {"goal": "", "brain": "auto"}
"""What a key says that is not there."""
FIELDS = (*SECTIONS, "goal", "brain", "think_interval", "strategy", "preset", "auto_enabled")
"""What a command may change, and so what is taken back; a file that is named after anything else is no earlier text."""
_NAME = re.compile(rf"agent-(\d{{8}}-\d{{6}})(?:-(\d+))?-({'|'.join(FIELDS)})(-command)?(-undone)?\.md")


class DefinitionVersion(NamedTuple):
    """An earlier text.

    Args:
        path: its file.
        field: what was changed then: a key, or a section's name in small letters.
        order: says which came first.
        command: a command had written this text; else people had.
        undone: the change that made this text was taken back.
    """

    path: Path
    field: str
    order: tuple[str, int]
    command: bool
    undone: bool


def versions(folder: Path) -> list[DefinitionVersion]:
    """Return the earlier texts in an agent's folder, the oldest first."""
    named = ((path, _NAME.fullmatch(path.name)) for path in (folder / FOLDER).glob("agent-*.md"))
    found = (
        DefinitionVersion(path, name[3], (name[1], int(name[2] or 1)), bool(name[4]), bool(name[5]))
        for path, name in named
        if name
    )
    return sorted(found, key=lambda one: one.order)


def keep(folder: Path, text: str, changed: str, field: str, now: datetime) -> None:
    """Keep a text that a command is about to replace, and let go of those of commands that are too old.

    Args:
        folder: the agent's.
        text: the whole file as it is.
        changed: the whole file as it will be.
        field: what will be changed in it.
        now: the time.

    Raises:
        OSError: when it cannot be kept.
    """
    stamp, known = now.astimezone(UTC).strftime("%Y%m%d-%H%M%S"), versions(folder)
    number = max((one.order[1] for one in known if one.order[0] == stamp), default=0) + 1
    by = "-command" if _by_command(folder, text) else ""
    write_atomic(folder / FOLDER / f"agent-{stamp}{f'-{number}' if number > 1 else ''}-{field}{by}.md", text)
    _wrote(folder, changed)
    own = [one for one in versions(folder) if one.command]
    for one in own[: max(0, len(own) - MOST)]:
        one.path.unlink(missing_ok=True)


def follow(folder: Path, text: str, changed: str) -> None:
    """Take note of a change of which nothing is kept: a command's text stays one, and one of people stays theirs.

    Args:
        folder: the agent's.
        text: the whole file as it is.
        changed: the whole file as it will be.

    Raises:
        OSError: when that cannot be written.
    """
    if _by_command(folder, text):
        _wrote(folder, changed)


def _by_command(folder: Path, text: str) -> bool:
    """Return whether a text is the one that a command wrote last; when that cannot be told it is not."""
    try:
        return read_if_there(folder / FOLDER / WRITTEN) == _digest(text)
    except VaultProblem:
        return False


def _wrote(folder: Path, text: str | None) -> None:
    write_atomic(folder / FOLDER / WRITTEN, _digest(text) if text is not None else "")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def last_change(folder: Path) -> DefinitionVersion | None:
    """Return the text before the last change that was not taken back; None when there is none."""
    return next((one for one in reversed(versions(folder)) if not one.undone), None)


def put_aside(version: DefinitionVersion, undone: str, back: str) -> None:
    """Keep the text that a change had made, which is about to be taken back.

    Args:
        version: what the file was before that change; its file may go as soon as it is in use again.
        undone: the whole file as it is.
        back: the whole file as it will be.

    Raises:
        OSError: when it cannot be kept.
    """
    folder = version.path.parent.parent
    by = "-command" if _by_command(folder, undone) else ""
    write_atomic(version.path.with_name(f"{version.path.stem.removesuffix('-command')}{by}-undone.md"), undone)
    again = version.command and back == read_text(version.path, file=version.path.name)
    _wrote(folder, back if again else None)


def taken_back(text: str, version: DefinitionVersion, file: str) -> str:
    """Return a file's text with what one change replaced as it was before, byte for byte where nothing else changed.

    Args:
        text: the whole file as it is.
        version: what it was before the change.
        file: what problems call the file.

    Raises:
        OSError: when the version cannot be read.
        VaultProblem: when one of the texts cannot be understood, or the key was not there and has no usual value.
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
