"""Zip files of whole folders: written so that the same files give the same bytes, and read as if from an enemy.

The entries of a file that is read must be plain files with relative names, within bounds of number and size. Nothing of
it is written before all entries were looked at.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from mud.errors import LociError
from mud.sanitize import sanitize, visible
from mud.storage.files import NOTE, write_new
from mud.storage.paths import LONGEST_FILE, make_folder

MOST_FILES = 1_000_000
MOST_BYTES = 32 * 1024**3
"""Of all files together, unpacked."""
LONGEST_PART = 255
"""Bytes of one part of a name, as of common file systems."""
NEVER = frozenset({".index", ".git", NOTE})
"""What is no part of a vault's data, whoever packed it."""
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the time of every entry, so that the time of packing changes no byte
_PRIVATE, _PLAIN = 0o600, 0o644
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1


class Member(NamedTuple):
    """One file to pack. `name`: relative, with slashes; `private`: only its owner may read it."""

    name: str
    data: bytes
    private: bool = False


def write_zip(path: Path, members: Iterable[Member]) -> int:
    """Write a new zip file and sync it to disk; return the number of its entries. Raises OSError."""
    with path.open("xb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            for member in members:
                packed.writestr(_entry_of(member), member.data)
            count = len(packed.infolist())
        file.flush()
        os.fsync(file.fileno())
    return count


def _entry_of(member: Member) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(member.name, _EARLIEST)
    entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED  # 3: the mode is one of Unix
    entry.external_attr = (stat.S_IFREG | (_PRIVATE if member.private else _PLAIN)) << 16
    return entry


def unpack_zip(path: Path, target: Path) -> int:
    """Unpack a zip file into an empty folder; return the number of files.

    Raises LociError, with one sentence, for whatever is no such file or holds what may not be unpacked; OSError when it
    cannot be written.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise LociError(f"{visible(str(path))} cannot be read: {error.strerror or error}") from None
    with file, _sound(visible(str(path))), zipfile.ZipFile(file) as packed:
        entries = _checked(packed.infolist())
        for entry in entries:
            inside = target / entry.filename
            make_folder(inside.parent, above=True)
            private = not entry.external_attr >> 16 & 0o077
            write_new(inside, packed.read(entry), _PRIVATE if private else None, synced=False)
    return len(entries)


def packed_bytes(members: Iterable[Member]) -> bytes:
    """Return a zip file of few small files, as `write_zip` writes it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for member in members:
            packed.writestr(_entry_of(member), member.data)
    return file.getvalue()


def unpacked_bytes(data: bytes, most: int) -> dict[str, bytes]:
    """Return the files in a zip file by name, of at most so many bytes together. Raises LociError as `unpack_zip`."""
    with _sound("what was sent"), zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {entry.filename: packed.read(entry) for entry in _checked(packed.infolist(), most)}


@contextmanager
def _sound(name: str) -> Iterator[None]:
    """Raise LociError within the block for what is no zip file."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:  # the last of what is not supported
        raise LociError(f"{name} cannot be read as a zip file: {visible(str(error))}") from None


def _checked(entries: list[zipfile.ZipInfo], most: int = MOST_BYTES) -> list[zipfile.ZipInfo]:
    if len(entries) > MOST_FILES:
        raise LociError(f"the zip file holds {len(entries):,} entries; expected at most {MOST_FILES:,}")
    if (total := sum(entry.file_size for entry in entries)) > most:
        raise LociError(f"the zip file unpacks to {total:,} bytes; expected at most {most:,}")
    seen: set[str] = set()
    for entry in entries:
        if (why := _why_not(entry)) or entry.filename in seen:
            raise LociError(f"the zip file's entry {visible(repr(entry.filename))} {why or 'is there twice'}")
        seen.add(entry.filename)
    return [entry for entry in entries if not entry.is_dir()]


def _why_not(entry: zipfile.ZipInfo) -> str:
    """Return why an entry is refused; empty when it is not."""
    name, kind = entry.filename.removesuffix("/"), stat.S_IFMT(entry.external_attr >> 16)
    parts = name.split("/")
    if kind not in (0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG):
        return "is a link or a special file; expected plain files"
    if any(part in ("", ".", "..") for part in parts) or "\\" in name or entry.orig_filename != entry.filename:
        return "leads out of its folder; expected a relative path"
    if sanitize(name) != name or "\n" in name or any(len(part.encode()) > LONGEST_PART for part in parts):
        return "has a name that no file should have"
    if parts[0] in NEVER:
        return "belongs to a program at work, and is part of no vault"
    if entry.file_size > LONGEST_FILE:
        return f"unpacks to {entry.file_size:,} bytes; expected at most {LONGEST_FILE:,}"
    if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _METHODS:
        return "is encrypted or packed by a method that is not read; expected deflate"
    return ""
