"""Safe file names, atomic writes, guarded reads and the lock that allows one writer for each vault.

A reader never sees a half-written file, a name never leaves its folder, and a failed write leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import stat
import unicodedata
from collections.abc import Callable, Container, Iterator, Sequence
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from mud.errors import Problem, UnsafePath, VaultLocked, VaultProblem
from mud.storage.paths import (
    LINK,
    NO_FILE,
    check_fences,
    first_link,
    hold,
    let_go,
    make_folder,
    may_be_read,
    open_in,
    open_own,
    own_folder,
    read_bytes,
    remove,
    unsafe,
)

READ_LIMIT = 1024 * 1024  # bytes; for files that people write
OWN_LIMIT = 16 * READ_LIMIT
"""Bytes; for files that the program writes or appends to, such as a journal or a summary with its sources."""

LONGEST_NAME = 60  # characters in a slug; `LONGEST_NAME_BYTES` holds too, as file systems limit bytes
LONGEST_NAME_BYTES = 180
"""Leaves room for `-edited`, a counter and an extension within the 255 bytes of common file systems."""

_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")})
"""Device names of Windows, reserved with any extension."""
LEFTOVER = re.compile(r"\.[0-9a-f]{12}\.tmp")
"""Names of the temporary files of `write_atomic`."""
NOTE = ".lock"  # the file of a vault with the process id of its writer, and the address of its pages
_NO_FOLDERS = (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOTSUP, errno.EISDIR)
"""Errors of file systems that cannot lock a folder, such as network ones."""
_NO_LINKS = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES)
"""Errors of file systems that can give a file no further name."""
_DROPPED = "'’ʼ`´"  # marks that are dropped without a gap: "Eliza's" becomes one word


def slugify(name: str) -> str:
    """Return a readable file name, without extension, for any text.

    Letters, marks and digits stay, in lower case and NFC; all else becomes one `-` between words. The result is never
    empty, hidden or a path, and its slug is itself.
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
    """Return `stem`, or the first of `stem-2`, `stem-3` ... that is not taken."""
    if stem not in taken:
        return stem
    number = 2
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"


def encode(text: str) -> bytes:
    """Encode as UTF-8; a lone surrogate becomes a visible escape."""
    return text.encode("utf-8", "backslashreplace")


def sha256_text(text: str) -> str:
    return hashlib.sha256(encode(text)).hexdigest()


def write_atomic(path: Path, text: str) -> None:
    """Replace a file atomically and sync it to disk; its permissions stay.

    Makes its folder, but not those above. Raises UnsafePath for links; after any OSError the old file is unchanged.
    """
    _replace(path, text, synced=True)


def write_unsynced(path: Path, text: str | bytes) -> None:
    """Replace a file as `write_atomic` does, but without syncing: a kill loses nothing, a power cut may.

    For many small files at once; call `os.sync` afterwards.
    """
    _replace(path, text, synced=False)


def write_private(path: Path, text: str, *, synced: bool = True) -> None:
    """Replace a file as `write_atomic` does, or as `write_unsynced`; only the owner of the process may read it."""
    _replace(path, text, synced=synced, mode=0o600)


