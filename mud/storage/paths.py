"""Opening the files of a vault safely, even a vault from a stranger.

Files that the program writes are never reached through a link; those that people write only through links inside the
vault, or with `follow_links`. Only ordinary files are opened, as a pipe would block. The kernel is asked to follow no
link on the way, or else each folder is opened from the one above it, so that no link can be put in between a check and
the opening. A vault that is written to is held: its files are opened from the descriptor of its folder, and refused
while that folder is not in its place.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from mud.errors import Problem, UnsafePath
from mud.storage.openat2 import open_without_links
from mud.storage.settings import examine_settings, setting

LONGEST_FILE = 512 * 1024 * 1024
"""Bytes of a file of the program: an archive of 4,096 memories of the longest text."""
SHIPPED = Path(__file__).resolve().parents[2] / "vault"
"""The vault that came with the program; it supplies texts that an older vault lacks."""
SETTINGS = "config/vault.md"
WORLD, BESIDES = "world", ("agents", "config", "instinct", "prompts", "text")
"""A folder is a vault if it has the first and at least one of the others."""

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
"""On Linux, O_PATH needs no permission to list the folder."""
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_LINK = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)  # errors when a link is not followed
_NO_FILE = (errno.ENXIO, errno.EISDIR, errno.ENODEV, errno.EOPNOTSUPP)
"""Errors when a socket, pipe or folder is opened as a file."""
LINK = "this is a link, and the program writes through none; expected it here itself, or nothing under this name"
NO_FILE = "this is no ordinary file; expected one, or nothing under this name"
NEVER = "this leads out of the vault through a link, and is never read; expected it here itself"
OUTSIDE = f"this leads out of the vault through a link, and is read only with follow_links: true in {SETTINGS}"

AWAY = "the vault's folder was moved, removed or replaced while it is in use; nothing is written until it is back"

_LONGEST = 1 << 20  # bytes of the settings file that are read
_BLOCK = 4096  # bytes of one read, at least
_held: dict[str, tuple[int, tuple[int, int]]] = {}
"""Of each vault that this process writes to, by its path: the descriptor of its folder, and which folder that is."""
_fences: dict[str, Callable[[], object]] = {}
"""Of each folder that may be written to only under a condition, by its path: what raises OSError when that fails."""


@dataclass(frozen=True, slots=True)
class VaultSettings:
    """`config/vault.md`."""

    follow_links: bool = setting(
        False,
        "Whether files that people wrote are read through links that lead out of the vault; memories never are, and "
        "nothing is ever written through a link. Leave it off in a vault that you have from somebody else.",
        per_agent=False,
    )


def hold(vault: Path, descriptor: int) -> None:
    """Open all files of a vault from this descriptor of its folder until `let_go`; it must stay open."""
    opened = os.fstat(descriptor)
    _held[str(vault)] = descriptor, (opened.st_dev, opened.st_ino)


def let_go(vault: Path) -> None:
    _held.pop(str(vault), None)


def check_held(path: Path | str) -> tuple[int, str] | None:
    """Return the descriptor of the held vault that contains a path, and the path in it; None for no held vault.

    Raises OSError, with a full sentence as `strerror`, when the vault's folder was moved or replaced.
    """
    path = os.fspath(path)
    for vault, (descriptor, opened) in _held.items():
        if path.startswith(vault) and path[len(vault) : len(vault) + 1] in ("", "/"):
            try:
                found = os.lstat(vault)
            except (FileNotFoundError, NotADirectoryError):
                found = None
            if found and (found.st_dev, found.st_ino) == opened:
                return descriptor, path[len(vault) + 1 :] or "."
            # Not FileNotFoundError, on which callers would create the folder.
            raise OSError(errno.ESTALE, AWAY, vault)
    return None


def fence(folder: Path, check: Callable[[], object]) -> None:
    """Write into a folder, and those below, only while `check` raises no OSError, until `unfence`."""
    _fences[str(folder)] = check


def unfence(folder: Path) -> None:
    _fences.pop(str(folder), None)


def check_fences(path: Path | str) -> None:
    """Raise OSError when a folder that contains a path may no longer be written to."""
    if _fences:
        above = os.fspath(path)
        while above := above.rpartition("/")[0]:
            if (check := _fences.get(above)) is not None:
                check()


def open_own(path: Path | str, flags: int, mode: int = 0o666) -> int:
    """Open a file that the program writes; arguments as of `os.open`. Raises UnsafePath for links and special files."""
    if flags & os.O_ACCMODE:
        check_fences(path)
    root, inside = check_held(path) or (None, os.fspath(path))
    descriptor = open_without_links(inside, flags | _FILE, mode, root)
    if descriptor is not None:
        return _ordinary(descriptor, path)
    with own_folder(os.path.dirname(path)) as folder:  # noqa: PTH120  (a path object takes twice as long)
        return open_in(folder, os.path.basename(path), flags, mode, path)  # noqa: PTH119


def open_in(folder: int, name: str, flags: int, mode: int, path: Path | str) -> int:
    """Open an ordinary file in an open folder; `path` is the full path, for messages. Raises UnsafePath."""
    try:
        descriptor = os.open(name, flags | _FILE, mode, dir_fd=folder)
    except OSError as error:
        if error.errno in _LINK:
            raise unsafe(path, LINK) from None
        if error.errno in _NO_FILE:
            raise unsafe(path, NO_FILE) from None
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    return _ordinary(descriptor, path)


def _ordinary(descriptor: int, path: Path | str) -> int:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise unsafe(path, NO_FILE)
    return descriptor


@contextlib.contextmanager
def own_folder(folder: Path | str) -> Iterator[int]:
    """Open a folder that the program writes in; the descriptor is only good as a `dir_fd`. Raises UnsafePath."""
    at = _opened_folder(os.fspath(folder) or ".")
    try:
        yield at
    finally:
        os.close(at)


def _opened_folder(folder: str) -> int:
    root, inside = check_held(folder) or (None, folder)
    if (whole := open_without_links(inside, _FOLDER, 0, root)) is not None:
        return whole
    at = os.open("/" if inside.startswith("/") else ".", _FOLDER, dir_fd=root)
    try:
        for part in filter(None, inside.split("/")):
            inner = os.open(part, _FOLDER, dir_fd=at)
            os.close(at)
            at = inner
    except OSError as error:
        os.close(at)
        if error.errno in _LINK and (link := first_link(Path(folder))) is not None:
            raise unsafe(link, LINK) from None
        raise OSError(error.errno, error.strerror, folder) from None
    return at


def make_folder(folder: Path, *, above: bool = False) -> None:
    """Make a folder that the program writes in, and with `above` those above it; it may exist. Raises UnsafePath."""
    try:
        with own_folder(folder.parent) as parent, contextlib.suppress(FileExistsError):
            os.mkdir(folder.name, dir_fd=parent)
    except FileNotFoundError:
        if not above:
            raise
        make_folder(folder.parent, above=True)
        make_folder(folder)
    os.close(_opened_folder(str(folder)))  # it may have existed as a link


def check_tree(folder: Path) -> None:
    """Make a folder that a library writes in, and check that it holds no link or special file.

    Raises UnsafePath. The library opens files by name, so a link that is put there afterwards is not detected.
    """
    make_folder(folder, above=True)
    for at, folders, files in os.walk(folder):
        for path in (Path(at, name) for name in (*folders, *files)):
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                raise unsafe(path, LINK if stat.S_ISLNK(mode) else NO_FILE)


def below(folder: Path, *, hidden: Container[str] = ()) -> Iterator[os.DirEntry[str] | OSError]:
    """Yield all entries below a folder, each before its content, and an OSError for what cannot be listed.

    Links and hidden folders not in `hidden` are not entered; nor is the folder itself, if it is a link out of the vault
    that may not be followed.
    """
    waiting = [os.fspath(folder)] if may_be_read(folder) else []
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield error
            continue
        folders = []
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                if entry.name.startswith(".") and entry.name not in hidden:
                    continue
                folders.append(entry.path)
            yield entry
        waiting += reversed(folders)


def markdown_below(folder: Path) -> list[Path]:
    """Return the markdown files below a folder, sorted, without hidden ones. Errors are ignored here."""
    found = (one for one in below(folder) if isinstance(one, os.DirEntry))
    return sorted(Path(one.path) for one in found if one.name.endswith(".md") and not one.name.startswith("."))


def matching(folder: Path, pattern: str) -> list[Path]:
    """Return what fits a pattern in a folder, sorted; nothing from behind a link that may not be followed."""
    # By parts, as paths compare themselves, which is slow for very many.
    return sorted(folder.glob(pattern), key=lambda path: path.parts) if may_be_read(folder) else []


def remove(path: Path) -> None:
    """Remove a file of the program, if it is there; of a link only the link. Raises UnsafePath."""
    check_fences(path)
    with contextlib.suppress(FileNotFoundError), own_folder(path.parent) as folder:
        os.unlink(path.name, dir_fd=folder)


def move(source: Path, target: Path) -> None:
    """Rename a file or folder of the program; the target should not exist. Raises UnsafePath."""
    check_fences(source)
    check_fences(target)
    with own_folder(source.parent) as before, own_folder(target.parent) as after:
        if source.is_symlink():
            raise unsafe(source, LINK)
        os.rename(source.name, target.name, src_dir_fd=before, dst_dir_fd=after)


def open_to_read(path: Path | str, *, inside: bool = False, own: bool = False) -> int:
    """Open a file for reading. Raises UnsafePath for special files and links that may not be followed.

    With `inside` no link out of the vault is followed, even with `follow_links`; with `own` no link at all.
    """
    try:
        return open_own(path, os.O_RDONLY)
    except UnsafePath:
        if own or first_link(Path(path)) is None:
            raise
    real = os.path.realpath(path)
    if not _may_be_read(Path(path), Path(real), inside=inside):
        raise unsafe(path, NEVER if inside else OUTSIDE)
    return open_own(real, os.O_RDONLY)


def read_bytes(path: Path | str, limit: int | None = None, *, inside: bool = False, own: bool = False) -> bytes:
    """Return the content of a file; `inside` and `own` as in `open_to_read`.

    Raises OSError: for a file longer than `limit` bytes its `errno` is EFBIG and its `strerror` a full sentence.
    """
    descriptor, data, most = open_to_read(path, inside=inside, own=own), b"", limit_of(limit)
    try:
        check_size(descriptor, path, limit)
        # Reading with the limit as size would allocate all of it.
        size = max(os.fstat(descriptor).st_size, _BLOCK) + 1
        while len(data) <= most and (more := os.read(descriptor, size)):
            data = data + more if data else more
    finally:
        os.close(descriptor)
    if len(data) > most:  # it grew meanwhile
        raise too_long(path, len(data), limit)
    return data


def read_end(path: Path | str, most: int) -> bytes:
    """Return the last bytes of a file that the program writes, at most so many. Raises OSError."""
    descriptor = open_to_read(path, own=True)
    try:
        size = os.fstat(descriptor).st_size
        return os.pread(descriptor, most, max(0, size - most))
    finally:
        os.close(descriptor)


def check_size(descriptor: int, path: Path | str, limit: int | None = None) -> None:
    """Raise OSError when an open file is too long."""
    if (size := os.fstat(descriptor).st_size) > limit_of(limit):
        raise too_long(path, size, limit)


def limit_of(limit: int | None) -> int:
    return LONGEST_FILE if limit is None else limit


class TooLong(OSError):
    """A file or line is too long; its text is a sentence without the error number."""

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(errno.EFBIG, why, in_vault(Path(path)))

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


def too_long(path: Path | str, size: int, limit: int | None = None) -> TooLong:
    return TooLong(path, f"it is too long: {size:,} bytes; expected at most {limit_of(limit):,}")


def may_be_read(path: Path, *, inside: bool = False) -> bool:
    return first_link(path) is None or _may_be_read(path, Path(os.path.realpath(path)), inside=inside)


def _may_be_read(path: Path, real: Path, *, inside: bool = False) -> bool:
    vaults = vaults_of(path)
    if not vaults:
        return False
    return real.is_relative_to(vaults[-1]) or (not inside and all(map(_follows_links, vaults)))


def first_link(path: Path) -> Path | None:
    """Return the uppermost link among a path and its parents; None without one."""
    text, end = os.fspath(path), 0
    while end != -1:  # by text, as each file that is read asks for it
        end = text.find(os.sep, end + 1)
        if os.path.islink(above := text if end == -1 else text[:end]):  # noqa: PTH114
            return Path(above)
    return None


def vaults_of(path: Path) -> list[Path]:
    """Return the vaults that contain a file, the outermost first, up to the first link.

    Usually one. If a folder in it looks like a vault too, both must allow a link.
    """
    above = reversed(path.absolute().parents)
    return [folder for folder in takewhile(lambda one: not one.is_symlink(), above) if not missing_in(folder)]


def missing_in(folder: Path) -> str:
    """Describe what a folder lacks to be a vault; empty when it is one."""
    lacking = [f"{WORLD}/"] if not (folder / WORLD).is_dir() else []
    if not any((folder / name).is_dir() for name in BESIDES):
        lacking.append(f"any of {', '.join(f'{name}/' for name in BESIDES)}")
    return " and ".join(lacking)


def _follows_links(vault: Path) -> bool:
    """Return whether the vault allows links out of it; False when its settings file has a mistake.

    Read at every such link, so that an edit takes effect at once.
    """
    try:
        with os.fdopen(open_own(vault / SETTINGS, os.O_RDONLY), encoding="utf-8", errors="replace") as file:
            return _said(file.read(_LONGEST))
    except OSError:
        return False


@lru_cache(maxsize=8)
def _said(text: str) -> bool:
    given, problems = examine_settings(text, VaultSettings, SETTINGS)
    return not problems and any(value.value is True for value in given)


def unsafe(path: Path | str, message: str) -> UnsafePath:
    return UnsafePath([Problem(in_vault(Path(path)), 0, "", message)])


def in_vault(path: Path) -> str:
    """Return a path relative to its vault; unchanged outside of any vault."""
    vaults = vaults_of(path)
    return path.absolute().relative_to(vaults[0]).as_posix() if vaults else str(path)
