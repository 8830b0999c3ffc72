"""The way to every file of a vault: opened where it stands, whatever a stranger's vault has put in its place.

What the program writes is never reached through a link: none of the folders on the way is one, nor the file itself.
What people wrote is read through a link that ends inside the vault, elsewhere only where `follow_links` is on. Nothing
but an ordinary file is opened: a pipe would block for ever. A hard link cannot be told from a file.

A vault's own path is resolved once, where the program begins; below that every folder is opened from the one above it,
so that nothing can be put in between a look and the opening. A vault that is written to is held: whatever is opened in
it is opened from its folder itself, and nothing is while that folder is not where it was.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from mud.errors import Problem, UnsafePath
from mud.storage.settings import examine_settings, setting

LONGEST_FILE = 512 * 1024 * 1024
"""Bytes that a file of the program may have, such as one of an archive: 4,096 memories of the longest text."""
SHIPPED = Path(__file__).resolve().parents[2] / "vault"
"""The vault that came with the program, whose words an older vault is lent."""
SETTINGS = "config/vault.md"
"""The file of a vault that says whether links are followed."""
WORLD, BESIDES = "world", ("agents", "config", "prompts", "text")
"""The folders by which a vault is known: the first, and at least one of the others, whatever its age."""

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
"""How a folder on the way is opened; Linux needs no permission to list it."""
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_LINK = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)
"""What systems answer when a link is not followed."""
_NO_FILE = (errno.ENXIO, errno.EISDIR, errno.ENODEV, errno.EOPNOTSUPP)
"""What they answer when a socket, a pipe or a folder is opened as a file."""
LINK = "this is a link, and the program writes through none; expected it here itself, or nothing under this name"
NO_FILE = "this is no ordinary file; expected one, or nothing under this name"
NEVER = "this leads out of the vault through a link, and is never read; expected it here itself"
OUTSIDE = f"this leads out of the vault through a link, and is read only with follow_links: true in {SETTINGS}"

AWAY = "the vault's folder was moved, removed or replaced while it is in use; nothing is written until it is back"

_LONGEST = 1 << 20
"""Bytes of the file of settings that are looked at."""
_BLOCK = 4096
"""Bytes of a file that are asked for at once at least."""
_held: dict[str, int] = {}
"""The vaults that this process writes to, and the descriptors of their folders."""


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
    """Reach everything in a vault from its folder, until `let_go`.

    Args:
        vault: its folder, as paths in it begin.
        descriptor: of that folder; stays open meanwhile.
    """
    _held[str(vault)] = descriptor


def let_go(vault: Path) -> None:
    """Hold a vault no longer; nothing happens when it is not held."""
    _held.pop(str(vault), None)


def check_held(path: Path | str) -> tuple[int, str] | None:
    """Make sure that the vault a path lies in, when it is one that is held, is where it was.

    Returns:
        The descriptor of the vault's folder, and the path inside it; None when no vault is held there.

    Raises:
        OSError: when another folder, or none, is in the vault's place; with a sentence as its `strerror`.
    """
    path = os.fspath(path)
    for vault, descriptor in _held.items():
        if path == vault or path.startswith(f"{vault}/"):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                if os.path.samestat(os.lstat(vault), os.fstat(descriptor)):
                    return descriptor, path[len(vault) + 1 :] or "."
            # Not as a file that is missing: that would be made.
            raise OSError(errno.ESTALE, AWAY, vault)
    return None


def open_own(path: Path | str, flags: int, mode: int = 0o666) -> int:
    """Open a file that the program writes, and return its descriptor.

    Args:
        path: the file; none of the folders above it may be a link.
        flags: as `os.open` takes them.
        mode: its permissions when it is made.

    Raises:
        UnsafePath: when it, or a folder above it, is a link, or when it is no ordinary file; nothing is changed then.
        OSError: when it cannot be opened.
    """
    with own_folder(os.path.dirname(path)) as folder:  # noqa: PTH120  (a path object takes twice as long)
        return open_in(folder, os.path.basename(path), flags, mode, path)  # noqa: PTH119


def open_in(folder: int, name: str, flags: int, mode: int, path: Path | str) -> int:
    """Open an ordinary file in a folder that is open, and return its descriptor.

    Args:
        folder: the folder's descriptor.
        name: the file's name in it.
        flags, mode: as `os.open` takes them.
        path: the file's whole path, for problems.

    Raises:
        UnsafePath: when it is a link or no ordinary file.
        OSError: when it cannot be opened.
    """
    try:
        descriptor = os.open(name, flags | _FILE, mode, dir_fd=folder)
    except OSError as error:
        if error.errno in _LINK:
            raise unsafe(path, LINK) from None
        if error.errno in _NO_FILE:
            raise unsafe(path, NO_FILE) from None
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise unsafe(path, NO_FILE)
    return descriptor


@contextlib.contextmanager
def own_folder(folder: Path | str) -> Iterator[int]:
    """Open a folder that the program writes in, for as long as the block takes; give its descriptor.

    It can stand for the folder wherever a `dir_fd` is taken, and for nothing else.

    Raises:
        UnsafePath: when it, or a folder above it, is a link.
        OSError: when it is not there or cannot be opened.
    """
    at = _opened_folder(os.fspath(folder) or ".")
    try:
        yield at
    finally:
        os.close(at)


def _opened_folder(folder: str) -> int:
    """Return the descriptor of a folder that no link leads to."""
    root, inside = check_held(folder) or (None, folder)
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
    """Make a folder that the program writes in, where it is not there yet.

    Args:
        folder: the folder.
        above: make those above it too.

    Raises:
        UnsafePath: when it, or a folder above it, is a link.
        OSError: when it cannot be made, or when the one above it is not there.
    """
    try:
        with own_folder(folder.parent) as parent, contextlib.suppress(FileExistsError):
            os.mkdir(folder.name, dir_fd=parent)
    except FileNotFoundError:
        if not above:
            raise
        make_folder(folder.parent, above=True)
        make_folder(folder)
    os.close(_opened_folder(str(folder)))  # it may have been there, as a link


def check_tree(folder: Path) -> None:
    """Make a folder that a library writes in, and make sure that nothing in it leads elsewhere.

    A library opens files by their names: whoever puts a link there afterwards is not kept from it.

    Raises:
        UnsafePath: when it, a folder above it or anything in it is a link, or anything in it is no ordinary file.
        OSError: when it cannot be made or read.
    """
    make_folder(folder, above=True)
    for at, folders, files in os.walk(folder):
        for path in (Path(at, name) for name in (*folders, *files)):
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                raise unsafe(path, LINK if stat.S_ISLNK(mode) else NO_FILE)


def below(folder: Path, *, hidden: Container[str] = ()) -> Iterator[os.DirEntry[str] | OSError]:
    """Yield everything below a folder, each before what is in it; no link is followed, and no hidden folder entered.

    What cannot be looked at, such as a path that is too long for the system, is an error in its place.

    Args:
        folder: the folder; there is nothing below one that is not there.
        hidden: names of hidden folders that are entered all the same.
    """
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue  # it vanished meanwhile
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
    """Return the markdown files below a folder in order, but for hidden ones; what cannot be looked at is passed over.

    Whoever checks the vault tells of that.
    """
    found = (one for one in below(folder) if isinstance(one, os.DirEntry))
    return sorted(Path(one.path) for one in found if one.name.endswith(".md") and not one.name.startswith("."))


def remove(path: Path) -> None:
    """Remove a file that the program wrote, as far as it is there. Of a link only the link goes.

    Raises:
        UnsafePath: when a folder above it is a link.
        OSError: when it cannot be removed.
    """
    with contextlib.suppress(FileNotFoundError), own_folder(path.parent) as folder:
        os.unlink(path.name, dir_fd=folder)


def move(source: Path, target: Path) -> None:
    """Give a file or folder of the program another name. Nothing should be there under it.

    Raises:
        UnsafePath: when it, or a folder above either, is a link.
        OSError: when it cannot be moved.
    """
    with own_folder(source.parent) as before, own_folder(target.parent) as after:
        if source.is_symlink():
            raise unsafe(source, LINK)
        os.rename(source.name, target.name, src_dir_fd=before, dst_dir_fd=after)


def open_to_read(path: Path | str, *, inside: bool = False, own: bool = False) -> int:
    """Open a file to read it, and return its descriptor.

    Args:
        path: the file.
        inside: never read it from outside of the vault, whatever `follow_links` says.
        own: it is the program's alone, and never read through a link.

    Raises:
        UnsafePath: when it is no ordinary file, or a link that leads where it may not.
        OSError: when it is not there or cannot be read.
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
    """Return what a file holds.

    Its size is looked at first: nothing of one that is too long is read.

    Args:
        path: the file.
        limit: bytes that it may have; None for as many as a file of the program may have, `LONGEST_FILE`.
        inside, own: as in `open_to_read`.

    Raises:
        UnsafePath: as `open_to_read`.
        OSError: when it cannot be read, or is too long; then its `errno` is EFBIG and its `strerror` a sentence.
    """
    descriptor, data, most = open_to_read(path, inside=inside, own=own), b"", limit_of(limit)
    try:
        check_size(descriptor, path, limit)
        # To ask at once for as much as it may hold at most would have all that room made ready for it.
        size = max(os.fstat(descriptor).st_size, _BLOCK) + 1
        while len(data) <= most and (more := os.read(descriptor, size)):
            data = data + more if data else more
    finally:
        os.close(descriptor)
    if len(data) > most:  # it grows while it is read
        raise too_long(path, len(data), limit)
    return data


