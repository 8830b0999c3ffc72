"""The memory of one character: archive, newest entries in RAM, and summaries as one view.

It does not decide about folds and asks no model. It guarantees that an entry is in the archive before anything else
learns of it, that the view tiles `1..n` without gap or overlap, and that RAM use does not grow with the archive.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.memory.archive import Archive, LineWriter
from agents.memory.current_summaries import CurrentSummaries
from agents.memory.entries import Entry, entry_from_perceived, entry_from_record
from agents.memory.lines import is_commit
from agents.memory.ranges import missing
from agents.memory.recent_cache import RecentCache
from agents.memory.summaries import TIERS, Summary, SummaryFiles, Write, unread
from agents.memory.warnings import MemoryWarnings
from agents.memory.write_backlog import WriteBacklog
from mud.clock import Clock, iso
from mud.errors import Unavailable
from mud.storage.files import sweep_leftovers, write_atomic, write_unsynced
from mud.storage.jsonl import JsonlWriter
from mud.world.events import Perception

IN_RAM = 1024
"""Newest entries kept in RAM at most; older ones are read from the archive."""

_AT_START = "summaries at the start"
"""Key of the warning about the summaries at opening; the next fold clears it."""

_BATCH = 1024
"""Entries per write in bulk."""


@dataclass(frozen=True, slots=True)
class View:
    """All entries: long-term `1..a`, recent `a+1..b`, hidden `b+1..c`, left out `c+1..d`, word for word `d+1..n`.

    `hidden` (by the strategy) and `left_out` (by the caller's limit) are only in the archive and in recall.
    """

    longterm: Summary | None
    recent: Summary | None
    tail: tuple[Entry, ...]
    hidden: tuple[int, int] | None = None
    left_out: tuple[int, int] | None = None


class Memory:
    """The memory of one character.

    Args:
        folder: its folder in the vault; `archive/` and `summaries/` are created in it when first needed.
        names: other names; a mention of one raises an entry's importance.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        clock: Clock,
        names: Sequence[str] = (),
        *,
        in_ram: int = IN_RAM,
        write: Write = write_atomic,
        write_unsynced: Write = write_unsynced,
        open_writer: Callable[[Path], LineWriter] = JsonlWriter,
    ) -> None:
        self.name = name
        self.folder = folder
        self.names = (name, *names)
        self._clock = clock
        self._archive = Archive(folder / "archive", open_writer=open_writer)
        self._files = SummaryFiles(folder / "summaries", write, write_unsynced)
        self._tiers = CurrentSummaries(self._files, lambda: iso(clock.now()))
        self._ram = RecentCache(in_ram)
        self._writable = False
        self._troubles = MemoryWarnings(self._archive.where)
        self._waiting = WriteBacklog(self._troubles.note)

    def open(self, writable: bool) -> list[str]:
        """Open the files, finishing what a kill interrupted; return messages for the owner. Raises Unavailable."""
        self._troubles.clear()
        self._waiting.clear()
        self._writable = writable
        try:
            if writable:
                sweep_leftovers(self.folder)
                sweep_leftovers(self._files.folder)
            archive = self._archive.open(writable)
            summaries = self._tiers.open(self._archive.last_commit, self._archive.total, writable)
            self._ram.clear()
            first = max(self.watermark + 1, self.total - self._ram.most + 1)
            self._ram.add(self._from_archive(first, self.total))
        except OSError as error:
            self._archive.close()
            raise Unavailable(f"the memory of {self.name} cannot be opened: {error}") from error
        for message in archive:
            self.note_trouble(message, message)
        self.note_trouble(_AT_START, "; ".join(summaries) or None)
        return archive + summaries

    def close(self) -> None:
        """Try once more to write waiting entries, then close the files."""
        if self._waiting:
            self.retry()
        if self._files.unsynced:
            self.sync()
        self._archive.close()

    @property
    def total(self) -> int:
        return self._archive.total

    @property
    def waiting(self) -> int:
        """Number of entries that the archive could not take yet."""
        return len(self._waiting)

    @property
    def watermark(self) -> int:
        """The last entry covered by a summary; 0 when none is."""
        return self._tiers.watermark

    @property
    def longterm(self) -> Summary | None:
        return self._tiers.longterm

    @property
    def recent(self) -> Summary | None:
        return self._tiers.recent

    @property
    def last_source(self) -> int:
        """Ledger step of the newest entry in the archive; 0 when there is none."""
        return self._archive.last_source

    @property
    def last_source_count(self) -> int:
        """Number of entries of that step in the archive."""
        return self._archive.last_source_count

    @property
    def compactions(self) -> int:
        return self._archive.last_commit.number if self._archive.last_commit is not None else 0

    @property
    def warnings(self) -> list[str]:
        return [*self._troubles.warnings, *self._troubles.unknown(unread(self.longterm, self.recent))]

    @property
    def last_error(self) -> str | None:
        """The latest warning, also when it no longer holds."""
        return self._troubles.last

    @property
    def missing_from(self) -> int | None:
        """The first ledger step whose entries did not fit into the backlog; None when all did.

        Nothing more is accepted until the memory is opened again and the ledger replays the rest in order.
        """
        return self._waiting.missing_from

    def append(self, perceived: Sequence[Perception], at: str, source: int) -> list[Entry]:
        """Append the entries of one step in one write; return the entries written, earlier waiting ones first.

        When the archive cannot be written, they wait and are retried with the next call. A reader keeps them in RAM.
        """
        number, names = self._archive.total + len(self._waiting.entries), self.names
        return self._write(
            [entry_from_perceived(one, number + place, at, source, names) for place, one in enumerate(perceived, 1)]
        )

    def append_raw(self, records: Sequence[Mapping[str, object]], source: int | None = None) -> list[Entry]:
        """Append records from outside (see `entry_from_record`); return the entries written.

        Raises:
            ValueError: when a record is wrong; then none is kept.
            Unavailable: when the backlog is full; these records are in no ledger.
        """
        step = self.last_source if source is None else source
        now, number = iso(self._clock.now()), self.total + len(self._waiting)
        entries = [
            entry_from_record(record, number + place, now, step, self.names) for place, record in enumerate(records, 1)
        ]
        written: list[Entry] = []
        for start in range(0, len(entries), _BATCH):
            if self.missing_from is not None:
                raise Unavailable("the archive could not be written; nothing more is taken up until the next start")
            written += self._write(entries[start : start + _BATCH])
        return written

    def retry(self) -> list[Entry]:
        """Try to write the waiting entries; return those written."""
        return self._write([])

    def _write(self, entries: list[Entry]) -> list[Entry]:
        due, archive = self._waiting.due(entries), self._archive
        if not due:
            return []
        before, written = archive.total, due
        try:
            if self._writable:
                archive.append(due)
            else:
                archive.hold(due)
        except OSError as error:
            written = due[: archive.total - before]
            self._waiting.keep(due[len(written) :], error)
        else:
            self._waiting.written()
        self._ram.add(written)
        return written

    def record(self, event: Mapping[str, Any]) -> bool:
        """Append an event line; return whether it was written. Raises ValueError for a malformed line or a commit."""
        if is_commit(event):
            raise ValueError("a commit is written by `commit` alone, with its summaries")
        if not self._writable:
            return False
        try:
            self._archive.append_event(event)
        except OSError as error:
            self.note_trouble("event", f"the archive could not take note of {event['event']} ({error})")
            return False
        self.note_trouble("event", None)
        return True

    def note_trouble(self, what: str, text: str | None) -> None:
        """Set the warning of a key, or clear it with None."""
        self._troubles.note(what, text)

    @property
    def tail(self) -> list[Entry]:
        """The entries covered by no summary, oldest first."""
        return self.newest(self.total + len(self._waiting) - self.watermark)

    def newest(self, count: int) -> list[Entry]:
        """Return the newest entries of the tail, at most `count`, oldest first."""
        count = min(count, self.total - self.watermark + len(self._waiting))
        waits = min(count, len(self._waiting))
        written = self.read(self.total - (count - waits) + 1, self.total)
        return [*written, *self._waiting.entries[len(self._waiting) - waits :]]

    def read(self, first: int, last: int) -> list[Entry]:
        """Return entries by number, both ends included, from RAM or the archive. Raises OSError."""
        first, last = max(1, first), min(last, self.total)
        if first > last:
            return []
        found = self._ram.between(first, last)
        return found if found is not None else self._from_archive(first, last)

    def _from_archive(self, first: int, last: int) -> list[Entry]:
        first = max(1, first)
        found = self._archive.read(first, last)
        for gap in missing((entry.seq for entry in found), first, last):
            self.note_unreadable(*gap)
        return found

    def note_unreadable(self, first: int, last: int) -> None:
        """Warn that entries cannot be read, until the memory is opened again."""
        self._troubles.note_unreadable(first, last)

    def view(self) -> View:
        return View(self.longterm, self.recent, tuple(self.tail))

    def versions(self) -> list[str]:
        """Return the names of the versions of the recent summary, oldest first."""
        return self._files.version_names("recent")

    def version(self, name: str) -> Summary | None:
        """Return a version of the recent summary; None when it is missing, unreadable or was never committed."""
        found = self._files.version("recent", name)
        return found if found is not None and found.covers[1] <= self.watermark else None

    def commit(
        self, longterm: Summary | None, recent: Summary | None, memories: Sequence[Entry], event: Mapping[str, Any]
    ) -> list[str]:
        """Put new summaries in use: write versions, then one archive line, then the files in use.

        Args:
            memories: the entries that `recent` covers.
            event: the commit line without its `longterm` and `recent`.

        Raises:
            OSError: when it cannot be written; then nothing has changed.
        """
        messages = self._tiers.commit(longterm, recent, memories, event, self._archive.append_event)
        self._ram.drop(self.watermark)
        self.note_trouble("summaries", "; ".join(messages) or None)
        self.note_trouble(_AT_START, None)
        return messages

    @contextmanager
    def in_bulk(self) -> Iterator[None]:
        """Defer summary files and syncing to the end of the block; a power cut in it may lose the newest entries."""
        self._troubles.guarded(self._tiers.stay_behind)
        try:
            yield
        finally:
            messages = self._troubles.guarded(self._tiers.catch_up)
            self.note_trouble("summaries", "; ".join(messages) or None)
            os.sync()

    def refresh(self) -> list[str]:
        """Read both summary files and take up edits; return messages for the owner."""
        return self._troubles.guarded(self._tiers.refresh)

    def reload_summary(self, path: Path) -> list[str]:
        """Take up a changed summary file, but no version; return messages for the owner."""
        if path.stem not in TIERS or path != self._files.current(path.stem):
            return []
        return self._troubles.guarded(lambda: self._tiers.examine(path.stem))

    def restore_missing(self) -> list[str]:
        """Write again summary files that are missing, blank or outdated; return messages for the owner."""
        return self._troubles.guarded(self._tiers.restore)

    def sync(self) -> bool:
        """Sync everything to disk; return whether the disk confirmed it. May run in a thread.

        A refusal becomes a warning. After a power cut the ledger restores the last entries, and lost folds are made
        again.
        """
        try:
            self._files.sync()  # first, so that no archive line on the disk names a missing summary
            self._archive.sync()
        except OSError as error:
            self.note_trouble("sync", f"the disk did not confirm the archive ({error})")
            return False
        self.note_trouble("sync", None)
        return True
