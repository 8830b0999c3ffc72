"""Which agents should think soon because they were addressed. Pure.

A prompt is built when its turn in the model queue comes. It covers earlier calls, which need no second thought unless
it fails; later calls do.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class _Call:
    """A call for an agent's attention: the latest time at which it wants to think, and whether a person waits."""

    at: float
    person: bool

    def joined(self, other: _Call | None) -> _Call:
        return self if other is None else _Call(min(self.at, other.at), self.person or other.person)


class Attention:
    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}
        self._seen: dict[str, _Call] = {}
        """Calls that the running thought covers."""

    def call(self, slug: str, at: float, *, person: bool) -> None:
        """Record that somebody addressed an agent, which wants to think at `at` by the monotonic clock."""
        self._calls[slug] = _Call(at, person).joined(self._calls.get(slug))

    def begin(self, slug: str) -> bool:
        """Begin a turn that covers all calls so far; return whether a person waits for it."""
        waiting = self.person_waits(slug)
        self.drop(slug)
        return waiting

    def see(self, slug: str) -> None:
        if (call := self._calls.pop(slug, None)) is not None:
            self._seen[slug] = call.joined(self._seen.get(slug))

    def answer(self, slug: str) -> bool:
        """Record that the thought succeeded; return whether a person called while it was queued."""
        seen = self._seen.pop(slug, None)
        return seen is not None and seen.person

    def end(self, slug: str) -> float | None:
        """End a turn; return when the next is due, None for no wish. The calls of a failed thought count again."""
        if (seen := self._seen.pop(slug, None)) is not None:
            self._calls[slug] = seen.joined(self._calls.get(slug))
        call = self._calls.get(slug)
        return call.at if call is not None else None

    def person_waits(self, slug: str) -> bool:
        """Return whether a person waits for an agent, including for the running thought."""
        return any(slug in calls and calls[slug].person for calls in (self._calls, self._seen))

    def drop(self, slug: str) -> None:
        self._calls.pop(slug, None)
        self._seen.pop(slug, None)
