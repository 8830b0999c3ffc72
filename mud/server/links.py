"""What in a vault leads elsewhere: links that are not followed, and what is neither file nor folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from agents.memory.seeds import FOLDER as MEMORIES
from agents.mind.character_memory import PARTS, TRASH
from agents.recall.recall import FOLDER as INDEX
from mud.errors import Problem
from mud.sanitize import visible
from mud.storage.files import NOTE
from mud.storage.paths import LINK, NEVER, NO_FILE, OUTSIDE, SETTINGS, may_be_read, unsafe
from mud.storage.world_state import STATE

WRITTEN = (NOTE, "world", STATE, "agents", "agents/*", *(f"agents/*/{part}" for part in PARTS))
"""What the program writes, and folders in which it writes some files."""
WHOLLY_WRITTEN = (INDEX, TRASH, "log", "agents/*/archive", "agents/*/summaries")
"""Folders in which every file is the program's."""

SHOWN = 20
"""Links that a notice names at most."""


def leads_elsewhere(vault: Path) -> Iterator[Problem]:
    """Yield what the program will not read or not write in a vault; a hard link cannot be told from a file.

    Args:
        vault: the vault's folder, by its own path.
    """
    for entry in _everything(vault):
        if entry.is_symlink():
            yield from _link(Path(entry.path), vault)
        elif not entry.is_file(follow_symlinks=False) and not entry.is_dir(follow_symlinks=False):
            yield from unsafe(entry.path, NO_FILE).problems


def links_out(vault: Path) -> str:
    """Return which links of a vault are followed out of it, as a notice for its owner; empty when none is.

    Args:
        vault: the vault's folder, by its own path.
    """
    links = (Path(entry.path) for entry in _everything(vault) if entry.is_symlink())
    out = [
        path for path in links if path.exists() and not path.resolve().is_relative_to(vault) and not _link(path, vault)
    ]
    found = sorted(visible(f"{path.relative_to(vault).as_posix()} -> {path.resolve()}") for path in out)
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    told = f"{SETTINGS} has follow_links: true, and what these links lead to is read: "
    return f"{told}{', '.join(found[:SHOWN])}{more}" if found else ""


def _everything(vault: Path) -> Iterator[os.DirEntry[str]]:
    """Yield all that is in a vault, as the folders list it: to ask after each of ten thousand files takes five times
    as long. A folder that cannot be listed is passed over."""
    folders = [os.fspath(vault)]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)


def _link(path: Path, vault: Path) -> Sequence[Problem]:
    """Return what is wrong with a link."""
    inside = path.relative_to(vault)
    if _is_written(inside):
        return unsafe(path, LINK).problems
    if not path.exists():
        return [Problem(inside.as_posix(), 0, "", "this link leads nowhere")]
    seed = MEMORIES in inside.parts
    return [] if may_be_read(path, inside=seed) else unsafe(path, NEVER if seed else OUTSIDE).problems


def _is_written(inside: Path) -> bool:
    path = PurePath("/", inside)
    above = (path, *path.parents)
    return any(path.match(f"/{one}") for one in WRITTEN) or any(
        folder.match(f"/{one}") for one in WHOLLY_WRITTEN for folder in above
    )
