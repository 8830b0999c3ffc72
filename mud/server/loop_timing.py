"""How long the event loop stands still: the time from what it was woken for until it waits again."""

from __future__ import annotations

import time
from selectors import DefaultSelector, SelectorKey

from mud.durations import Durations

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1.0)
SPAN = 30.0
"""Seconds for which the longest pass is remembered, at least; at most twice as long."""


class LoopTiming:
    """How long the passes of an event loop took, in each of which it reads from and answers nobody else.

    `passes` counts them by the machine's time. `longest` is the longest of the last half minute or minute, and
    `longest_of_own` the same in the processor's time of this thread: the rest went to other threads and processes.
    """

    def __init__(self) -> None:
        self.passes = Durations(BOUNDS)
        self._longest = self._longest_before = self._own = self._own_before = 0.0
        self._turned = 0.0

    def add(self, now: float, seconds: float, own: float) -> None:
        """Count a pass that ended at `now` and of whose `seconds` this thread worked for `own`."""
        self.passes.add(seconds)
        if now - self._turned > SPAN:
            self._turned = now
            self._longest, self._longest_before = 0.0, self._longest
            self._own, self._own_before = 0.0, self._own
        if seconds > self._longest:
            self._longest = seconds
        if own > self._own:
            self._own = own

    @property
    def longest(self) -> float:
        return max(self._longest, self._longest_before)

    @property
    def longest_of_own(self) -> float:
        return max(self._own, self._own_before)


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
