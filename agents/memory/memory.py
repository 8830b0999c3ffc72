"""The memory of one character: archive, newest entries in RAM, and summaries as one view.

It does not decide about folds and asks no model. It guarantees that an entry is in the archive, or held for a moment
while only the ledger has it, before anything else learns of it; that the view tiles `1..n` without gap or overlap; and
that RAM use does not grow with the archive.
"""

from __future__ import annotations

import errno
import logging
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agents.memory.archive import Archive, OpenArchives
from agents.memory.corrections import Correction, Corrections
from agents.memory.entries import Entry, Range, entry_from_perceived, entry_from_record, merged, missing, spoken
from agents.memory.summaries import TIERS, CurrentSummaries, Summary, SummaryFiles, Write, is_commit, unread
from mud.clock import Clock, iso
from mud.errors import Unavailable
from mud.storage.files import sweep_leftovers, write_atomic, write_unsynced
from mud.storage.jsonl import JsonlWriter
from mud.storage.lease import FolderLease, held_here, holder_of, take
from mud.world.events import Perception

log = logging.getLogger(__name__)

IN_RAM = 1024  # newest entries kept in RAM at most; older ones are read from the archive
FOLDED_IN_RAM = 128  # the newest folded ones of these, which a reflection looks back on
WAITING = 4096  # entries that wait at most while the archive cannot be written. The ledger has them too.
TOLD = 8  # unreadable ranges that are named in warnings at most
_AT_START = "summaries at the start"  # key of the warning about the summaries at opening; the next fold clears it
_BATCH = 1024  # entries per write in bulk


@dataclass(frozen=True, slots=True)
class View:
    """All entries: long-term `1..a`, recent `a+1..b`, hidden `b+1..c`, left out `c+1..d`, word for word `d+1..n`.

    `hidden` (by the strategy) and `left_out` (by the caller's limit) are only in the archive and in recall.
    """

    longterm: Summary | None
    recent: Summary | None
    tail: tuple[Entry, ...]
    hidden: Range | None = None
    left_out: Range | None = None