def check_size(descriptor: int, path: Path | str, limit: int | None = None) -> None:
    """Make sure that an open file is not too long; see `read_bytes`.

    Raises:
        OSError: when it is.
    """
    if (size := os.fstat(descriptor).st_size) > limit_of(limit):
        raise too_long(path, size, limit)


def limit_of(limit: int | None) -> int:
    """Return the bytes that a file may have at most where none are named."""
    return LONGEST_FILE if limit is None else limit


class TooLong(OSError):
    """A file or line has more bytes than it may have; told as a sentence, without the number that systems give it.

    Args:
        path: the file.
        why: the sentence, without the file's name.
    """

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(errno.EFBIG, why, in_vault(Path(path)))

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


def too_long(path: Path | str, size: int, limit: int | None = None) -> TooLong:
    """Return the error that a file is too long to be read."""
    return TooLong(path, f"it is too long: {size:,} bytes; expected at most {limit_of(limit):,}")


def may_be_read(path: Path, *, inside: bool = False) -> bool:
    """Return whether a file or folder is no link, or one that is followed; see `open_to_read`."""
    return first_link(path) is None or _may_be_read(path, Path(os.path.realpath(path)), inside=inside)


def _may_be_read(path: Path, real: Path, *, inside: bool = False) -> bool:
    vaults = vaults_of(path)
    if not vaults:
        return False
    return real.is_relative_to(vaults[-1]) or (not inside and all(map(_follows_links, vaults)))


