"""What in a vault leads elsewhere: links that are not followed, and what is neither file nor folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePath

from agents.life import PARTS, TRASH
from agents.memory.seeds import FOLDER as MEMORIES
from agents.recall.recall import FOLDER as INDEX
from mud.errors import Problem
from mud.storage.files import NOTE
from mud.storage.paths import LINK, NEVER, NO_FILE, OUTSIDE, may_be_read, unsafe
from mud.storage.world_state import STATE

WRITTEN = (NOTE, "world", STATE, "agents", "agents/*", *(f"agents/*/{part}" for part in PARTS))
"""What the program writes, and folders in which it writes some files."""
WHOLLY_WRITTEN = (INDEX, TRASH, "log", "agents/*/archive", "agents/*/summaries")
"""Folders in which every file is the program's."""


def leads_elsewhere(vault: Path) -> Iterator[Problem]:
    """Yield what the program will not read or not write in a vault; a hard link cannot be told from a file.

    Args:
        vault: the vault's folder, by its own path.
    """
    for at, folders, files in os.walk(vault):
        for path in sorted(Path(at, name) for name in (*folders, *files)):
            if path.is_symlink():
                seed = MEMORIES in path.relative_to(vault).parts
                if _is_written(path.relative_to(vault)):
                    yield from unsafe(path, LINK).problems
                elif not path.exists():
                    yield Problem(path.relative_to(vault).as_posix(), 0, "", "this link leads nowhere")
                elif not may_be_read(path, inside=seed):
                    yield from unsafe(path, NEVER if seed else OUTSIDE).problems
            elif not stat.S_ISREG(mode := path.lstat().st_mode) and not stat.S_ISDIR(mode):
                yield from unsafe(path, NO_FILE).problems


def _is_written(inside: Path) -> bool:
    path = PurePath("/", inside)
    above = (path, *path.parents)
    return any(path.match(f"/{one}") for one in WRITTEN) or any(
        folder.match(f"/{one}") for one in WHOLLY_WRITTEN for folder in above
    )
