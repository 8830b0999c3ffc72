"""Earlier texts of an `agent.md`, kept whole before a command replaces what people wrote, so that it can be taken back.

They lie in `versions/` beside the file, named after the moment and after what was changed then, such as
`agent-20261120-072137-goal.md`. What a change that was taken back had made of the file is kept there too, under the
same name and `-undone`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from agents.definition_edits import as_meant, replace_section
from mud.errors import Problem, VaultProblem
from mud.storage.documents import parse_document, replace_key
from mud.storage.files import read_text, write_atomic

FOLDER = "versions"
MOST = 50
"""Earlier texts that are kept of each file, those of changes taken back among them; the oldest goes first."""
SECTIONS = {"profile": "Profile", "description": "Description"}
"""What may be changed that is a section, with its heading; all else is a key of the front matter."""
_UNSET = {"goal": "", "brain": "auto"}
"""What a key says that is not there."""
_NAME = re.compile(r"agent-(\d{8}-\d{6})(?:-(\d+))?-([a-z_]+)(-undone)?\.md")


class DefinitionVersion(NamedTuple):
    """An earlier text.

    Args:
        path: its file.
        field: what was changed then: a key, or a section's name in small letters.
        order: says which came first.
        undone: the change that made this text was taken back.
    """

    path: Path
    field: str
    order: tuple[str, int]
    undone: bool


def versions(folder: Path) -> list[DefinitionVersion]:
    """Return the earlier texts in an agent's folder, the oldest first."""
    named = ((path, _NAME.fullmatch(path.name)) for path in (folder / FOLDER).glob("agent-*.md"))
    found = (
        DefinitionVersion(path, name[3], (name[1], int(name[2] or 1)), bool(name[4])) for path, name in named if name
    )
    return sorted(found, key=lambda one: one.order)


def keep(folder: Path, text: str, field: str, now: datetime) -> None:
    """Keep a text that is about to be replaced, and let go of what is too old.

    Args:
        folder: the agent's.
        text: the whole file as it is.
        field: what will be changed in it.
        now: the time.

    Raises:
        OSError: when it cannot be kept.
    """
    stamp, known = now.astimezone(UTC).strftime("%Y%m%d-%H%M%S"), versions(folder)
    number = max((one.order[1] for one in known if one.order[0] == stamp), default=0) + 1
    write_atomic(folder / FOLDER / f"agent-{stamp}{f'-{number}' if number > 1 else ''}-{field}.md", text)
    for one in known[: max(0, len(known) + 1 - MOST)]:
        one.path.unlink(missing_ok=True)


def last_change(folder: Path) -> DefinitionVersion | None:
    """Return the text before the last change that was not taken back; None when there is none."""
    return next((one for one in reversed(versions(folder)) if not one.undone), None)


def put_aside(version: DefinitionVersion, undone: str) -> None:
    """Keep, in place of the text that is in use again, the one that its change had made.

    Raises:
        OSError: when it cannot be kept.
    """
    write_atomic(version.path.with_name(f"{version.path.stem}-undone.md"), undone)
    version.path.unlink()


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
