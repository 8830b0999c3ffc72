"""The clock protocol, a virtual clock for tests and simulations, and the written form of times.

The real clock is made in `mud.server.wiring`. Written times are UTC, ISO 8601, with milliseconds and `Z`.
"""

from __future__ import annotations

import heapq
import types
from collections.abc import Generator
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol


class Clock(Protocol):
    @property
    def zone(self) -> tzinfo | None:
        """The time zone of people and agents; None for that of the machine."""
        ...

    def now(self) -> datetime: ...

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start, never going back."""
        ...

    async def sleep(self, seconds: float) -> None: ...


def iso(moment: datetime) -> str:
    """Format a time as `2026-11-20T07:21:37.123Z`."""
    there = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return there.isoformat("T", "milliseconds")[:-6] + "Z"  # without +00:00


def parse_iso(text: str) -> datetime:
    """Parse an ISO 8601 time; one without a zone is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@types.coroutine
def _yield() -> Generator[None, None, None]:
    yield


class VirtualClock:
    """A clock that moves only by waits and by `advance`, so simulations run at full speed. Its zone is UTC.

    Of several waits the earliest ends first, and the clock moves no further than that.
    """

    zone = UTC

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed = 0.0
        self._waits = 0
        self._due: list[tuple[float, int]] = []

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        return self._elapsed

    def advance(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError(f"a clock never goes back: {seconds}")
        self._elapsed += seconds

    async def sleep(self, seconds: float) -> None:
        """Let other tasks run, those that are due earlier first, then move the clock to the end of this wait."""
        self._waits += 1
        end = (self._elapsed + max(0.0, seconds), self._waits)
        heapq.heappush(self._due, end)
        try:
            await _yield()
            while self._due[0] != end:
                await _yield()
            self._elapsed = max(self._elapsed, end[0])
        finally:
            self._due.remove(end)
            heapq.heapify(self._due)