class Memory:
    """The memory of one character.

    `folder`: its folder in the vault; `archive/` and `summaries/` are created in it when first needed. `names`: other
    names; a mention of one raises an entry's importance. Where others ever held a lease of the folder, it is taken
    before anything is written.
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
        open_writer: Callable[[Path], JsonlWriter] = JsonlWriter,
        together: OpenArchives | None = None,
        used: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self.folder = folder
        self.names = (name, *names)
        self._clock = clock
        self._archive = Archive(folder / "archive", open_writer=open_writer, together=together)
        self._files = SummaryFiles(folder / "summaries", write, write_unsynced)
        self._summaries = CurrentSummaries(self._files, lambda: iso(clock.now()))
        self._in_ram, self._used = in_ram, used
        self._lease: FolderLease | None = None
        self.last_error: str | None = None  # the latest warning, also when it no longer holds
        self._forget(writable=False)

    def _forget(self, writable: bool) -> None:
        self._writable = writable
        self.cold = False
        """Whether the tail is only in the archive, but for what came since; see `rest`."""
        self._ram: list[Entry] = []
        """The newest written entries, unreadable ones left out. Slicing a list takes a third of the time of a deque."""
        self._ram_from = 1
        """The number from which on `_ram` holds all entries of the tail that belong there."""
        self._waiting: list[Entry] = []  # entries that the archive could not take yet, in order
        self.missing_from: int | None = None
        """The first ledger step whose entries did not fit among the waiting ones; None when all did.

        Nothing more is accepted until the memory is opened again and the ledger replays the rest in order.
        """
        self._noted: dict[str, str] = {}
        self._unreadable: list[Range] = []
        self._corrected: dict[str, tuple[Summary, Summary]] = {}  # by tier: a summary in use, and as it is shown
        self.corrections = Corrections()

    def open(self, writable: bool) -> list[str]:
        """Open the files, finishing what a kill interrupted; return messages for the owner. Raises Unavailable."""
        self._forget(writable)
        try:
            if writable:  # it may have been lent, and whoever had it may be cut off only
                self._lease = held_here(self.folder) or (take(self.folder) if holder_of(self.folder).epoch else None)
                sweep_leftovers(self.folder)
                sweep_leftovers(self._files.folder)
            archive = self._archive.open(writable, begins_file=self._lease is not None and not self._lease.clean)
            self.corrections = Corrections(self._archive.corrections.values())
            summaries = self._summaries.open(self._archive.last_commit, self.total, writable)
            self._ram_from = self.total + 1
            self._warm(self._kept_from)
            self.cold = False
        except OSError as error:
            self._archive.close()
            raise Unavailable(f"the memory of {self.name} cannot be opened: {error}") from error
        for message in archive:
            self.note_trouble(message, message)
        self.note_trouble(_AT_START, "; ".join(summaries) or None)
        return archive + summaries

    @property
    def _kept_from(self) -> int:
        """The number of the first entry of the tail that is kept in RAM while the mind is hot."""
        return max(self.watermark, self.total - self._in_ram) + 1

    def _warm(self, first: int) -> None:
        """Read the tail from an entry on into RAM, as far as it is not there. Raises OSError."""
        self._ram[:0], self._ram_from = self._from_archive(first, self._ram_from - 1), first

    def rest(self) -> bool:
        """Drop what is in RAM and close the file, until the tail is asked for; return whether that could be done.

        Nothing changes but where memories are read from. New ones are kept in RAM as ever.
        """
        if self._waiting or self.missing_from is not None:
            return False
        self._ram, self.cold = list(self._archive.held), True
        self._ram_from = self.total - len(self._ram) + 1
        self._archive.close()
        return True

    def close(self) -> None:
        """Try once more to write waiting entries, then close the files and give the lease back."""
        self.retry()
        self.catch_up()
        if self._files.unsynced:
            self.sync()
        self._archive.close()
        if self._lease is not None:
            with suppress(OSError):  # the folder may be gone
                self._lease.give_back()
            self._lease = None

    def abandon(self) -> None:
        """Close the files without writing anything more; what waits or is held is dropped."""
        self._archive.take_back()
        self._waiting, self._writable, self._lease = [], False, None
        self._archive.close()

    @property
    def archive(self) -> Path:
        """The archive's folder, with all entries but waiting ones in its files."""
        self.write_held()
        return self._archive.folder

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
        return self._summaries.watermark

    @property
    def longterm(self) -> Summary | None:
        return self._shown("longterm")

    @property
    def recent(self) -> Summary | None:
        return self._shown("recent")

    def _shown(self, tier: str) -> Summary | None:
        """Return a summary in use with the corrections made since."""
        found = self._summaries.in_use.get(tier)
        if found is None or found.corrections >= self.corrections.last:
            return found
        if self._corrected.get(tier, (None,))[0] is not found:
            self._corrected[tier] = found, self.corrections.summary(found)
        return self._corrected[tier][1]

    @property
    def summaries_lag(self) -> bool:
        """Whether a summary in use was made before a correction that changes its text."""
        return any(self._shown(tier) is not found for tier, found in self._summaries.in_use.items())

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
        told = [f"{spoken(*gap)} cannot be read: {self._archive.where(*gap)}" for gap in self._unreadable[:TOLD]]
        if more := self._unreadable[TOLD:]:
            told.append(f"{_more_ranges(len(more))} that cannot be read")
        folded = unread(self.longterm, self.recent)
        for first, last in folded[:TOLD]:
            them = "it" if first == last else "them"
            told.append(f"{spoken(first, last)} cannot be read; the summary does not know {them}")
        if more := folded[TOLD:]:
            told.append(f"{_more_ranges(len(more))} that were folded unread")
        return [*self._noted.values(), *told]

    def note_trouble(self, what: str, text: str | None) -> None:
        """Set the warning of a key, or clear it with None."""
        if text is None:
            self._noted.pop(what, None)
        else:
            self._noted[what] = self.last_error = text

    def trouble_with(self, what: str) -> str | None:
        """Return the warning of a key."""
        return self._noted.get(what)

    def note_unreadable(self, first: int, last: int) -> None:
        """Warn that entries cannot be read, until the memory is opened again."""
        self._unreadable = merged([*self._unreadable, (first, last)])

    def append(self, perceived: Sequence[Perception], at: str, source: int, *, hold: bool = False) -> list[Entry]:
        """Append the entries of one step in one write; return the entries written, earlier waiting ones first.

        When the archive cannot be written, they wait and are retried with the next call. A reader keeps them in RAM.
        With `hold` they count at once and are written with later ones, by `write_held` at the latest; until then only
        the ledger gives them back after a kill.
        """
        number, names = self.total + len(self._waiting), self.names
        entries = [
            entry_from_perceived(one, number + place, at, source, names) for place, one in enumerate(perceived, 1)
        ]
        if not (hold and entries and self._writable) or self._waiting or self.missing_from is not None:
            return self._write(entries)
        self._archive.hold(entries)
        self._keep_in_ram(entries)
        return entries

    def append_raw(self, records: Sequence[Mapping[str, object]], source: int | None = None) -> list[Entry]:
        """Append records from outside (see `entry_from_record`); return the entries written.

        Raises ValueError when a record is wrong (then none is kept); Unavailable when too many entries wait; these
        records are in no ledger.
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

    def write_held(self) -> None:
        """Write the held entries; where the archive cannot be written, they wait."""
        if self._archive.holds and self._writable:
            self._write([])

    def _write(self, entries: list[Entry]) -> list[Entry]:
        if self.missing_from is not None:
            entries = []  # the ledger has them; written now, they would precede the missing ones
        held, archive = self._taken_back(), self._archive
        due = [*self._waiting, *held, *entries]
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
            self._let_wait(due[len(written) :], error)
        else:
            if self._waiting:
                self._waiting = []
                self.note_trouble("archive", None)
        self._keep_in_ram(written)
        return written[len(held) :]

    def _taken_back(self) -> list[Entry]:
        """Return the held entries, which count no more until they are written. A reader's are never written."""
        held = self._archive.take_back() if self._writable else []
        if held:
            del self._ram[max(0, len(self._ram) - len(held)) :]
        return held

    def _let_wait(self, due: Sequence[Entry], error: OSError) -> None:
        """Let entries wait, as far as there is room; from the first without room on, all are left to the ledger."""
        if not self._waiting:
            log.warning("memories wait, as the archive cannot be written: %s", error)
        self._waiting = list(due[:WAITING])
        wait = "a memory waits" if len(self._waiting) == 1 else f"{len(self._waiting):,} memories wait"
        self.note_trouble("archive", f"the archive cannot be written ({error}); {wait}")
        if len(due) > WAITING:
            self.missing_from = due[WAITING].source
            self.note_trouble(
                "missing",
                f"the memories from step {self.missing_from} on did not fit; "
                "they are in the ledger and come back at the next start",
            )

    def _keep_in_ram(self, entries: Sequence[Entry]) -> None:
        self._ram += entries
        if len(self._ram) > self._in_ram:
            del self._ram[: -self._in_ram or None]

    def record(self, event: Mapping[str, Any]) -> bool:
        """Append an event line; return whether it was written. Raises ValueError for a malformed line or a commit."""
        if is_commit(event):
            raise ValueError("a commit is written by `commit` alone, with its summaries")
        if not self._writable:
            return False
        self.write_held()
        try:
            self._archive.append_event(event)
        except OSError as error:
            self.note_trouble("event", f"the archive could not take note of {event['event']} ({error})")
            return False
        self.note_trouble("event", None)
        return True

    def correct(self, correction: Correction) -> None:
        """Write a correction down; from then on it holds in all that is read. Raises OSError, and then it does not."""
        self.retry()
        self.write_held()
        if self._waiting or not self._writable:
            raise OSError(errno.EIO, "the archive cannot be written")
        self._archive.append_event(correction.event())
        self.corrections, self._corrected = self.corrections.with_one(correction), {}
        if self._ram:
            self._ram = self._from_archive(self._ram[0].seq, self.total)

    def original(self, first: int, last: int) -> list[Entry]:
        """Return entries by number as they were archived, without corrections. Raises OSError."""
        return self._archive.read(first, last)

    @property
    def tail(self) -> list[Entry]:
        """The entries covered by no summary, oldest first."""
        return self.newest(self.total + len(self._waiting) - self.watermark)

    def newest(self, count: int) -> list[Entry]:
        """Return the newest entries of the tail, at most `count`, oldest first."""
        self._used()
        self.cold = False
        total, waiting = self.total, self._waiting
        first = max(total + len(waiting) - count, self.watermark) + 1
        found = self.read(first, total)
        return [*found, *waiting[max(0, first - total - 1) :]] if waiting else found

    def read(self, first: int, last: int) -> list[Entry]:
        """Return entries by number, both ends included, from RAM or the archive. Raises OSError."""
        first, last = max(1, first), min(last, self.total)
        if first > last:
            return []
        if self._ram and (start := first - self._ram[0].seq) >= 0:
            found = self._ram[start : start + last - first + 1]
            if found and found[0].seq == first and found[-1].seq == last:
                return found
        if not self.cold and self._kept_from <= first < self._ram_from:
            self._warm(first)
            return self.read(first, last)
        return self._from_archive(first, last)

    def _from_archive(self, first: int, last: int) -> list[Entry]:
        first = max(1, first)
        found = self.corrections.entries(self._archive.read(first, last))
        for gap in missing((entry.seq for entry in found), first, last):
            self.note_unreadable(*gap)
        return found

    def view(self) -> View:
        return View(self.longterm, self.recent, tuple(self.tail))

    def versions(self) -> list[str]:
        """Return the names of the versions of the recent summary, oldest first."""
        return self._files.version_names("recent")

    def version(self, name: str) -> Summary | None:
        """Return a version of the recent summary; None when it is missing, unreadable or was never committed."""
        found = self._files.version("recent", name)
        return self.corrections.summary(found) if found is not None and found.covers[1] <= self.watermark else None

    def commit(
        self, longterm: Summary | None, recent: Summary | None, memories: Sequence[Entry], event: Mapping[str, Any]
    ) -> list[str]:
        """Put new summaries in use: write versions, then one archive line, then the files in use.

        `memories`: the entries that `recent` covers. `event`: the commit line without its `longterm` and `recent`.
        Raises OSError when it cannot be written; then nothing has changed.
        """
        self.write_held()
        if self._waiting:
            raise OSError(errno.EIO, "the archive cannot be written")
        longterm, recent = (one and replace(one, corrections=self.corrections.last) for one in (longterm, recent))
        messages = self._summaries.commit(longterm, recent, memories, event, self._archive.append_event)
        del self._ram[: max(0, bisect_right(self._ram, self.watermark, key=lambda entry: entry.seq) - FOLDED_IN_RAM)]
        self.note_trouble("summaries", "; ".join(messages) or None)
        self.note_trouble(_AT_START, None)
        return messages

    @contextmanager
    def in_bulk(self) -> Iterator[None]:
        """Defer summary files and syncing to the end of the block; a power cut in it may lose the newest entries."""
        self.catch_up()
        self._guarded(self._summaries.stay_behind)
        try:
            yield
        finally:
            self._bring_up_to_date()
            os.sync()

    @property
    def behind(self) -> bool:
        """Whether commits leave the two files in use as they are since `stay_behind`; within `in_bulk` False."""
        return self._summaries.behind and not self._files.hasty

    def stay_behind(self) -> None:
        """Let commits leave the two files in use as they are until `catch_up`; edits are taken up then."""
        if not self._summaries.behind:
            self._guarded(lambda: self._summaries.stay_behind(hasty=False))

    def catch_up(self) -> None:
        """End `stay_behind`, if it was begun: write the files in use."""
        if self.behind:
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        messages = self._guarded(self._summaries.catch_up)
        self.note_trouble("summaries", "; ".join(messages) or None)

    def refresh(self) -> list[str]:
        """Read both summary files and take up edits; return messages for the owner."""
        return self._guarded(self._summaries.refresh)

    def reload_summary(self, path: Path) -> list[str]:
        """Take up a changed summary file, but no version; return messages for the owner."""
        if path.stem not in TIERS or path != self._files.current(path.stem):
            return []
        return self._guarded(lambda: self._summaries.examine(path.stem))

    def restore_missing(self) -> list[str]:
        """Write again summary files that are missing, blank or outdated; return messages for the owner."""
        return self._guarded(self._summaries.restore)

    def _guarded(self, work: Callable[[], list[str]]) -> list[str]:
        """Run work on the summary files and return its messages; an OSError becomes a warning."""
        try:
            messages = work()
        except OSError as error:
            text = f"the summary files cannot be written ({error})"
            self.note_trouble("summaries", text)
            return [text]
        self.note_trouble("summaries", None)
        return messages

    @property
    def unsynced(self) -> bool:
        """Whether something was written that the disk may not have."""
        return bool(self._files.unsynced) or self._archive.unsynced

    @contextmanager
    def synced_elsewhere(self) -> Iterator[None]:
        """The block syncs all that was written so far; without an OSError it counts as synced."""
        archive, self._files.unsynced, names = self._archive.take_unsynced(), [], self._files.unsynced
        try:
            yield
        except BaseException:
            self._files.unsynced[:0] = names
            if archive:
                self._archive.note_unsynced()
            raise

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


def _more_ranges(more: int) -> str:
    return "there is 1 more range of memories" if more == 1 else f"there are {more:,} more ranges of memories"
