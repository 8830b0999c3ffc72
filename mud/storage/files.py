"""Files that stay whole: safe names, atomic writes, careful reads and the lock that keeps a vault to one writer.

Nothing in here knows what stands in a file. A reader never meets a half-written file, a name never leaves its folder,
and a failed write leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import secrets
import stat
import unicodedata
from collections.abc import Container, Sequence
from pathlib import Path
from types import TracebackType

from mud.errors import Problem, VaultLocked, VaultProblem

READ_LIMIT = 4 * 1024 * 1024
"""Bytes that a file written by people may have; more is no text that somebody typed."""

LONGEST_NAME = 60
"""Characters in a slug; the limit of a file name is bytes, so `LONGEST_NAME_BYTES` holds besides."""
LONGEST_NAME_BYTES = 180
"""Bytes in a slug; leaves room for `-edited`, a counter and an ending below the 255 of common file systems."""

_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")})
"""Names that Windows keeps for devices, whatever their ending."""
_LEFTOVER = re.compile(r"\.[0-9a-f]{12}\.tmp")
"""The names of the files that `write_atomic` writes beside."""
_BLOCK = 4096
"""Bytes of a file that are asked for at once at least."""
_DROPPED = "'’ʼ`´"
"""Marks inside a word that leave no gap: "Eliza's" is one word."""


def slugify(name: str) -> str:
    """Return a readable file name, without ending, for a name in any script.

    Letters, marks and digits stay, in lower case and NFC; everything else becomes one `-` between words. The result is
    never empty, never hidden, never a path, and is its own slug.

    Args:
        name: any text, `../../x` included.
    """
    folded = unicodedata.normalize("NFC", name).lower()
    kept = unicodedata.normalize("NFC", "".join(map(_kept, unicodedata.normalize("NFC", folded))))
    slug = _cut("-".join(part for part in kept.split("-") if part)).strip("-")
    if not slug:
        return "unnamed"
    return f"x-{slug}" if slug in _RESERVED else slug


def _kept(letter: str) -> str:
    if unicodedata.category(letter)[0] in "LMN":
        return letter
    return "" if letter in _DROPPED or unicodedata.category(letter) == "Cf" else "-"


def _cut(slug: str) -> str:
    slug = slug[:LONGEST_NAME]
    return slug.encode("utf-8")[:LONGEST_NAME_BYTES].decode("utf-8", "ignore")


def free_stem(taken: Container[str], stem: str) -> str:
    """Return `stem`, or `stem-2`, `stem-3` ..., the first that is not taken."""
    if stem not in taken:
        return stem
    number = 2
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"


def encode(text: str) -> bytes:
    """Return the bytes that this package writes for a text: UTF-8; a lone surrogate becomes a visible escape."""
    return text.encode("utf-8", "backslashreplace")


def sha256_text(text: str) -> str:
    """Return the SHA-256 of a text as it is written, in hexadecimal."""
    return hashlib.sha256(encode(text)).hexdigest()


def write_atomic(path: Path, text: str) -> None:
    """Replace a file as a whole: whoever reads it sees the old text or the new one, also after a power cut.

    A link is followed, so that a vault may link to files kept elsewhere; the permissions of the old file stay.

    Args:
        path: the file; its folder is made when missing, not those above it.
        text: everything it shall hold.

    Raises:
        OSError: when it cannot be written; the old file is untouched and nothing is left beside it.
    """
    target = path.resolve() if path.is_symlink() else path
    target.parent.mkdir(exist_ok=True)
    beside = target.with_name(f".{secrets.token_hex(6)}.tmp")
    try:
        write_new(beside, encode(text), _mode_of(target))
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def write_unsynced(path: Path, text: str) -> None:
    """Put a file in its place as a whole, as `write_atomic` does, but leave it to the system when it reaches the disk.

    For many small files at once: a kill loses nothing of it; a power cut may, until `os.sync` has returned. A link is
    replaced, not followed.

    Args:
        path: the file; its folder is made when missing, not those above it.
        text: everything it shall hold.

    Raises:
        OSError: when it cannot be written; then nothing has changed and nothing is left beside it.
    """
    beside = f"{path.parent}/.{secrets.token_hex(6)}.tmp"
    try:
        _write_at_once(beside, encode(text))
        os.replace(beside, path)  # noqa: PTH105  (a path object takes as long as the renaming)
    except FileNotFoundError:
        if path.parent.is_dir():
            raise
        path.parent.mkdir(exist_ok=True)
        write_unsynced(path, text)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _write_at_once(path: str, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        written = os.write(descriptor, data)
    finally:
        os.close(descriptor)
    if written != len(data):
        raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes could be written", path)


def sweep_leftovers(folder: Path) -> None:
    """Remove what `write_atomic` left in a folder when its process was killed, and nothing else.

    Only the vault's one writer may call this, before it writes itself. What cannot be removed stays: it does no harm.

    Args:
        folder: the folder, not those in it; it need not be there.
    """
    with contextlib.suppress(OSError):
        for path in [path for path in folder.iterdir() if _LEFTOVER.fullmatch(path.name)]:
            if path.is_file() and not path.is_symlink():
                path.unlink()


def _mode_of(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def write_new(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write a file that must not be there yet, and have it on the disk when this returns.

    Args:
        path: the file.
        data: everything it shall hold.
        mode: its permissions; None for the usual ones.

    Raises:
        FileExistsError: when there is such a file.
        OSError: when it cannot be written; a part of it may be there then.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make names that were just created or replaced in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_files(paths: Sequence[Path]) -> None:
    """Have files of one folder that were just put there, and their names, on the disk when this returns.

    Args:
        paths: the files; nothing happens for none.

    Raises:
        OSError: when the disk refuses one.
    """
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    if paths:
        sync_folder(paths[0].parent)


def read_text(path: Path, limit: int = READ_LIMIT, file: str | None = None) -> str:
    """Return the text of a file that people may have written, byte for byte (line ends as they are).

    Args:
        path: the file.
        limit: most bytes it may have.
        file: what problems call it, its path inside the vault; the path as given when None.

    Raises:
        VaultProblem: when it is missing, unreadable, no ordinary file, too long, or not UTF-8.
    """
    text = read_if_there(path, limit, file)
    if text is None:
        raise _trouble(path, file, "there is no such file")
    return text


def read_if_there(path: Path, limit: int = READ_LIMIT, file: str | None = None) -> str | None:
    """Return the text of a file as `read_text` does, or None when there is no such file.

    Raises:
        VaultProblem: as `read_text`, but for a missing file.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise _trouble(path, file, "this is no ordinary file; expected a text file")
        data = _read_up_to(path, limit, max(found.st_size, _BLOCK))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _trouble(path, file, f"it cannot be read: {error.strerror or error}") from error
    if len(data) > limit:
        raise _trouble(path, file, f"it is too long; expected at most {limit} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _trouble(path, file, "this line is not UTF-8 text; save the file as UTF-8", line) from error


def _read_up_to(path: Path, limit: int, size: int) -> bytes:
    """Return what a file holds, but no more than one byte above the limit.

    To ask at once for as much as it may hold at most would have all that room made ready for it; `size` is what it
    likely holds.
    """
    descriptor, data = os.open(path, os.O_RDONLY), b""
    try:
        while len(data) <= limit and (more := os.read(descriptor, min(size, limit - len(data)) + 1)):
            data += more
    finally:
        os.close(descriptor)
    return data


def _trouble(path: Path, file: str | None, message: str, line: int = 0) -> VaultProblem:
    return VaultProblem([Problem(str(path) if file is None else file, line, "", message)])


class VaultLock:
    """Keeps a vault to one writer while it is held; the kernel frees it when its process ends, however that ends.

    The file `.lock` stays behind on purpose: removing it would let two processes lock two files of one name.

    Args:
        vault: the vault's folder.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock and write this process's number into it.

        Raises:
            VaultLocked: when another process holds it.
            VaultProblem: when the vault is no folder that can be written to.
        """
        with contextlib.ExitStack() as undo:
            try:
                descriptor = os.open(self._vault / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
                undo.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            except BlockingIOError:
                holder = os.read(descriptor, 32).split(b"\n")[0]
                raise VaultLocked(str(self._vault.absolute()), int(holder) if holder.isdigit() else None) from None
            except OSError as error:
                why = f"the vault cannot be locked: {error.strerror or error}; expected a folder one may write to"
                raise VaultProblem([Problem(str(self._vault), 0, "", why)]) from error
            undo.pop_all()
            self._descriptor = descriptor

    def release(self) -> None:
        """Give the lock back; doing so twice is allowed."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, 0)  # a number left behind would name a process that is gone
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> VaultLock:
        self.acquire()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()
