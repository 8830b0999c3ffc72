"""How long things took: counted by size, as histograms show them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate


class Durations:
    """Counts durations by the smallest of some bounds, in seconds, that they do not exceed."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)  # the last is for those above all bounds
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self.seconds += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """Return each bound with the number of durations up to it; the last bound is `+Inf`."""
        return list(zip([*map(str, self._bounds), "+Inf"], accumulate(self._counts), strict=True))
