"""Whether a folder's memory may stay closed at the start of the world."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from agents.memory.seeds import FOLDER as SEEDS
from mud.storage.files import LEFTOVER
from mud.storage.lease import FILE as LEASE
from mud.storage.lease import holder_of


def lived_before(folder: Path, moment: float) -> bool:
    """Return whether all that a folder's archive holds was written before a moment, and nothing waits to be done there.

    Args:
        moment: seconds, as modification times.
    """
    try:
        with os.scandir(folder) as found:
            inside = {entry.name: entry for entry in found}
        if SEEDS in inside or any(map(LEFTOVER.fullmatch, inside)):
            return False
        if LEASE in inside and holder_of(folder).name:  # who did not give it back may still write until it is taken
            return False
        if "archive" not in inside:
            return "summaries" not in inside and stat.S_ISDIR(os.lstat(folder).st_mode)
        with os.scandir(inside["archive"]) as archive:
            files = [entry for entry in archive if entry.name.endswith(".jsonl")]
        newest = max(files, key=lambda entry: entry.name)
        plain = all(inside[name].is_dir(follow_symlinks=False) for name in ("archive", "summaries") if name in inside)
        return plain and newest.is_file(follow_symlinks=False) and newest.stat().st_mtime < moment
    except (OSError, ValueError):  # what is wrong is told when it is opened
        return False
