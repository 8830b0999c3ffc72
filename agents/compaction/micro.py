"""Micro compaction at the end of every turn: which results are masked from now on, written down once each.

It masks nothing itself, `masking` does; it tells the archive that it happened. Nothing depends on these lines: one that
could not be written costs nobody anything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from agents.compaction.masking import KIND, masked_count, may_mask
from agents.compaction.settings import CompactionSettings
from agents.memory.history import last_event
from agents.memory.memory import Memory
from mud.clock import Clock, iso

EVENT = "micro_compact"
"""The name of the archive's line."""
CHUNK = 1024
"""Memories read at once."""
MOST = 500
"""Results that one line names at most."""


class Micro:
    """Takes note of one life's masks.

    Args:
        memory: the life.
        settings: gives its settings of the moment.
        masks: tells whether old results are shown masked.
        owner: folder of whose it is.
        clock: the time.
    """

    def __init__(
        self,
        memory: Memory,
        settings: Callable[[], CompactionSettings],
        masks: Callable[[], bool],
        owner: str,
        clock: Clock,
    ) -> None:
        self._memory, self._settings, self._masks, self._owner, self._clock = memory, settings, masks, owner, clock
        self.forget()

    def forget(self) -> None:
        """Forget what was counted; another life may stand in the memory now."""
        self._results: list[int] = []
        self._through = 0
        self._told: int | None = None

    def turn(self) -> list[int]:
        """Write down which results are masked since the last time, and return them. Costs next to nothing when none is.

        Raises:
            OSError: when the archive cannot be read.
        """
        if not self._masks() or self._memory.waiting:
            return []
        self._take_in()
        results = self._results
        count = masked_count(len(results), self._settings())
        if not count:
            return []
        if self._told is None:
            self._told = self._told_before()
        due = results[bisect_right(results, self._told) : count]
        self._told = max(self._told, results[count - 1])
        fresh = [seq for seq in due if self._may_mask(seq)]
        for start in range(0, len(fresh), MOST):
            part = fresh[start : start + MOST]
            covers = {"first": part[0], "last": part[-1]}
            self._memory.record({"event": EVENT, "at": iso(self._clock.now()), "covers": covers, "masked": part})
        return fresh

    def _take_in(self) -> None:
        """Count what came, and let go of what was folded."""
        memory = self._memory
        if memory.total < self._through:  # another life stands there now
            self.forget()
        self._through = max(self._through, memory.watermark)
        while self._through < memory.total:
            last = min(memory.total, self._through + CHUNK)
            entries = memory.read(self._through + 1, last)
            self._results += [entry.seq for entry in entries if entry.kind == KIND]
            self._through = last
        del self._results[: bisect_right(self._results, memory.watermark)]

    def _told_before(self) -> int:
        """Return the last result that an earlier run wrote down as masked; 0 for none."""
        event = last_event(self._memory.folder / "archive", EVENT) or {}
        masked = event.get("masked")
        known = [seq for seq in masked if isinstance(seq, int)] if isinstance(masked, list) else []
        return max(known, default=0)

    def _may_mask(self, seq: int) -> bool:
        return any(may_mask(entry, self._settings(), self._owner) for entry in self._memory.read(seq, seq))
