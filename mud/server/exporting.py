"""A vault as one zip file, also while a world runs in it.

Files are read in an order in which what is read later only ever knows more: the saved state, then of each agent the
summaries in use, their versions and the archive, and the ledger last. The first start of the copy adds from the ledger
what the archives lack, as after a kill.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from agents.directory import AGENT
from agents.memory.archive import decode
from agents.memory.summaries import TIERS, parse_commit
from mud.errors import LociError, UnsafePath
from mud.process import temporary_folder
from mud.sanitize import visible
from mud.storage.accounts import FOLDER as ACCOUNTS
from mud.storage.files import LEFTOVER, NOTE
from mud.storage.paths import below, missing_in, read_bytes
from mud.storage.trash import TRASH
from mud.storage.world_files import STATE
from mud.storage.zip_files import Member, write_zip

_HIDDEN = (TRASH, ".obsidian")
"""The hidden folders that are packed too; those of other programs, such as `.git`, are not."""
_LOG = "log"


class Exported(NamedTuple):
    """What `export_vault` wrote. `left_out`: links and files that are none, by their path in the vault."""

    files: int
    bytes: int
    sha256: str
    left_out: list[str]


def export_vault(vault: Path, target: Path, *, accounts: bool) -> Exported:
    """Write a new zip file of a vault; `accounts` packs passwords' hashes and keys as well.

    Raises LociError when something is there already, or when it would be part of itself; OSError.
    """
    target = target.absolute()
    if os.path.lexists(target):
        raise LociError(f"{visible(str(target))} is there already; expected a new name")
    if not target.parent.is_dir():
        raise LociError(f"there is no folder {visible(str(target.parent))} to write {visible(target.name)} in")
    if any(not missing_in(one) for one in target.resolve().parents):
        raise LociError(f"{visible(str(target))} is inside a vault, where it would be packed by the next export")
    left_out: list[str] = []
    with temporary_folder(f".{target.name}-", target.parent) as beside:
        count = write_zip(beside / "made", members(vault, left_out.append, accounts=accounts))
        (beside / "made").rename(target)
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Exported(count, target.stat().st_size, digest, sorted(left_out))


def members(
    vault: Path, left_out: Callable[[str], None], *, accounts: bool, without: Iterable[str] = ()
) -> Iterator[Member]:
    """Yield the files of a vault so that together they are one moment of it; see the module.

    `left_out` is called with each link and each file that is none; files in `without` are not read.
    """
    reader = _VaultReader(vault, left_out, without)
    yield from reader.one(STATE)
    for folder in reader.lives():
        yield from reader.memory(folder)
        yield from reader.below(folder, without=[f"{folder}/summaries", f"{folder}/archive"])
    yield from reader.below("", without=[*reader.lives(), _LOG, *([] if accounts else [ACCOUNTS])])
    yield from reader.below(_LOG, without=reader.ledger())
    for file in reader.ledger():
        yield from reader.one(file)
    for folder in reader.lives():  # who came meanwhile; the ledger holds all of their lives
        yield from reader.one(f"{folder}/{AGENT}")
        yield from reader.one(f"{folder}/.gitignore")


class _VaultReader:
    """Reads the files of a vault, each once."""

    def __init__(self, vault: Path, left_out: Callable[[str], None], without: Iterable[str]) -> None:
        self._vault, self._left_out = vault, left_out
        self._done = set(without)

    def one(self, file: str) -> Iterator[Member]:
        """Yield a file, unless it was read before or is gone."""
        if file in self._done:
            return
        self._done.add(file)
        try:
            data = read_bytes(self._vault / file, own=True)
        except UnsafePath:
            self._left_out(file)
        except (FileNotFoundError, NotADirectoryError):
            return  # removed or renamed meanwhile
        else:
            whole = data.rfind(b"\n") + 1 if file.endswith(".jsonl") else len(data)  # a last line may not be whole yet
            yield Member(file, data[:whole], private=file.startswith(f"{ACCOUNTS}/"))

    def below(self, folder: str, without: Sequence[str] = ()) -> Iterator[Member]:
        """Yield all files below a folder but those that are, or are in, one of `without`."""
        kept_out = tuple(f"{one}/" for one in without)
        for entry in below(self._vault / folder, hidden=_HIDDEN):
            if isinstance(entry, OSError):
                raise entry
            file = Path(entry.path).relative_to(self._vault).as_posix()
            unwanted = file == NOTE or LEFTOVER.fullmatch(entry.name) or f"{file}/".startswith(kept_out)
            if not unwanted and not entry.is_dir(follow_symlinks=False):
                yield from self.one(file)

    def lives(self) -> list[str]:
        """Return the folders in `agents/`."""
        found = (path for path in self._vault.glob("agents/[!.]*") if path.is_dir() and not path.is_symlink())
        return sorted(path.relative_to(self._vault).as_posix() for path in found)

    def ledger(self) -> list[str]:
        return sorted(path.relative_to(self._vault).as_posix() for path in self._vault.glob("log/ledger-*.jsonl"))

    def memory(self, folder: str) -> Iterator[Member]:
        """Yield summaries and archive of an agent: whatever the archive's last commit names is there."""
        summaries = f"{folder}/summaries"
        for tier in TIERS:
            yield from self.one(f"{summaries}/{tier}.md")
        yield from self.below(summaries)
        last = b""
        for member in self.below(f"{folder}/archive"):
            yield member
            last = member.data
        for name in _named_in(last):
            yield from self.one(f"{summaries}/{name}")


def _named_in(archive: bytes) -> Iterator[str]:
    """Yield the files of the summaries that the last commit in an archive's last file names."""
    for raw in reversed(archive.split(b"\n")):
        line = decode(raw) if b'"event":' in raw else None
        if line is not None and (commit := parse_commit(line)) is not None:
            yield from (one.file for one in commit.named.values() if PurePath(one.file).name == one.file)
            return
