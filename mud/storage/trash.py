"""The vault's `.trash`, into which files and folders go that somebody put away; nothing is deleted."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from mud.errors import VaultProblem
from mud.storage.files import read_if_there, sync_folder
from mud.storage.paths import make_folder, matching, move

TRASH = ".trash"


def throw_away(vault: Path, path: Path, now: datetime) -> Path:
    """Move a file or folder into the trash, and return where it is, named by its name and the time. Raises OSError."""
    stem, number = f"{path.stem}-{now:%Y%m%d-%H%M%S}", 1
    trash = vault / TRASH
    while (found := trash / f"{stem}{f'-{number}' if number > 1 else ''}{path.suffix}").exists():
        number += 1
    make_folder(trash)
    move(path, found)
    sync_folder(trash)
    sync_folder(path.parent)
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
