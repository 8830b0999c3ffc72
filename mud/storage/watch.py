"""Watch files: tell of every changed, new and vanished file within a second of its last change.

One recursive watch of the operating system makes it quick; a slow sweep of modification times makes it sure. What the
program itself wrote is not reported. File contents are read only to compare them.
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
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from mud.clock import Clock
from mud.storage.files import READ_LIMIT, sha256_text
from mud.storage.paths import read_bytes

log = logging.getLogger(__name__)

QUIET = 0.3
"""Seconds without a further event after which a save is taken to be complete: one save gives five or six events."""
PATIENCE = 0.6
"""Seconds after which changes are told although more keep coming."""
SWEEP = 5.0
"""Seconds between two sweeps of modification times."""
QUICK_SWEEP = 0.5
"""The same while the operating system refuses to watch."""

NEVER = frozenset({"archive", "log"})
"""Folders that only the program writes, and often; hidden ones such as `.index` are never watched either."""

# The mask of the kernel: appending to a file that stays open, as archives and the ledger do, causes no event at all;
# events of reading are left out too, as a reload would cause the next one.
_KINDS: list[type[FileSystemEvent]] = [
    FileClosedEvent,
    FileCreatedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]

_Mark = tuple[int, int, int]
"""Modification time in nanoseconds, size and inode of a file: when one differs, the file may have changed."""


class Watcher:
    """Watches folders and reports files.

    Args:
        report: called on the event loop with the files that changed, appeared or vanished, as paths under the folders
            given to `watch`.
        clock: measures the pauses.
        root: the folder that all watched folders are in.
    """

    def __init__(self, report: Callable[[frozenset[Path]], None], clock: Clock, root: Path) -> None:
        self._report = report
        self._clock = clock
        self._root = root
        self._marks: dict[Path, dict[Path, _Mark]] = {}
        """The watched folders, each with the files that were seen in it."""
        self._hashes: dict[Path, str | None] = {}
        self._away: set[Path] = set()
        self._changed: set[Path] = set()
        self._events = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self.blind = False
        """The operating system refused to watch; changes are noticed by sweeping alone."""

    def watch(self, folder: Path) -> None:
        """Watch one folder, not those in it; folders that appear in it later are watched too.

        Args:
            folder: need not be there yet. A folder in `NEVER` and a hidden one are passed over.
        """
        if _watchable(folder) and folder not in self._marks:
            self._marks[folder] = _scan(folder)
            if not _is_there(folder):
                self._away.add(folder)

    def wrote(self, path: Path, text: str) -> None:
        """Say that the program itself writes this text into a file, so that the change is not reported.

        Args:
            path: the file, as it would be reported.
            text: everything in it. Call it just before or after writing, before the event loop runs again.
        """
        self._hashes[path] = sha256_text(text)

    def lost(self, folder: Path) -> None:
        """Know nothing more of what is in a folder that was moved away.

        When it is back, be it at once and unchanged, all that is in it is told as new.
        """
        for known in self._marks:
            if known == folder or folder in known.parents:
                self._marks[known] = {}
                self._away.add(known)
        for path in [path for path in self._hashes if folder in path.parents]:
            del self._hashes[path]

    async def run(self) -> None:
        """Watch until cancelled; may be run again after it failed."""
        self._loop = asyncio.get_running_loop()
        observer = Observer()
        try:
            observer.schedule(_Handler(self._heard), str(self._root), recursive=True, event_filter=_KINDS)
            observer.start()
        except OSError as error:
            log.warning("%s cannot be watched (%s); changes there are looked for", self._root.name, error)
            self.blind = True
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._tell())
                tasks.create_task(self._sweep(observer))
        finally:
            self._loop = None
            if observer.is_alive():
                observer.stop()
                await asyncio.to_thread(observer.join)

    # What the operating system says.

    def _heard(self, event: FileSystemEvent) -> None:
        """Take an event from the observer's thread over to the event loop."""
        loop = self._loop
        if loop is not None:
            try:
                loop.call_soon_threadsafe(self._note, event)
            except RuntimeError:
                pass  # the loop was closed between the two lines: nobody is left to tell

    def _note(self, event: FileSystemEvent) -> None:
        """Note on the event loop which files an event is about."""
        paths = [Path(os.fsdecode(path)) for path in (event.src_path, event.dest_path) if path]
        if event.is_directory:
            for path in paths:
                if path.parent in self._marks:
                    self._meet(path)
        else:
            self._mark(path for path in paths if path.parent in self._marks)

    def _meet(self, folder: Path) -> None:
        """Look at a folder that appeared or vanished: its first files may have come before it was watched."""
        waiting = [folder]
        while waiting:
            if not _watchable(folder := waiting.pop()):
                continue
            if _is_there(folder):
                self._marks.setdefault(folder, {})
            if folder in self._marks:
                self._compare(folder, _scan(folder))
            waiting += _folders_in(folder)

    def _mark(self, paths: Iterable[Path]) -> None:
        """Note files to be told of."""
        named = {path for path in paths if not _passing(path.name)}
        if named:
            self._changed |= named
            self._events += 1
            self._wake.set()

    # What is told.

    async def _tell(self) -> None:
        """Report what changed, each time it has been quiet for a moment."""
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
        """Return whether a file holds something else than what is known of it, and know it from now on."""
        try:
            now = hashlib.sha256(read_bytes(path, READ_LIMIT)).hexdigest() if path.is_file() else None
        except OSError:
            self._hashes[path] = ""
            return True  # whoever reads it says why it cannot be read
        known = self._hashes.get(path, "" if path in self._marks.get(path.parent, ()) else None)
        if known == now:
            return False
        self._hashes[path] = now
        return True

    # The sweep.

    async def _sweep(self, observer: BaseObserver) -> None:
        """Compare modification times again and again, for what the operating system did not say."""
        while True:
            # A folder that the system takes no watch for, such as one too deep, ends the observer's thread.
            self.blind = self.blind or not all(emitter.is_alive() for emitter in observer.emitters)
            await self._clock.sleep(QUICK_SWEEP if self.blind else SWEEP)
            folders = list(self._marks)
            found = await asyncio.to_thread(lambda: [_scan(folder) for folder in folders])  # noqa: B023  (awaited here)
            for folder, marks in zip(folders, found, strict=True):
                self._compare(folder, marks)
                self._renew(folder)

    def _compare(self, folder: Path, marks: dict[Path, _Mark]) -> None:
        """Note the files of a folder whose marks are not those seen before, and remember these."""
        before = self._marks.get(folder, {})
        self._marks[folder] = marks
        for path in before.keys() - marks.keys():
            self._hashes.setdefault(path, "")  # that it was there must be known when it is told as gone
        self._mark(path for path in before.keys() | marks.keys() if before.get(path) != marks.get(path))

    def _renew(self, folder: Path) -> None:
        """Look through a folder that is back after it was away."""
        if not _is_there(folder):
            self._away.add(folder)
        elif folder in self._away:
            self._away.remove(folder)
            self._meet(folder)


class _Handler(FileSystemEventHandler):
    """Passes every event on."""

    def __init__(self, heard: Callable[[FileSystemEvent], None]) -> None:
        self._heard = heard

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Pass an event on."""
        self._heard(event)


def _is_there(folder: Path) -> bool:
    """Return whether a folder is there; one whose path is too long for the system is not."""
    return os.path.isdir(folder)  # noqa: PTH112  (a path object raises there)


def _watchable(folder: Path) -> bool:
    return folder.name not in NEVER and not folder.name.startswith(".")


def _passing(name: str) -> bool:
    """Return whether a file is one that editors and `write_atomic` make in passing."""
    return name.startswith(".") or name.endswith(("~", ".tmp", ".swp")) or name == "4913"  # the last is vim's probe


def _scan(folder: Path) -> dict[Path, _Mark]:
    """Return the files in a folder with their marks; none when it is not there."""
    found: dict[Path, _Mark] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    seen = entry.stat()
                except OSError:
                    continue  # it vanished meanwhile; the next sweep sees that
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
