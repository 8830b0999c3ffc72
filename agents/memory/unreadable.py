"""Which of the files that a mind keeps beside its archive cannot be read: too long, no text, a folder in their place.

What is in them is not there for whoever remembers, so that it is told by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agents.memory.summaries import TIERS
from mud.errors import Problem, VaultProblem
from mud.storage.files import OWN_LIMIT, READ_LIMIT, read_if_there

JOURNALS = ("journal.md", "journal-history.md")


def unreadable(folder: Path) -> Iterator[Problem]:
    """Yield what keeps notes, summaries and journals from being read.

    Args:
        folder: `vault/agents/<slug>`.
    """
    for path in sorted((folder / "notes").glob("[!.]*.md")):
        yield from unreadable_file(folder, path)
    for name in (*(f"summaries/{tier}.md" for tier in TIERS), *JOURNALS):
        yield from unreadable_file(folder, folder / name)


def unreadable_file(folder: Path, path: Path) -> Iterator[Problem]:
    """Yield what keeps one file from being read; nothing of one that is not there.

    Args:
        folder: `vault/agents/<slug>`.
        path: a file in it.
    """
    file = f"agents/{folder.name}/{path.relative_to(folder).as_posix()}"
    try:
        limit = OWN_LIMIT if path.name in JOURNALS else READ_LIMIT
        read_if_there(path, limit, file, own=path.parent.name == "summaries")
    except VaultProblem as wrong:
        yield from wrong.problems
