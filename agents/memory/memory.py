"""Memory: what one character lived through, whole. Archive, tail in RAM and summaries as one view.

It decides nothing about folding and asks no model. What it promises: an entry is in the archive before anybody else
hears of it; the view tiles `1..n` without gap or overlap; the RAM it takes does not grow with the life.
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
"""Newest memories kept in RAM at most; older ones of the tail are read from the archive when asked for."""

_AT_START = "summaries at the start"
"""The warning of what was wrong with the summaries when the memory was opened; it holds until the next fold."""

_BATCH = 1024
"""Memories that are written at once in bulk."""


@dataclass(frozen=True, slots=True)
class View:
    """A whole life: long-term `1..a`, recent `a+1..b`, hidden `b+1..c`, left out `c+1..d`, word for word `d+1..n`.

    Args:
        longterm, recent, tail: the summaries, None for one that there is not, and the rest, oldest first.
        hidden, left_out: memories that only the archive and recall know, by the strategy and by the caller's limit.
    """

    longterm: Summary | None
    recent: Summary | None
    tail: tuple[Entry, ...]
    hidden: tuple[int, int] | None = None
    left_out: tuple[int, int] | None = None


class Memory:
    """One character's memory.

    Args:
        name: the character's name.
        folder: its folder in the vault; `archive/` and `summaries/` are made in it when first needed.
        clock: tells the time of edits that say none.
        names: other names it is called by; being spoken of makes a memory matter more.
        in_ram: newest memories kept in RAM at most.
        write, write_unsynced: replace a file as a whole; tests give ones that fail or die.
        open_writer: opens an archive file for appending; tests give one that fails or dies.
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
        """Take up the life where it stands; what a kill left half done is finished.

        Args:
            writable: this process may write; a reader repairs nothing.

        Returns:
            What the owner should know, one sentence each.

        Raises:
            Unavailable: when the files cannot be read, or not be written.
        """
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
        """Try once more to write what waits, and let go of the files."""
        if self._waiting:
            self.retry()
        if self._files.unsynced:
            self.sync()
        self._archive.close()

    @property
    def total(self) -> int:
        """Memories in the archive."""
        return self._archive.total

    @property
    def waiting(self) -> int:
        """Memories that the archive could not take yet."""
        return len(self._waiting)

    @property
    def watermark(self) -> int:
        """The last memory that a summary stands for."""
        return self._tiers.watermark

    @property
    def longterm(self) -> Summary | None:
        """The summary of everything older."""
        return self._tiers.longterm

    @property
    def recent(self) -> Summary | None:
        """The summary of what was folded last."""
        return self._tiers.recent

    @property
    def last_source(self) -> int:
        """The ledger step of the last memory in the archive; 0 when there is none."""
        return self._archive.last_source

    @property
    def last_source_count(self) -> int:
        """How many memories of that step the archive holds."""
        return self._archive.last_source_count

    @property
    def compactions(self) -> int:
        """Folds of this life so far."""
        return self._archive.last_commit.number if self._archive.last_commit is not None else 0

    @property
    def warnings(self) -> list[str]:
        """What is wrong now, one sentence each."""
        return [*self._troubles.warnings, *self._troubles.unknown(unread(self.longterm, self.recent))]

    @property
    def last_error(self) -> str | None:
        """What went wrong last, also when it is over; None when nothing has."""
        return self._troubles.last

    @property
    def missing_from(self) -> int | None:
        """The ledger step whose memories were the first for which there was no room; None when there was for all.

        From there on nothing more is taken up until the memory is opened again and the ledger gives it back, in order.
        """
        return self._waiting.missing_from

    def append(self, perceived: Sequence[Perception], at: str, source: int) -> list[Entry]:
        """Remember what one step left, in one write.

        When the archive cannot be written the memories wait, are shown, and are tried again with the next ones. A
        reader, who writes nothing, keeps them in RAM as if they were in the archive.

        Args:
            perceived: what it left with this character, in order.
            at: when, written.
            source: the step's number.

        Returns:
            The entries that this call wrote, those that had waited first.
        """
        number, names = self._archive.total + len(self._waiting.entries), self.names
        return self._write(
            [entry_from_perceived(one, number + place, at, source, names) for place, one in enumerate(perceived, 1)]
        )

    def append_raw(self, records: Sequence[Mapping[str, object]], source: int | None = None) -> list[Entry]:
        """Remember records from outside, as `remember` gives them.

        Args:
            records: see `entry_from_record`.
            source: the ledger step they belong to; the last one when None.

        Returns:
            The entries that this call wrote.

        Raises:
            ValueError: when a record is wrong; then none is kept.
            Unavailable: when there is no room left for what the archive cannot take; no ledger has these.
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
        """Try to write the memories that wait; return those that were written."""
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
        """Write an event line that is no commit, what happened to this memory, and return whether it stands there.

        An archive that cannot take it gets a warning; a reader, who writes nothing, passes it over.

        Args:
            event: has `event`, and neither `seq` nor `text`.

        Raises:
            ValueError: when it is no such line, or a commit.
        """
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
        """Show a warning until it is taken back.

        Args:
            what: what it is about; one warning each.
            text: the warning; None takes it back.
        """
        self._troubles.note(what, text)

    @property
    def tail(self) -> list[Entry]:
        """The memories that no summary stands for, oldest first."""
        return self.newest(self.total + len(self._waiting) - self.watermark)

    def newest(self, count: int) -> list[Entry]:
        """Return the newest memories of the tail, at most `count`, oldest first."""
        count = min(count, self.total - self.watermark + len(self._waiting))
        waits = min(count, len(self._waiting))
        written = self.read(self.total - (count - waits) + 1, self.total)
        return [*written, *self._waiting.entries[len(self._waiting) - waits :]]

    def read(self, first: int, last: int) -> list[Entry]:
        """Return memories by number, both ends included, from RAM where they are, else from the archive.

        Raises:
            OSError: when the archive cannot be read.
        """
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
        """Show a warning that memories cannot be read, until the memory is opened again."""
        self._troubles.note_unreadable(first, last)

    def view(self) -> View:
        """Return the whole life as it is now."""
        return View(self.longterm, self.recent, tuple(self.tail))

    def versions(self) -> list[str]:
        """Return the names of the versions of recent summaries, in the order they were made."""
        return self._files.version_names("recent")

    def version(self, name: str) -> Summary | None:
        """Return one of them; None when it is gone, cannot be understood or was never committed."""
        found = self._files.version("recent", name)
        return found if found is not None and found.covers[1] <= self.watermark else None

    def commit(
        self, longterm: Summary | None, recent: Summary | None, memories: Sequence[Entry], event: Mapping[str, Any]
    ) -> list[str]:
        """Let new summaries hold: versions, then one line in the archive, then the files in use.

        Args:
            longterm, recent: the new summaries.
            memories: what the recent one covers.
            event: the commit line without its `longterm` and `recent`.

        Returns:
            What the owner should know.

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
        """Within it folds leave the files in use as they are and nothing waits for the disk; its end makes up for both.

        A kill in between is made good by the next opening; a power cut may lose what came last.
        """
        self._troubles.guarded(self._tiers.stay_behind)
        try:
            yield
        finally:
            messages = self._troubles.guarded(self._tiers.catch_up)
            self.note_trouble("summaries", "; ".join(messages) or None)
            os.sync()

    def refresh(self) -> list[str]:
        """Read both summary files in use and take up what people wrote; return what the owner should know."""
        return self._troubles.guarded(self._tiers.refresh)

    def reload_summary(self, path: Path) -> list[str]:
        """Take up a summary file that changed; return what the owner should know.

        Args:
            path: the file; versions are not looked at.
        """
        if path.stem not in TIERS or path != self._files.current(path.stem):
            return []
        return self._troubles.guarded(lambda: self._tiers.examine(path.stem))

    def restore_missing(self) -> list[str]:
        """Write again the summary files in use that are gone, blank or behind; return what the owner should know."""
        return self._troubles.guarded(self._tiers.restore)

    def sync(self) -> bool:
        """Have what was written put on the disk; a disk that refuses is shown as a warning. May run in a thread.

        Nothing waits for it: after a power cut that came first, the last memories come from the ledger again, and a
        fold whose summaries are gone is made anew.

        Returns:
            Whether the disk confirmed it.
        """
        try:
            self._files.sync()  # first, so that no line on the disk names a summary that is not
            self._archive.sync()
        except OSError as error:
            self.note_trouble("sync", f"the disk did not confirm the archive ({error})")
            return False
        self.note_trouble("sync", None)
        return True
