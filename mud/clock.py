"""Time as an argument: the clock protocol, a clock that tests and simulations move, and the one written form of times.

The real clock, which reads the machine's, is made in `mud.server.wiring`. Written times are UTC, ISO-8601,
milliseconds, `Z`.
"""

from __future__ import annotations

import heapq
import types
from collections.abc import Generator
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits."""

    @property
    def zone(self) -> tzinfo | None:
        """The zone whose times of day people and agents live by; None for the machine's."""
        ...

    def now(self) -> datetime:
        """Return the time of day, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start, never going back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after this many seconds."""
        ...


def iso(moment: datetime) -> str:
    """Write a moment as `2026-11-20T07:21:37.123Z`."""
    there = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return there.isoformat("T", "milliseconds")[:-6] + "Z"  # the last six are its zone, +00:00


def parse_iso(text: str) -> datetime:
    """Read an ISO-8601 time; one without a zone is UTC.

    Raises:
        ValueError: when it is no such time.
    """
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@types.coroutine
def _yield() -> Generator[None, None, None]:
    """Let every other task of the event loop run once."""
    yield


class VirtualClock:
    """A clock that stands still until somebody waits on it or moves it.

    Waiting moves it at once, so a simulation runs as fast as the machine allows and a test never sleeps. Of several who
    wait, whoever is due first wakes first, and the clock moves no further than that. Its times of day are those of UTC
    on every machine, so that a simulation is the same everywhere.

    Args:
        start: the time of day that it begins with.
    """

    zone = UTC

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed = 0.0
        self._waits = 0
        self._due: list[tuple[float, int]] = []

    def now(self) -> datetime:
        """Return the virtual time of day."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the virtual seconds since the start."""
        return self._elapsed

    def advance(self, seconds: float) -> None:
        """Move the clock forward.

        Raises:
            ValueError: for a negative number; a clock never goes back.
        """
        if seconds < 0:
            raise ValueError(f"a clock never goes back: {seconds}")
        self._elapsed += seconds

    async def sleep(self, seconds: float) -> None:
        """Let the others run, those who are due earlier first, and move the clock on to the end of this wait."""
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
