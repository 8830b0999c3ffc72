"""When each agent is due to think: one heap for all agents, so that the cost depends only on the due ones."""

from __future__ import annotations

import heapq

_SLACK = 64
"""Outdated entries that the heap may hold beyond as many as are current."""


class DueQueue:
    def __init__(self) -> None:
        self._due: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []

    def set(self, name: str, at: float) -> None:
        self._due[name] = at
        heapq.heappush(self._heap, (at, name))
        if len(self._heap) > 2 * len(self._due) + _SLACK:
            self._heap = [(due, one) for one, due in self._due.items()]
            heapq.heapify(self._heap)

    def hasten(self, name: str, at: float) -> None:
        """Make an agent due at this time unless it is due earlier or was dropped."""
        if name in self._due and at < self._due[name]:
            self.set(name, at)

    def drop(self, name: str) -> None:
        self._due.pop(name, None)

    def next(self) -> float | None:
        """Return the earliest due time; None when nobody is due."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, now: float, most: int) -> list[str]:
        """Remove and return at most `most` agents due by `now`, earliest first."""
        taken: list[str] = []
        while len(taken) < most and (at := self.next()) is not None and at <= now:
            name = heapq.heappop(self._heap)[1]
            del self._due[name]
            taken.append(name)
        return taken
