"""Files that stay whole: safe names, atomic writes, careful reads and the lock that keeps a vault to one writer.

Every file is opened as `paths` does. Nothing in here knows what stands in one. A reader never meets a half-written
file, a name never leaves its folder, and a failed write leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import stat
import unicodedata
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from types import TracebackType

from mud.errors import Problem, UnsafePath, VaultLocked, VaultProblem
from mud.storage.paths import (
    LINK,
    NO_FILE,
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

READ_LIMIT = 1024 * 1024
"""Bytes that a file written by people may have; more is no text that somebody typed."""
OWN_LIMIT = 16 * READ_LIMIT
"""Bytes of one that the program writes or makes longer, such as a journal or a summary with what it was made from."""

LONGEST_NAME = 60
"""Characters in a slug; the limit of a file name is bytes, so `LONGEST_NAME_BYTES` holds besides."""
LONGEST_NAME_BYTES = 180
"""Bytes in a slug; leaves room for `-edited`, a counter and an ending below the 255 of common file systems."""

_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")})
"""Names that Windows keeps for devices, whatever their ending."""
_LEFTOVER = re.compile(r"\.[0-9a-f]{12}\.tmp")
"""The names of the files that `write_atomic` writes beside."""
NOTE = ".lock"
"""The file of a vault that names the process which holds it."""
_NO_FOLDERS = (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOTSUP, errno.EISDIR)
"""What file systems answer that cannot lock a folder, such as those of a network."""
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

    The permissions of the old file stay.

    Args:
        path: the file; its folder is made when missing, not those above it.
        text: everything it shall hold.

    Raises:
        UnsafePath: when the file or a folder above it is a link, or it is no ordinary file.
        OSError: when it cannot be written; the old file is untouched and nothing is left beside it.
    """
    _replace(path, text, synced=True)


def write_unsynced(path: Path, text: str) -> None:
    """Put a file in its place as a whole, as `write_atomic` does, but leave it to the system when it reaches the disk.

    For many small files at once: a kill loses nothing of it; a power cut may, until `os.sync` has returned.

    Args:
        path: the file; its folder is made when missing, not those above it.
        text: everything it shall hold.

    Raises:
        UnsafePath: as `write_atomic`.
        OSError: when it cannot be written; then nothing has changed and nothing is left beside it.
    """
    _replace(path, text, synced=False)


