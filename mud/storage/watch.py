"""Reports every changed, new and deleted file within a second, except what the program itself wrote.

Events of the operating system make it fast; a slow sweep of modification times finds what they miss.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from mud.clock import Clock
from mud.storage.files import READ_LIMIT, sha256_text
from mud.storage.paths import read_bytes

log = logging.getLogger(__name__)

QUIET = 0.3
"""Seconds without another event before a save is complete; one save gives five or six events."""
PATIENCE = 0.6
"""Seconds after which changes are reported even while more arrive."""
SWEEP = 5.0
"""Seconds between two sweeps."""
QUICK_SWEEP = 0.5
"""Seconds between two sweeps while the system refuses to watch a folder."""

NEVER = frozenset({"archive", "log"})
"""Folders that only the program writes, and often. Hidden folders are not watched either."""

# Not the events of reading: a reload would cause the next one.
_KINDS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]

_Mark = tuple[int, int, int]
"""Modification time in nanoseconds, size and inode; a difference means that the file may have changed."""


class Watcher:
    """Watches folders; `report` is called on the event loop with the paths of changed files."""

    def __init__(self, report: Callable[[frozenset[Path]], None], clock: Clock) -> None:
        self._report = report
        self._clock = clock
        self._folders: dict[Path, ObservedWatch | None] = {}
        self._marks: dict[Path, dict[Path, _Mark]] = {}
        self._hashes: dict[Path, str | None] = {}
        self._away: set[Path] = set()
        self._changed: set[Path] = set()
        self._events = 0
        self._observer: BaseObserver | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self.blind = False
        """The system refused to watch a folder, so only sweeps find changes there."""

    def watch(self, folder: Path) -> None:
        """Watch a folder, without its subfolders, unless it is hidden or in `NEVER`.

        It may not exist yet; folders that appear in it later are watched too.
        """
        if _watchable(folder) and folder not in self._folders:
            self._folders[folder] = None
            self._marks[folder] = _scan(folder)
            self._observe(folder)
            if not _is_there(folder):
                self._away.add(folder)

    def wrote(self, path: Path, text: str) -> None:
        """Suppress the report of the program's own write of `text`.

        Call it just before or after writing, before the event loop runs again.
        """
        self._hashes[path] = sha256_text(text)

    def lost(self, folder: Path) -> None:
        """Forget a folder that was moved away; when it is back, all files in it are reported as new."""
        for known in self._folders:
            if known == folder or folder in known.parents:
                self._marks[known] = {}
                self._away.add(known)
        for path in [path for path in self._hashes if folder in path.parents]:
            del self._hashes[path]

    async def run(self) -> None:
        """Watch until cancelled; may be called again after a failure."""
        self._loop = asyncio.get_running_loop()
        self._observer = observer = Observer()
        observer.start()
        try:
            for folder in list(self._folders):
                self._observe(folder)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._tell())
                tasks.create_task(self._sweep())
        finally:
            self._observer = self._loop = None
            self._folders = dict.fromkeys(self._folders)
            observer.stop()
            await asyncio.to_thread(observer.join)

    def _observe(self, folder: Path) -> None:
        if self._observer is None or not _is_there(folder):
            return
        if (old := self._folders[folder]) is not None:
            self._observer.unschedule(old)
            self._folders[folder] = None
        try:
            self._folders[folder] = self._observer.schedule(_Handler(self._heard), str(folder), event_filter=_KINDS)
        except OSError as error:
            if not self.blind:
                log.warning("%s cannot be watched (%s); changes there are looked for", folder.name, error)
            self.blind = True

    def _heard(self, event: FileSystemEvent) -> None:
        """Called in the observer's thread."""
        loop = self._loop
        if loop is not None:
            try:
                loop.call_soon_threadsafe(self._note, event)
            except RuntimeError:
                pass  # the loop was closed in between

    def _note(self, event: FileSystemEvent) -> None:
        paths = [Path(os.fsdecode(path)) for path in (event.src_path, event.dest_path) if path]
        if event.is_directory:
            for path in paths:
                if path.parent in self._folders:
                    self._meet(path)
        else:
            self._mark(path for path in paths if path.parent in self._folders)

    def _meet(self, folder: Path) -> None:
        """Look at a folder that appeared or vanished; files in it may be older than its watch."""
        waiting = [folder]
        while waiting:
            if not _watchable(folder := waiting.pop()):
                continue
            if _is_there(folder):
                self._folders.setdefault(folder, None)
                self._observe(folder)
            if folder in self._folders:
                self._compare(folder, _scan(folder))
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
            if told := frozenset(path for path in changed if self._differs(path)):
                self._report(told)

    def _differs(self, path: Path) -> bool:
        """Return whether the content of a file changed since it was last known, and update that."""
        try:
            now = hashlib.sha256(read_bytes(path, READ_LIMIT)).hexdigest() if path.is_file() else None
        except OSError:
            self._hashes[path] = ""
            return True  # the reader reports why
        known = self._hashes.get(path, "" if path in self._marks.get(path.parent, ()) else None)
        if known == now:
            return False
        self._hashes[path] = now
        return True

    async def _sweep(self) -> None:
        while True:
            await self._clock.sleep(QUICK_SWEEP if self.blind else SWEEP)
            folders = list(self._folders)
            found = await asyncio.to_thread(lambda: [_scan(folder) for folder in folders])  # noqa: B023  (awaited here)
            for folder, marks in zip(folders, found, strict=True):
                self._compare(folder, marks)
                self._renew(folder)

    def _compare(self, folder: Path, marks: dict[Path, _Mark]) -> None:
        before = self._marks.get(folder, {})
        self._marks[folder] = marks
        for path in before.keys() - marks.keys():
            self._hashes.setdefault(path, "")  # so that the file is reported as deleted
        self._mark(path for path in before.keys() | marks.keys() if before.get(path) != marks.get(path))

    def _renew(self, folder: Path) -> None:
        """Watch a folder again that was away, which ended the observer's watch."""
        if not _is_there(folder):
            self._away.add(folder)
        elif folder in self._away:
            self._away.remove(folder)
            self._meet(folder)
        elif self._folders[folder] is None:
            self._observe(folder)


class _Handler(FileSystemEventHandler):
    def __init__(self, heard: Callable[[FileSystemEvent], None]) -> None:
        self._heard = heard

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._heard(event)


def _is_there(folder: Path) -> bool:
    """Return False, without raising, for a path that is too long."""
    return os.path.isdir(folder)  # noqa: PTH112  (a path object raises there)


def _watchable(folder: Path) -> bool:
    return folder.name not in NEVER and not folder.name.startswith(".")


def _passing(name: str) -> bool:
    """Return whether the file is a temporary one of an editor or of `write_atomic`."""
    return name.startswith(".") or name.endswith(("~", ".tmp", ".swp")) or name == "4913"  # vim's probe


def _scan(folder: Path) -> dict[Path, _Mark]:
    found: dict[Path, _Mark] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    seen = entry.stat()
                except OSError:
                    continue  # it vanished; the next sweep notices
                if stat.S_ISREG(seen.st_mode) and not _passing(entry.name):
                    found[folder / entry.name] = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
    except OSError:
        return {}
    return found


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
