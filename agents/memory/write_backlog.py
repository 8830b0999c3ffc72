"""What the archive could not take yet: the memories that wait, in order, and from where on there was no room for them.

It writes nothing; the memory tries again, and tells it what was written. What does not fit is left to the ledger with
everything after it, so that the order stays.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from agents.memory.entries import Entry

log = logging.getLogger(__name__)

WAITING = 4096
"""Memories that wait at most while the archive cannot be written. The ledger has them too."""


class WriteBacklog:
    """The memories of one life that wait.

    Args:
        note: shows a warning until it is taken back: what it is about, and the text or None.
    """

    def __init__(self, note: Callable[[str, str | None], None]) -> None:
        self._note = note
        self.entries: list[Entry] = []
        self.missing_from: int | None = None
        """The ledger step whose memories were the first for which there was no room; None when there was for all."""

    def __len__(self) -> int:
        return len(self.entries)

    def clear(self) -> None:
        """Know of nothing that waits or is missing, and say nothing about it."""
        self.entries, self.missing_from = [], None

    def due(self, entries: list[Entry]) -> list[Entry]:
        """Return what is to be written now, with these at its end; what is missing must come before them."""
        if self.missing_from is not None:
            entries = []  # the ledger has them; written now, they would stand before what is missing
        return [*self.entries, *entries] if self.entries else entries

    def keep(self, due: Sequence[Entry], error: OSError) -> None:
        """Have these wait, as far as there is room.

        Args:
            due: everything that could not be written.
            error: why not.
        """
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
        """Know that nothing waits any more."""
        if self.entries:
            self.entries = []
            self._note("archive", None)
