"""How long the event loop stands still: the time from what it was woken for until it waits again."""

from __future__ import annotations

import time
from selectors import DefaultSelector, SelectorKey

from mud.durations import Durations

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1.0)
SPAN = 30.0
"""Seconds for which the longest pass is remembered, at least; at most twice as long."""


class LongDurations(Durations):
    """Durations of which the longest of the last half minute or minute is known."""

    def __init__(self) -> None:
        super().__init__(BOUNDS)
        self._longest = self._longest_before = 0.0

    @property
    def longest(self) -> float:
        return max(self._longest, self._longest_before)

    def add(self, seconds: float) -> None:
        super().add(seconds)
        if seconds > self._longest:
            self._longest = seconds

    def turn(self) -> None:
        """Begin another half minute."""
        self._longest, self._longest_before = 0.0, self._longest


class LoopTiming:
    """How long the passes of an event loop took, in each of which it reads from and answers nobody else.

    `wall` has them by the machine's time, and `cpu` by what this thread worked: the rest went to other threads and
    processes.
    """

    def __init__(self) -> None:
        self.wall, self.cpu = LongDurations(), LongDurations()
        self._turned = 0.0

    def add(self, now: float, wall: float, cpu: float) -> None:
        """Count a pass that ended at `now`."""
        if now - self._turned > SPAN:
            self._turned = now
            self.wall.turn()
            self.cpu.turn()
        self.wall.add(wall)
        self.cpu.add(cpu)


class TimedSelector(DefaultSelector):
    """Tells how long an event loop that waits by it works between two waits."""

    def __init__(self, timing: LoopTiming) -> None:
        super().__init__()
        self._timing = timing
        self._woken, self._worked = time.monotonic(), time.thread_time()

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        now = time.monotonic()
        self._timing.add(now, now - self._woken, time.thread_time() - self._worked)
        ready = super().select(timeout)
        self._woken, self._worked = time.monotonic(), time.thread_time()
        return ready
