"""The lease in a mind's folder: who has the mind, under which epoch.

It is written before a host touches the archive. A host that was cut off and comes back finds a higher epoch than its
own there, and writes no more.
"""

from __future__ import annotations

import json
from pathlib import Path

from mud.errors import Unavailable
from mud.storage.files import read_if_there, write_atomic

LEASE = "lease.json"


def epoch_of(folder: Path) -> int:
    """Return the epoch of an agent's folder; 0 when it was never lent. Raises Unavailable when it cannot be read."""
    try:
        text = read_if_there(folder / LEASE, file=f"agents/{folder.name}/{LEASE}")
        return int(json.loads(text)["epoch"]) if text else 0
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise Unavailable(f"agents/{folder.name}/{LEASE} cannot be read: {error}") from None


def take(folder: Path, epoch: int, holder: str) -> None:
    """Write a lease. Raises Unavailable when the folder has one of this epoch or later, or cannot be written."""
    if (held := epoch_of(folder)) >= epoch:
        raise Unavailable(f"agents/{folder.name} is lent under epoch {held}; {epoch} is too old")
    try:
        write_atomic(folder / LEASE, json.dumps({"epoch": epoch, "holder": holder}) + "\n")
    except OSError as error:
        raise Unavailable(f"agents/{folder.name}/{LEASE} cannot be written: {error}") from None


class Fence:
    """A lease taken by this process; see `take` for arguments and errors."""

    def __init__(self, folder: Path, epoch: int, holder: str) -> None:
        take(folder, epoch, holder)
        self.epoch = epoch
        self._folder = folder
        self._seen = self._stamp()

    def _stamp(self) -> tuple[int, int]:
        status = (self._folder / LEASE).stat()
        return status.st_ino, status.st_mtime_ns

    def holds(self) -> bool:
        """Return whether nobody took over since. The file is read again only when it was replaced."""
        try:
            if (stamp := self._stamp()) != self._seen:
                if epoch_of(self._folder) != self.epoch:
                    return False
                self._seen = stamp
        except (OSError, Unavailable):
            return False
        return True