def first_link(path: Path) -> Path | None:
    """Return the uppermost of a file and the folders above it that is a link; None when none is."""
    return next((one for one in reversed((path, *path.parents)) if one.is_symlink()), None)


def vaults_of(path: Path) -> list[Path]:
    """Return the vaults that a file lies in, as far as no link leads there, the outermost first.

    Nearly always that is one. Where a folder of somebody else's in it looks like a vault too, both must allow a link.
    """
    above = reversed(path.absolute().parents)
    return [folder for folder in takewhile(lambda one: not one.is_symlink(), above) if not missing_in(folder)]


def missing_in(folder: Path) -> str:
    """Return in words what a folder lacks to be a vault; empty when it is one."""
    lacking = [f"{WORLD}/"] if not (folder / WORLD).is_dir() else []
    if not any((folder / name).is_dir() for name in BESIDES):
        lacking.append(f"any of {', '.join(f'{name}/' for name in BESIDES)}")
    return " and ".join(lacking)


def _follows_links(vault: Path) -> bool:
    """Return whether links that lead out of a vault are followed; not when the file that says so has a mistake.

    It is read whenever such a link is met, so that saving it acts at once; it is no link itself.
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
    """Return the error that a file may not be opened, named as it is called inside its vault."""
    return UnsafePath([Problem(in_vault(Path(path)), 0, "", message)])


def in_vault(path: Path) -> str:
    """Return what a file is called inside its vault; its path as given when it is in none."""
    vaults = vaults_of(path)
    return path.absolute().relative_to(vaults[0]).as_posix() if vaults else str(path)
