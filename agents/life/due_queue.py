"""Who thinks next, and when: one heap over all agents, so that many of them cost no more than the due ones."""

from __future__ import annotations

import heapq

_SLACK = 64
"""Times that no longer count which the heap may hold besides as many as count."""


class DueQueue:
    """Times at which agents are due, by a monotonic clock in seconds. Each agent has one; the newest counts."""

    def __init__(self) -> None:
        self._due: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []

    def set(self, name: str, at: float) -> None:
        """Make an agent due at this time, whatever was set before."""
        self._due[name] = at
        heapq.heappush(self._heap, (at, name))
        if len(self._heap) > 2 * len(self._due) + _SLACK:
            self._heap = [(due, one) for one, due in self._due.items()]
            heapq.heapify(self._heap)

    def hasten(self, name: str, at: float) -> None:
        """Make an agent due at this time unless it is due earlier. One that was dropped stays so."""
        if name in self._due and at < self._due[name]:
            self.set(name, at)

    def drop(self, name: str) -> None:
        """Make an agent due never."""
        self._due.pop(name, None)

    def next(self) -> float | None:
        """Return the earliest time at which somebody is due; None when nobody is."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, now: float, most: int) -> list[str]:
        """Return those who are due by now, earliest first, at most so many; they are due again only when set again."""
        taken: list[str] = []
        while len(taken) < most and (at := self.next()) is not None and at <= now:
            name = heapq.heappop(self._heap)[1]
            del self._due[name]
            taken.append(name)
        return taken