def _replace(path: Path, text: str, *, synced: bool) -> None:
    """Write a file under a name of its own and give it the name that it shall have."""
    try:
        with own_folder(path.parent) as folder:
            mode, beside = _mode_of(path, folder), f".{secrets.token_hex(6)}.tmp"
            try:
                descriptor = open_in(folder, beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, path)
                _fill(descriptor, encode(text), mode, synced=synced)
                os.replace(beside, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(beside, dir_fd=folder)
                raise
    except FileNotFoundError:
        if path.parent.is_dir():
            raise
        make_folder(path.parent)
        _replace(path, text, synced=synced)
    else:
        if synced:
            sync_folder(path.parent)


def _fill(descriptor: int, data: bytes, mode: int | None, *, synced: bool) -> None:
    """Write everything into a new file and close it."""
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
    """Remove what `write_atomic` left in a folder when its process was killed, and nothing else.

    Only the vault's one writer may call this, before it writes itself. What cannot be removed stays: it does no harm.

    Args:
        folder: the folder, not those in it; it need not be there, and is left alone when a link leads there.
    """
    with contextlib.suppress(OSError), own_folder(folder):
        for path in [path for path in folder.iterdir() if _LEFTOVER.fullmatch(path.name)]:
            if path.is_file() and not path.is_symlink():
                remove(path)


def _mode_of(path: Path, folder: int) -> int | None:
    """Return the permissions of what a file shall replace; None when that is nothing."""
    try:
        found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise unsafe(path, LINK if stat.S_ISLNK(found.st_mode) else NO_FILE)
    return stat.S_IMODE(found.st_mode)


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
    _fill(open_own(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), data, mode, synced=True)


def sync_folder(folder: Path) -> None:
    """Make names that were just created or replaced in a folder survive a power cut."""
    with own_folder(folder) as at:
        descriptor = os.open(".", os.O_RDONLY, dir_fd=at)
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
    """Copy a folder of a vault, as far as it may be read: no link that is not followed, no pipe, no device.

    A link in a folder that is linked itself is left out too: otherwise a copy might have no end.

    Args:
        source: the folder; nothing happens when it is not there or not to be read.
        target: the copy, which is not there yet.
        left_out: tells of a folder's names which are not copied.
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
    """Return the text of a file that people may have written, byte for byte (line ends as they are).

    Args:
        path: the file.
        limit: most bytes it may have.
        file: what problems call it, its path inside the vault; the path as given when None.
        inside: never read it from outside of the vault, whatever `follow_links` says.

    Raises:
        VaultProblem: when it is missing, unreadable, no ordinary file, a link that is not followed, too long, or not
            UTF-8.
    """
    text = read_if_there(path, limit, file, inside=inside)
    if text is None:
        raise _trouble(path, file, "there is no such file")
    return text


def read_if_there(
    path: Path, limit: int = READ_LIMIT, file: str | None = None, *, inside: bool = False, own: bool = False
) -> str | None:
    """Return the text of a file as `read_text` does, or None when there is no such file.

    Args:
        path, limit, file, inside: as in `read_text`.
        own: it is the program's alone, and never read through a link.

    Raises:
        VaultProblem: as `read_text`, but for a missing file.
    """
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
    """Lock a folder itself, where the file system is able to, and return its descriptor; closing that gives it back.

    Args:
        folder: the folder; nothing in it is touched, so that nothing that is removed in it lets anybody in.
        wait: wait until nobody else holds it.

    Raises:
        BlockingIOError: when another process holds it and this one does not wait.
        OSError: when it is not there or cannot be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno not in _NO_FOLDERS:
            os.close(descriptor)
            raise
    return descriptor


class VaultLock:
    """Keeps a vault to one writer while it is held; the kernel frees it when its process ends, however that ends.

    What is locked is the vault's folder, so that whoever removes `.lock` lets nobody in. That file is a note of who
    holds the vault. It is locked too: a file system that cannot lock folders has this lock alone. The lock goes along
    with a folder that is moved, so nothing is written under its old path then: see `paths.hold`.

    Args:
        vault: the vault's folder.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._held: list[int] = []
        """Descriptors: of the folder, and of the note."""

    def acquire(self) -> None:
        """Take the lock and note this process's number.

        Raises:
            VaultLocked: when another process holds it; nothing is written then.
            VaultProblem: when the vault is no folder that can be written to.
        """
        note = self._vault / NOTE
        try:
            self._held.append(lock_folder(self._vault, wait=False))
            descriptor = open_own(note, os.O_RDWR | os.O_CREAT)
            self._held.append(descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            hold(self._vault, self._held[0])
        except BlockingIOError:
            self._let_go()
            raise VaultLocked(str(self._vault.absolute()), _noted(note)) from None
        except OSError as error:
            self._let_go()
            if isinstance(error, UnsafePath):
                raise
            why = f"the vault cannot be locked: {error.strerror or error}; expected a folder one may write to"
            raise VaultProblem([Problem(str(self._vault), 0, "", why)]) from error

    def _let_go(self) -> None:
        if self._held:
            let_go(self._vault)
        for descriptor in self._held:
            os.close(descriptor)
        self._held.clear()

    def release(self) -> None:
        """Give the lock back; doing so twice is allowed."""
        for note in self._held[1:]:
            with contextlib.suppress(OSError):
                os.ftruncate(note, 0)  # a number left behind would name a process that is gone
        self._let_go()

    def __enter__(self) -> VaultLock:
        self.acquire()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


def _noted(note: Path) -> int | None:
    """Return the number of the process that holds a vault; None when its note is gone or says nothing."""
    try:
        number = read_bytes(note, 32).split(b"\n")[0]
    except OSError:
        return None
    return int(number) if number.isdigit() else None
