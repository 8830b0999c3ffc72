"""Finds files beside the archive that cannot be read: too long, not text, or a folder in their place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agents.memory.summaries import TIERS
from mud.errors import Problem, VaultProblem
from mud.storage.files import OWN_LIMIT, READ_LIMIT, read_if_there

JOURNALS = ("journal.md", "journal-history.md")


def unreadable(folder: Path) -> Iterator[Problem]:
    """Yield the problems of notes, summaries and journals; `folder` is `vault/agents/<slug>`."""
    for path in sorted((folder / "notes").glob("[!.]*.md")):
        yield from unreadable_file(folder, path)
    for name in (*(f"summaries/{tier}.md" for tier in TIERS), *JOURNALS):
        yield from unreadable_file(folder, folder / name)


def unreadable_file(folder: Path, path: Path) -> Iterator[Problem]:
    """Yield the problems of one file in `folder`; none when it is missing."""
    file = f"agents/{folder.name}/{path.relative_to(folder).as_posix()}"
    try:
        limit = OWN_LIMIT if path.name in JOURNALS else READ_LIMIT
        read_if_there(path, limit, file, own=path.parent.name == "summaries")
    except VaultProblem as wrong:
        yield from wrong.problems
