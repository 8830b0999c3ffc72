"""The vault's `.trash`, into which files and folders go that somebody put away; nothing is deleted."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from mud.errors import VaultProblem
from mud.storage.files import read_if_there, sync_folder, write_atomic
from mud.storage.paths import make_folder, matching, move

TRASH = ".trash"


def throw_away(vault: Path, path: Path, now: datetime) -> Path:
    """Move a file or folder into the trash, and return where it is, named by its name and the time. Raises OSError."""
    found = _free(vault, path.stem, path.suffix, now)
    make_folder(found.parent)
    move(path, found)
    sync_folder(found.parent)
    sync_folder(path.parent)
    return found


def keep_text(vault: Path, stem: str, text: str, now: datetime) -> Path:
    """Write a text into the trash that found no other place, and return where it is. Raises OSError."""
    found = _free(vault, stem, ".md", now)
    make_folder(found.parent)
    write_atomic(found, f"{text}\n")
    return found


def _free(vault: Path, stem: str, suffix: str, now: datetime) -> Path:
    named, number = f"{stem}-{now:%Y%m%d-%H%M%S}", 1
    while (found := vault / TRASH / f"{named}{f'-{number}' if number > 1 else ''}{suffix}").exists():
        number += 1
    return found


def bring_back(vault: Path, path: Path, text: str) -> bool:
    """Move the file that was at a path back from the trash; return False when none there has this text."""
    for trash in matching(vault / TRASH, f"{path.stem}-*{path.suffix}"):
        with suppress(VaultProblem):
            if read_if_there(trash) == text:
                move(trash, path)
                sync_folder(path.parent)
                return True
    return False