def _replace(path: Path, text: str | bytes, *, synced: bool, mode: int | None = None) -> None:
    check_fences(path)
    try:
        with own_folder(path.parent) as folder:
            mode, beside = mode or _mode_of(path, folder), f".{secrets.token_hex(6)}.tmp"
            try:
                descriptor = open_in(folder, beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode or 0o666, path)
                _fill(descriptor, encode(text) if isinstance(text, str) else text, mode, synced=synced)
                os.replace(beside, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(beside, dir_fd=folder)
                raise
    except FileNotFoundError:
        if path.parent.is_dir():
            raise
        make_folder(path.parent)
        _replace(path, text, synced=synced, mode=mode)
    else:
        if synced:
            sync_folder(path.parent)


def _fill(descriptor: int, data: bytes, mode: int | None, *, synced: bool) -> None:
    try:
        if mode is not None:
            os.fchmod(descriptor, mode)
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        if synced:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep_leftovers(folder: Path) -> None:
    """Remove the temporary files that a killed `write_atomic` left in a folder, not in its subfolders.

    Only the vault's writer may call this, before it writes. Errors are ignored.
    """
    with contextlib.suppress(OSError), own_folder(folder):
        for path in [path for path in folder.iterdir() if LEFTOVER.fullmatch(path.name)]:
            if path.is_file() and not path.is_symlink():
                remove(path)


def _mode_of(path: Path, folder: int) -> int | None:
    try:
        found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise unsafe(path, LINK if stat.S_ISLNK(found.st_mode) else NO_FILE)
    return stat.S_IMODE(found.st_mode)


def write_new(path: Path, data: bytes, mode: int | None = None, *, synced: bool = True) -> None:
    """Create a file and sync it to disk. Raises FileExistsError; after another OSError a part of it may be there."""
    _fill(open_own(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), data, mode, synced=synced)


def link_or_copy(source: Path, target: Path) -> bool:
    """Let a new name stand for a file that is never changed in place; return False when it had to be copied.

    Raises OSError; UnsafePath when the source is a link or no ordinary file.
    """
    if source.is_symlink() or not source.is_file():
        raise unsafe(source, LINK if source.is_symlink() else NO_FILE)
    make_folder(target.parent, above=True)
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        write_new(target, read_bytes(source, own=True), synced=False)
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Sync file names that were just created or replaced in a folder."""
    with own_folder(folder) as at:
        descriptor = os.open(".", os.O_RDONLY, dir_fd=at)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file_system(folder: Path) -> None:
    """Sync all that was written to the file system of a folder; raises OSError when the disk refuses some of it."""
    with own_folder(folder) as at:
        descriptor = os.open(".", os.O_RDONLY, dir_fd=at)
    try:
        syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
        if syncfs is None:  # not on every system
            os.sync()
        elif syncfs(descriptor) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), os.fspath(folder))
    finally:
        os.close(descriptor)


def sync_files(paths: Sequence[Path]) -> None:
    """Sync files of one folder, and their names, to disk."""
    for path in paths:
        descriptor = open_own(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    if paths:
        sync_folder(paths[0].parent)


def copy_folder(
    source: Path, target: Path, left_out: Callable[[str, list[str]], set[str]] = lambda folder, names: set()
) -> None:
    """Copy a folder of a vault, without links that may not be followed, pipes and devices.

    A link inside a linked folder is left out too, as the copy might have no end.
    """

    def kept_out(folder: str, names: list[str]) -> set[str]:
        return left_out(folder, names) | {name for name in names if not _can_be_copied(Path(folder, name))}

    if _can_be_copied(source) and source.is_dir():
        shutil.copytree(source, target, ignore=kept_out)


def _can_be_copied(path: Path) -> bool:
    if path.is_symlink() and (not may_be_read(path) or first_link(path.parent)):
        return False
    return path.is_dir() or path.is_file()


def read_text(path: Path, limit: int = READ_LIMIT, file: str | None = None, *, inside: bool = False) -> str:
    """Return the text of a file that people may have written, with its line ends unchanged.

    `limit` is in bytes; `file` is its name in problems; with `inside` no link out of the vault is followed, even with
    `follow_links`. Raises VaultProblem when it is missing, unreadable, not ordinary, a forbidden link, too long or not
    UTF-8.
    """
    text = read_if_there(path, limit, file, inside=inside)
    if text is None:
        raise _trouble(path, file, "there is no such file")
    return text


def read_if_there(
    path: Path, limit: int = READ_LIMIT, file: str | None = None, *, inside: bool = False, own: bool = False
) -> str | None:
    """Return the text of a file as `read_text` does; None when it is missing. With `own` no link is followed."""
    try:
        data = read_bytes(path, limit, inside=inside, own=own)
    except FileNotFoundError:
        return None
    except UnsafePath as error:
        raise _trouble(path, file, error.problems[0].message) from error
    except OSError as error:
        why = str(error.strerror or error)
        raise _trouble(path, file, why if error.errno == errno.EFBIG else f"it cannot be read: {why}") from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _trouble(path, file, "this line is not UTF-8 text; save the file as UTF-8", line) from error


def _trouble(path: Path, file: str | None, message: str, line: int = 0) -> VaultProblem:
    return VaultProblem([Problem(str(path) if file is None else file, line, "", message)])


def lock_folder(folder: Path, *, wait: bool) -> int:
    """Lock a folder itself, where the file system can; closing the returned descriptor unlocks it.

    Removing files in the folder does not unlock it. Raises BlockingIOError when another process has the lock and `wait`
    is False.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno not in _NO_FOLDERS:
            os.close(descriptor)
            raise
    return descriptor


@contextlib.contextmanager
def lock_vault(vault: Path) -> Iterator[None]:
    """Allow one writer for a vault; the kernel releases the lock when the process ends.

    The folder itself is locked, so removing `.lock` lets no second writer in; `.lock` is locked too, for file systems
    that cannot lock folders. A moved folder keeps its lock; see `paths.hold`. Raises VaultLocked when another process
    has the lock, VaultProblem for an unwritable folder.
    """
    held: list[int] = []
    try:
        _lock(vault, held)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(held[1], 0)  # a stale number would name a process that is gone
    finally:
        if held:
            let_go(vault)
        for descriptor in held:
            os.close(descriptor)


def _lock(vault: Path, held: list[int]) -> None:
    note = vault / NOTE
    try:
        held.append(lock_folder(vault, wait=False))
        held.append(open_own(note, os.O_RDWR | os.O_CREAT))
        fcntl.flock(held[1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(held[1], 0)
        os.pwrite(held[1], f"{os.getpid()}\n".encode(), 0)
        # Opened once more, as a child process that inherits it must not keep the lock when its parent was killed.
        held.append(os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=held[0]))
        hold(vault, held[2])
    except BlockingIOError:
        raise VaultLocked(str(vault.absolute()), _noted(note)) from None
    except UnsafePath:
        raise
    except OSError as error:
        why = f"the vault cannot be locked: {error.strerror or error}; expected a folder one may write to"
        raise VaultProblem([Problem(str(vault), 0, "", why)]) from error


def note_address(vault: Path, address: str) -> None:
    """Write down where the pages of a vault's writer are, for `noted_address`. Raises OSError and VaultProblem."""
    descriptor = open_own(vault / NOTE, os.O_WRONLY)
    try:
        os.pwrite(descriptor, f"{os.getpid()}\n{address}\n".encode(), 0)
    finally:
        os.close(descriptor)


def noted_address(vault: Path) -> str | None:
    """Return where the pages of a vault's writer are; None without. The address of one that was killed stays."""
    try:
        lines = read_bytes(vault / NOTE, 256).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    return lines[1] if len(lines) > 1 and lines[1].startswith("http://") else None


def _noted(note: Path) -> int | None:
    try:
        number = read_bytes(note, 256).split(b"\n")[0]
    except OSError:
        return None
    return int(number) if number.isdigit() else None


class VaultLog(RotatingFileHandler):
    """Writes log records to a file of the vault and makes its folder; keeps `kept` old files of one megabyte."""

    def __init__(self, path: Path, kept: int) -> None:
        make_folder(path.parent, above=True)
        super().__init__(path, maxBytes=1_000_000, backupCount=kept, encoding="utf-8")

    def _open(self) -> TextIOWrapper:
        descriptor = open_own(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        return os.fdopen(descriptor, "a", encoding=self.encoding, errors=self.errors)

    def doRollover(self) -> None:
        with own_folder(Path(self.baseFilename).parent):
            super().doRollover()
