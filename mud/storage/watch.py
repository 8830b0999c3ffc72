"""Reports every changed, new and deleted file within a second, except what the program itself wrote.

The kernel of Linux tells at once what happens in the watched folders and those above them, and nothing of others, where
mostly the program writes. A slow sweep of modification times finds what it misses; on other systems sweeps are quick
and find all.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import logging
import os
import stat
import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from pathlib import Path

from mud.clock import Clock
from mud.storage.files import READ_LIMIT, sha256_text
from mud.storage.paths import first_link, may_be_read, read_bytes

with warnings.catch_warnings():  # it warns on systems that have no inotify
    warnings.simplefilter("ignore")
    from asyncinotify import Event, Inotify, Mask, Watch

log = logging.getLogger(__name__)

QUIET = 0.3  # seconds without another event before a save is complete; one save gives five or six events
PATIENCE = 0.6  # seconds after which changes are reported even while more arrive
SWEEP = 5.0  # seconds between two sweeps
SWEPT_AT_ONCE = 500  # folders that a sweep looks at, so that its share of the time is bounded
QUICK_SWEEP = 0.5  # seconds between two sweeps while the system refuses to watch
READ_AT_ONCE = 8  # changed files that are read between two looks at other tasks

NEVER = frozenset({"archive", "log"})
"""Folders that only the program writes, and often. Hidden folders are not watched either."""

LISTENED_AT_ONCE = 200  # folders the kernel is asked for between two looks at other tasks

_REFUSED = {errno.ENOSPC: "the system's limit of watched folders is reached", errno.ENOMEM: "the system has no memory"}
_KINDS = Mask.CLOSE_WRITE | Mask.CREATE | Mask.DELETE | Mask.MOVE | Mask.DELETE_SELF | Mask.MOVE_SELF | Mask.ONLYDIR
"""What the kernel tells: no reading, as a reload would cause the next, and no appending to a file that stays open."""

_Mark = tuple[int, int, int]
"""Modification time in nanoseconds, size and inode; a difference means that the file may have changed."""
_FOLDER: _Mark = (0, 0, 0)
"""The mark of a folder, of which only counts that it is there."""


class Watcher:
    """Watches folders below `root`; `report` is called on the event loop with the paths of changed files."""

    def __init__(self, report: Callable[[frozenset[Path]], None], clock: Clock, root: Path) -> None:
        self._report = report
        self._clock = clock
        self._root = root
        self._marks: dict[Path, dict[Path, _Mark] | None] = {}
        """The watched folders, each with what was seen in it; None before it was looked at."""
        self._above: set[Path] = set()
        """The folders in which watched ones are, up to the root, and that are not watched themselves."""
        self._hashes: dict[Path, str | None] = {}
        self._unswept: list[Path] = []
        self._away: set[Path] = set()
        self._changed: set[Path] = set()
        self._events = 0
        self._inotify: Inotify | None = None
        self._heard: dict[Path, tuple[int, Watch]] = {}
        """The folders of which the kernel tells, each with its inode: another may be in its place since."""
        self._wake = asyncio.Event()
        self.blind = False  # the system refused to watch, so only sweeps find changes

    def watch(self, folder: Path, *, scanned: bool = True) -> None:
        """Watch a folder, without its subfolders, unless it is hidden or in `NEVER`.

        It may not exist yet; folders that appear in it later are watched too. Without `scanned` it is not looked at
        before the first sweep, which is quick for very many folders.
        """
        if _watchable(folder) and folder not in self._marks:
            inode, self._marks[folder] = _scan(folder) if scanned else (0, None)
            self._listen(folder)
            self._listen_above(folder)
            if inode is None:
                self._away.add(folder)

    def unwatch(self, folder: Path) -> None:
        """Watch a folder and those in it no longer."""
        for known in self._from(folder):
            del self._marks[known]
            self._away.discard(known)
            self._listen_no_more(known)
        self._forget_files(folder)

    def wrote(self, path: Path, text: str) -> None:
        """Suppress the report of the program's own write of `text`.

        Call it just before or after writing, before the event loop runs again.
        """
        self._hashes[path] = sha256_text(text)

    def removed(self, path: Path) -> None:
        """Suppress the report of a file that the program itself takes away; called as `wrote`."""
        self._hashes[path] = None

    def lost(self, folder: Path) -> None:
        """Forget a folder that was moved away; when it is back, all files in it are reported as new."""
        for known in self._from(folder):
            self._marks[known] = {}
            self._away.add(known)
        self._forget_files(folder)

    def _from(self, folder: Path) -> list[Path]:
        """Return a folder, if it is watched, and the watched ones below it."""
        below = f"{folder}{os.sep}"  # compared as text, as paths take a hundred times as long
        return [one for one in self._marks if one == folder or str(one).startswith(below)]

    def _forget_files(self, folder: Path) -> None:
        below = f"{folder}{os.sep}"
        for path in [path for path in self._hashes if str(path).startswith(below)]:
            del self._hashes[path]

    async def run(self) -> None:
        """Watch until cancelled; may be called again after a failure."""
        with ExitStack() as opened:
            if sys.platform.startswith("linux"):
                try:
                    self._inotify = opened.enter_context(Inotify())
                except OSError as error:
                    self._refused(str(error.strerror or error))
            self.blind = self._inotify is None
            try:
                await self._listen_to_all()
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._tell())
                    tasks.create_task(self._sweep())
                    if self._inotify is not None:
                        tasks.create_task(self._hear(self._inotify))
            finally:
                self._inotify = None
                self._heard.clear()

    def _refused(self, why: str) -> None:
        log.warning("%s cannot be watched (%s); changes there are looked for", self._root.name, why)
        self.blind = True

    async def _listen_to_all(self) -> None:
        for number, folder in enumerate([*self._above, *self._marks], 1):
            if folder in self._marks or folder in self._above:
                self._listen(folder)
            if number % LISTENED_AT_ONCE == 0:
                await asyncio.sleep(0)

    def _listen(self, folder: Path) -> None:
        """Ask the kernel to tell of the folder that is in this place now, if there is one.

        Not of one behind a link, as the kernel tells of each folder once: of one in two places, by the name of either.
        """
        if self._inotify is None or self.blind:
            return
        try:
            seen = os.lstat(folder)
            inode = seen.st_ino
            if folder in self._heard and self._heard[folder][0] == inode:
                return
            self._listen_no_more(folder)
            straight = folder.parent in self._heard or first_link(folder.parent) is None
            if straight and not stat.S_ISLNK(seen.st_mode):
                watch = self._inotify.add_watch(folder, _KINDS)
                if watch.path != folder:  # it was moved here, and the kernel still tells of it by its old name
                    self._heard.pop(watch.path, None)
                    self._inotify.rm_watch(watch)
                    watch = self._inotify.add_watch(folder, _KINDS)
                self._heard[folder] = inode, watch
        except OSError as error:
            self._listen_no_more(folder)  # it is not there any more
            if error.errno in _REFUSED:
                self._refused(_REFUSED[error.errno])

    def _listen_above(self, folder: Path) -> None:
        """Ask the kernel to tell of the folders above one, in which it may appear or vanish."""
        for above in folder.parents if folder != self._root else ():
            if above in self._marks or above in self._above:
                return
            self._above.add(above)
            self._listen(above)
            if above == self._root:
                return

    def _listen_no_more(self, folder: Path) -> None:
        _, watch = self._heard.pop(folder, (0, None))
        if watch is not None and self._inotify is not None:
            with suppress(OSError):  # the kernel ended it when the folder was removed
                self._inotify.rm_watch(watch)

    async def _hear(self, inotify: Inotify) -> None:
        async for event in inotify:
            if event.mask & Mask.Q_OVERFLOW:
                await self._look_through()
            else:
                self._note(event)

    def _note(self, event: Event) -> None:
        path = event.path
        if path is None:  # of a folder that is not listened to any more
            return
        if event.name is None:  # the folder itself was moved or removed, and maybe another put in its place
            if path in self._heard and self._heard[path][1] is event.watch:
                self._listen_no_more(path)
                if path in self._marks:
                    self._away.add(path)
                    self._meet(path)
        elif event.mask & Mask.ISDIR:
            self._come_or_gone(path)
        elif path.parent in self._marks:
            self._mark([path])

    def _come_or_gone(self, folder: Path) -> None:
        """Look at a folder that appeared or vanished, or at the watched ones in it."""
        if folder in self._marks or folder.parent in self._marks:
            self._meet(folder)
        elif folder in self._above:
            self._listen(folder)
            for known in self._from(folder):
                self._meet(known)

    def _meet(self, folder: Path) -> None:
        """Look at a folder that appeared or vanished; files in it may be older than its watch."""
        waiting = [folder]
        while waiting:
            if not _watchable(folder := waiting.pop()):
                continue
            if _is_there(folder):
                self._marks.setdefault(folder, {})
                self._listen(folder)
            if folder in self._marks:
                self._compare(folder, _scan(folder)[1])
            waiting += _folders_in(folder)

    def _mark(self, paths: Iterable[Path]) -> None:
        named = {path for path in paths if not _passing(path.name)}
        if named:
            self._changed |= named
            self._events += 1
            self._wake.set()

    async def _tell(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            started = self._clock.monotonic()
            events = -1
            while events != self._events and self._clock.monotonic() - started < PATIENCE:
                events = self._events
                await self._clock.sleep(QUIET)
            changed, self._changed = self._changed, set()
            told = set[Path]()
            for number, path in enumerate(changed, 1):
                if self._differs(path):
                    told.add(path)
                if number % READ_AT_ONCE == 0:
                    await asyncio.sleep(0)
            if told:
                self._report(frozenset(told))

    def _differs(self, path: Path) -> bool:
        """Return whether the content of a file changed since it was last known, and update that."""
        try:
            now = hashlib.sha256(read_bytes(path, READ_LIMIT)).hexdigest() if path.is_file() else None
        except OSError:
            self._hashes[path] = ""
            return True  # the reader reports why
        seen = self._marks.get(path.parent, {})
        known = self._hashes.get(path, "" if seen is None or path in seen else None)
        if known == now:
            return False
        self._hashes[path] = now
        return True

    async def _sweep(self) -> None:
        while True:
            await self._clock.sleep(QUICK_SWEEP if self.blind else SWEEP)
            for folder in self._above:
                self._listen(folder)  # another may be in its place
            await self._look_at(self._next_folders())

    async def _look_through(self) -> None:
        """Listen anew to all folders and look for changes, as more happened than the kernel keeps until it is read."""
        log.warning("more changed in %s at once than the system tells; all is looked through", self._root.name)
        for folder, marks in self._marks.items():
            self._marks[folder] = marks or {}  # in one that was not looked at before, each file may have changed
        folders = [*self._above, *self._marks]
        for start in range(0, len(folders), SWEPT_AT_ONCE):
            some = folders[start : start + SWEPT_AT_ONCE]
            for folder in some:
                self._listen_no_more(folder)  # it may have been removed, and made again
                self._listen(folder)
            await self._look_at(some)

    async def _look_at(self, folders: list[Path]) -> None:
        try:
            found = await asyncio.to_thread(lambda: list(map(_scan, folders)))
        except RuntimeError:  # the system starts no further thread
            found = list(map(_scan, folders))
        for folder, (inode, marks) in zip(folders, found, strict=True):
            if folder in self._marks:  # still watched
                self._compare(folder, marks)
                self._renew(folder, inode)

    def _next_folders(self) -> list[Path]:
        """Return the watched folders whose turn it is; of very many each sweep looks at some."""
        if not self._unswept:
            self._unswept = list(self._marks)
        folders, self._unswept = self._unswept[:SWEPT_AT_ONCE], self._unswept[SWEPT_AT_ONCE:]
        return folders

    def _compare(self, folder: Path, marks: dict[Path, _Mark]) -> None:
        before = self._marks.get(folder, {})
        self._marks[folder] = marks
        if before is None:
            return
        changed = [path for path in before.keys() | marks.keys() if before.get(path) != marks.get(path)]
        files = [path for path in changed if {before.get(path), marks.get(path)} - {None, _FOLDER}]
        for path in files:
            if path not in marks:
                self._hashes.setdefault(path, "")  # so that it is reported as deleted
        self._mark(files)
        for path in changed:
            if marks.get(path) == _FOLDER and path not in self._marks:
                self._meet(path)

    def _renew(self, folder: Path, inode: int | None) -> None:
        """Look through a folder that is back after it was away, and listen to one that took the place of another."""
        if inode is None:
            self._away.add(folder)
            self._listen_no_more(folder)
        elif folder in self._away:
            self._away.remove(folder)
            self._meet(folder)
        elif folder not in self._heard or self._heard[folder][0] != inode:
            self._listen(folder)


def _is_there(folder: Path) -> bool:
    """Return False, without raising, for a path that is too long, and for a link that may not be followed."""
    return os.path.isdir(folder) and may_be_read(folder)  # noqa: PTH112  (a path object raises there)


def _watchable(folder: Path) -> bool:
    return folder.name not in NEVER and not folder.name.startswith(".")


def _passing(name: str) -> bool:
    """Return whether the file is a temporary one of an editor or of `write_atomic`."""
    return name.startswith(".") or name.endswith(("~", ".tmp", ".swp")) or name == "4913"  # vim's probe


def _scan(folder: Path) -> tuple[int | None, dict[Path, _Mark]]:
    """Return the inode of a folder, None when it is not there, and the files and folders in it."""
    found: dict[Path, _Mark] = {}
    try:
        if not _is_there(folder):
            return None, {}
        inode = os.stat(folder).st_ino  # noqa: PTH116  (a path object takes twice as long)
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    seen = entry.stat()
                except OSError:
                    continue  # it vanished; the next sweep notices
                if stat.S_ISREG(seen.st_mode) and not _passing(entry.name):
                    found[folder / entry.name] = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
                elif entry.is_dir(follow_symlinks=False):
                    found[folder / entry.name] = _FOLDER
    except OSError:
        return None, {}
    return inode, found


def _folders_in(folder: Path) -> list[Path]:
    if not _is_there(folder):
        return []
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
