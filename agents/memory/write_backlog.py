"""Entries that the archive could not take yet, in order and up to a limit.

It writes nothing; the memory retries. From the first entry that does not fit on, all are left to the ledger, so that
the order is kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from agents.memory.entries import Entry

log = logging.getLogger(__name__)

WAITING = 4096
"""Entries that wait at most while the archive cannot be written. The ledger has them too."""


class WriteBacklog:
    """The waiting entries of one agent. `note` sets the warning of a key, or clears it with None."""

    def __init__(self, note: Callable[[str, str | None], None]) -> None:
        self._note = note
        self.entries: list[Entry] = []
        self.missing_from: int | None = None
        """The first ledger step whose entries did not fit; None when all did."""

    def __len__(self) -> int:
        return len(self.entries)

    def clear(self) -> None:
        self.entries, self.missing_from = [], None

    def due(self, entries: list[Entry]) -> list[Entry]:
        """Return what is to be written now: the waiting entries and these, unless earlier ones are missing."""
        if self.missing_from is not None:
            entries = []  # the ledger has them; written now, they would precede the missing ones
        return [*self.entries, *entries] if self.entries else entries

    def keep(self, due: Sequence[Entry], error: OSError) -> None:
        """Let entries wait after a failed write, as far as there is room."""
        if not self.entries:
            log.warning("memories wait, as the archive cannot be written: %s", error)
        self.entries = list(due[:WAITING])
        wait = "a memory waits" if len(self.entries) == 1 else f"{len(self.entries):,} memories wait"
        self._note("archive", f"the archive cannot be written ({error}); {wait}")
        if len(due) > WAITING:
            self.missing_from = due[WAITING].source
            self._note(
                "missing",
                f"the memories from step {self.missing_from} on did not fit; "
                "they are in the ledger and come back at the next start",
            )

    def written(self) -> None:
        """Forget the waiting entries after a successful write."""
        if self.entries:
            self.entries = []
            self._note("archive", None)
