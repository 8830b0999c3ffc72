"""Links in a vault that are not followed, and entries that are neither file nor folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from agents.agent import PARTS
from agents.memory.seeds import FOLDER as MEMORIES
from agents.recall.child import FOLDERS
from agents.recall.recall import FOLDER as INDEX
from mud.errors import Problem
from mud.sanitize import visible
from mud.storage.files import NOTE
from mud.storage.paths import LINK, NEVER, NO_FILE, OUTSIDE, SETTINGS, below, may_be_read, unsafe
from mud.storage.trash import TRASH
from mud.storage.world_files import STATE

WRITTEN = (NOTE, "world", STATE, "agents", "agents/*", *(f"agents/*/{part}" for part in PARTS))
"""Files that the program writes, and folders that hold some of them."""
WHOLLY_WRITTEN = (INDEX, TRASH, "log", "agents/*/archive", "agents/*/summaries")
"""Folders in which the program writes every file."""
_SHOWN = 120  # characters shown of a path that is too long to be used

SHOWN = 20  # most links that a notice lists


def leads_elsewhere(vault: Path) -> Iterator[Problem]:
    """Yield what the program refuses to read or write; hard links cannot be detected.

    Of hidden folders only the program's own are searched. `vault` must be a resolved path.
    """
    told: set[Problem] = set()
    for found in below(vault, hidden=(INDEX, TRASH)):
        try:
            if isinstance(found, OSError):
                raise found
            yield from _elsewhere(vault, found)
        except OSError as error:
            problem = _out_of_reach(vault, Path(error.filename), error)
            if problem not in told:
                told.add(problem)
                yield problem


def _elsewhere(vault: Path, entry: os.DirEntry[str]) -> Sequence[Problem]:
    """Return what is wrong with one directory entry. A separate stat of each file would take five times as long."""
    if entry.is_symlink():
        return _link(Path(entry.path), vault)
    folder = entry.is_dir(follow_symlinks=False)
    in_place_of_a_file = folder and entry.name not in FOLDERS and Path(entry.path).parent == vault / INDEX
    plain = entry.is_file(follow_symlinks=False) or (folder and not in_place_of_a_file)
    return [] if plain else unsafe(entry.path, NO_FILE).problems


def links_out(vault: Path) -> str:
    """Return a notice of the links that are followed out of the vault; empty when there are none."""
    links = (Path(entry.path) for entry in below(vault) if isinstance(entry, os.DirEntry) and entry.is_symlink())
    out = [
        path for path in links if path.exists() and not path.resolve().is_relative_to(vault) and not _link(path, vault)
    ]
    found = sorted(visible(f"{path.relative_to(vault).as_posix()} -> {path.resolve()}") for path in out)
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    told = f"{SETTINGS} has follow_links: true, and what these links lead to is read: "
    return f"{told}{', '.join(found[:SHOWN])}{more}" if found else ""


def _link(path: Path, vault: Path) -> Sequence[Problem]:
    inside = path.relative_to(vault)
    if _is_written(inside):
        return unsafe(path, LINK).problems
    if not path.exists():
        return [Problem(inside.as_posix(), 0, "", "this link leads nowhere")]
    seed = MEMORIES in inside.parts
    return [] if may_be_read(path, inside=seed) else unsafe(path, NEVER if seed else OUTSIDE).problems


def _out_of_reach(vault: Path, path: Path, error: OSError) -> Problem:
    file = path.relative_to(vault).as_posix()
    short = file if len(file) <= _SHOWN else f"{file[:_SHOWN]}..."
    return Problem(short, 0, "", f"nothing of it is read ({error.strerror}); expected what can be looked at")


def _is_written(inside: Path) -> bool:
    path = PurePath("/", inside)
    above = (path, *path.parents)
    return any(path.match(f"/{one}") for one in WRITTEN) or any(
        folder.match(f"/{one}") for one in WHOLLY_WRITTEN for folder in above
    )
