"""Who is wanted to think soon, since somebody turned to them, and what of that a thought knows that is under way.

A thought waits for its turn with a model, and its prompt is made only then: whatever came about before is in it and
calls for no second thought, unless this one comes to nothing. What comes later does. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class _Call:
    """That somebody turned to an agent.

    Args:
        at: when it would like to think, at the latest.
        person: a person waits for the answer.
    """

    at: float
    person: bool

    def joined(self, other: _Call | None) -> _Call:
        """Return this call and another as one."""
        return self if other is None else _Call(min(self.at, other.at), self.person or other.person)


class Attention:
    """What agents are wanted for, by the names of their folders."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}
        self._seen: dict[str, _Call] = {}
        """Calls that the thought under way knows of."""

    def call(self, slug: str, at: float, *, person: bool) -> None:
        """Note that somebody turned to an agent.

        Args:
            slug: whom to.
            at: when it would like to think, by the monotonic clock.
            person: a person waits for the answer.
        """
        self._calls[slug] = _Call(at, person).joined(self._calls.get(slug))

    def begin(self, slug: str) -> bool:
        """Begin a turn, which is about all that there was so far; return whether a person waits for it."""
        waiting = self.person_waits(slug)
        self.drop(slug)
        return waiting

    def see(self, slug: str) -> None:
        """Note that the thought under way knows all that there was so far."""
        if (call := self._calls.pop(slug, None)) is not None:
            self._seen[slug] = call.joined(self._seen.get(slug))

    def answer(self, slug: str) -> bool:
        """Note that the thought came to something; return whether a person waited who turned to it meanwhile."""
        seen = self._seen.pop(slug, None)
        return seen is not None and seen.person

    def end(self, slug: str) -> float | None:
        """End a turn; return when there should be another, None for in its own time.

        What the thought knew is still to be answered when it came to nothing.
        """
        if (seen := self._seen.pop(slug, None)) is not None:
            self._calls[slug] = seen.joined(self._calls.get(slug))
        call = self._calls.get(slug)
        return call.at if call is not None else None

    def person_waits(self, slug: str) -> bool:
        """Return whether a person waits for an agent, be it for the thought under way."""
        return any(slug in calls and calls[slug].person for calls in (self._calls, self._seen))

    def drop(self, slug: str) -> None:
        """Forget what an agent is wanted for."""
        self._calls.pop(slug, None)
        self._seen.pop(slug, None)
