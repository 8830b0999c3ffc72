"""How a host of models is doing, in plain words, and when one that is down may be asked again.

It asks nobody anything; the queue tells it what happened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from mud.clock import Clock, iso

FIRST_PAUSE = 5.0
"""Seconds for which a host is left alone after its first failure; doubled at each further one."""
LONGEST_PAUSE = 60.0
"""Seconds for which a host is left alone at most, so that agents notice within a minute that it is back."""


class State(StrEnum):
    """What is known of a host."""

    UNKNOWN = "unknown"
    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Health:
    """What is known of one host.

    Args:
        host: its address, as the profile names it.
        state: unknown until it was first asked.
        since: when it came into this state; None while unknown.
        last_error: the last thing that went wrong, also when it is up again; empty for nothing.
        failures: failures in a row.
        retry_at: monotonic second before which a host that is down is not asked.
    """

    host: str
    state: State = State.UNKNOWN
    since: str | None = None
    last_error: str = ""
    failures: int = 0
    retry_at: float = 0.0

    def answered(self, clock: Clock) -> Health:
        """Return its health after it answered."""
        since = self.since if self.state is State.UP else iso(clock.now())
        return replace(self, state=State.UP, since=since, failures=0, retry_at=0.0)

    def refused(self, error: str, clock: Clock) -> Health:
        """Return its health after it answered that it will not do something."""
        return replace(self.answered(clock), last_error=error)

    def failed(self, error: str, clock: Clock) -> Health:
        """Return its health after it did not answer, or not with anything of use."""
        since = self.since if self.state is State.DOWN else iso(clock.now())
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(self.failures, 10))
        return replace(
            self,
            state=State.DOWN,
            since=since,
            last_error=error,
            failures=self.failures + 1,
            retry_at=clock.monotonic() + pause,
        )

    def wait(self, clock: Clock) -> float:
        """Return for how many seconds it is still left alone; 0 when it may be asked."""
        return max(0.0, self.retry_at - clock.monotonic()) if self.state is State.DOWN else 0.0

    def words(self, clock: Clock) -> str:
        """Return all this as sentences for people."""
        if self.state is State.UNKNOWN:
            return f"{self.host}: not asked yet."
        trouble = self.last_error.rstrip(".")
        if self.state is State.UP:
            earlier = f" The last trouble was: {trouble}." if trouble else ""
            return f"{self.host}: up since {self.since}.{earlier}"
        wait = self.wait(clock)
        again = f"It is asked again in {wait:.0f} s" if wait else "It is asked again at the next thought"
        return f"{self.host}: down since {self.since}: {trouble}. {again}. {SUGGESTION}"


SUGGESTION = "Start that server, or set another host in config/llm; until then the agents live by instinct."
"""What the owner can do about a host that is down."""
