"""Leases: who may write in a folder that several processes or machines share.

The file `lease` holds an epoch and who has it: `17 loci-2:4711`, or `17` alone when it was given back. Whoever takes
the lease raises the epoch. From then on each write of an earlier holder in that folder raises LeaseLost, also when it
was cut off or frozen meanwhile and knows nothing of it; nobody has to wait for one that does not answer.

A check opens the file anew: that takes 4 us, and network file systems answer an opening with the newest content. A
write that had passed its check just before the lease was taken may still arrive; see `FolderLease.clean`.
"""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mud.errors import LeaseLost
from mud.storage.paths import fence, open_in, own_folder, unfence

FILE = "lease"
_LONGEST = 256  # bytes of the file that are read


class Holder(NamedTuple):
    """Who holds a lease since which epoch; the name is empty for nobody."""

    epoch: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class FolderLease:
    """The right to write in a folder, from `take` until somebody else takes it; `before` is who had it then."""

    folder: Path
    holder: Holder
    before: Holder

    @property
    def clean(self) -> bool:
        """Whether the holder before gave it back, or there was none, or it had the same name, so that it has ended.

        Otherwise a last write of theirs may arrive late, so nothing may be appended to a file of theirs.
        """
        return self.before.name in ("", self.holder.name)

    @property
    def epoch(self) -> int:
        return self.holder.epoch

    def check(self) -> None:
        """Raise LeaseLost when somebody else took the lease; another OSError when that cannot be told."""
        if (now := holder_of(self.folder)) != self.holder:
            raise LeaseLost(f"{now.name or 'nobody'} holds the lease of {self.folder.name}, since epoch {now.epoch}")

    def holds(self) -> bool:
        try:
            self.check()
        except OSError:
            return False
        return True

    def give_back(self) -> None:
        """Tell the next holder that nothing of this one arrives late; does nothing when the lease is lost."""
        if _here.get(self.folder) is self:
            del _here[self.folder]
            unfence(self.folder)
        with _locked(self.folder) as file:
            if _read(file) == self.holder:
                _write(file, Holder(self.epoch))


_here: dict[Path, FolderLease] = {}
"""The newest lease of each folder that this process took and has not given back; it may be lost."""


def held_here(folder: Path) -> FolderLease | None:
    """Return the lease of a folder that this process holds."""
    lease = _here.get(folder)
    return lease if lease is not None and lease.holds() else None


def take(folder: Path, epoch: int = 0, name: str = "") -> FolderLease:
    """Take the lease of a folder from whoever has it. Raises LeaseLost for an epoch that is not new, and OSError.

    The vault's writers check it before each write in the folder, until it is given back.

    Args:
        folder: must exist.
        epoch: that begins; the next one if 0.
        name: of the new holder, which no two processes have at a time; host and process if empty.
    """
    with _locked(folder) as file:
        before = _read(file)
        if 0 < epoch <= before.epoch:
            raise LeaseLost(f"the lease of {folder.name} is at epoch {before.epoch} already; {epoch} is too old")
        holder = Holder(epoch or before.epoch + 1, name or f"{socket.gethostname()}:{os.getpid()}")
        _write(file, holder)
    lease = _here[folder] = FolderLease(folder, holder, before)
    fence(folder, lease.check)
    return lease


def holder_of(folder: Path) -> Holder:
    """Return who holds the lease of a folder; epoch 0 when there never was one. Raises OSError."""
    try:
        file = os.open(f"{folder}/{FILE}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return Holder()
    try:
        return _read(file)
    finally:
        os.close(file)


@contextmanager
def _locked(folder: Path) -> Iterator[int]:
    """Open the file for a change; others who change it wait the microseconds it takes, those who check it do not."""
    with own_folder(folder) as at:
        file = open_in(at, FILE, os.O_RDWR | os.O_CREAT, 0o666, folder / FILE)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
    finally:
        os.close(file)


def _read(file: int) -> Holder:
    epoch, _, name = os.pread(file, _LONGEST, 0).partition(b"\n")[0].partition(b" ")
    return Holder(int(epoch), name.decode("utf-8", "replace")) if epoch.isdigit() else Holder()


def _write(file: int, holder: Holder) -> None:
    line = f"{holder.epoch} {holder.name}".strip()[: _LONGEST - 1] + "\n"
    os.truncate(file, os.pwrite(file, line.encode(), 0))  # in this order: only the first line is ever read
