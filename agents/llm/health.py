"""How a host of models is doing, in plain words, and when one that is down may be asked again.

It asks nobody anything; the queue tells it what happened. The states are those of a circuit breaker: a host that does
not answer is left alone for a while, longer each time, and then one call tries it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from mud.clock import Clock, iso, parse_iso

FIRST_PAUSE = 5.0
"""Seconds for which a host is left alone after its first failure; doubled at each further one."""
LONGEST_PAUSE = 60.0
"""Seconds for which a host is left alone at most, so that agents notice within a minute that it is back."""
SHAKY_UNTIL = 3
"""Failures in a row that may pass, such as "too busy", at which a host counts as down; fewer make it shaky."""


class HostState(StrEnum):
    """What is known of a host."""

    UNKNOWN = "unknown"
    UP = "up"
    SHAKY = "shaky"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class HostHealth:
    """What is known of one host.

    Args:
        host: its address, as the profile names it.
        state: unknown until it was first asked; shaky while its last failures may pass; down while it is left alone.
        since: when it came into this state; None while unknown.
        last_error: the last thing that went wrong, also when it is up again; empty for nothing.
        failures: failures in a row.
        retry_at: monotonic second before which a host that is down is not asked.
        failed_at: monotonic second of the last failure that counted.
    """

    host: str
    state: HostState = HostState.UNKNOWN
    since: str | None = None
    last_error: str = ""
    failures: int = 0
    retry_at: float = 0.0
    failed_at: float = 0.0

    def answered(self, clock: Clock) -> HostHealth:
        """Return its health after it answered."""
        return replace(self._into(HostState.UP, clock), failures=0, retry_at=0.0)

    def refused(self, error: str, clock: Clock) -> HostHealth:
        """Return its health after it answered that it will not do something."""
        return replace(self.answered(clock), last_error=error)

    def failed(self, error: str, clock: Clock, *, passing: bool = False, began: float | None = None) -> HostHealth:
        """Return its health after it did not answer, or not with anything of use.

        Args:
            error: what went wrong.
            clock: the time.
            passing: it may pass; a host that was not down stays in use until it has happened `SHAKY_UNTIL` times.
            began: monotonic second at which the call began. One that was under way when the host failed already tells
                nothing new: calls side by side that fail together count once.
        """
        known = self.state is HostState.DOWN or (passing and self.state is HostState.SHAKY)
        if known and began is not None and began < self.failed_at:
            return replace(self, last_error=error)
        failures = self.failures + 1
        if passing and self.state is not HostState.DOWN and failures < SHAKY_UNTIL:
            return replace(
                self._into(HostState.SHAKY, clock), last_error=error, failures=failures, failed_at=clock.monotonic()
            )
        before = 0 if self.state is HostState.SHAKY else self.failures
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(before, 10))
        return replace(
            self._into(HostState.DOWN, clock),
            last_error=error,
            failures=1 if self.state is HostState.SHAKY else failures,
            retry_at=clock.monotonic() + pause,
            failed_at=clock.monotonic(),
        )

    def _into(self, state: HostState, clock: Clock) -> HostHealth:
        return replace(self, state=state, since=self.since if self.state is state else iso(clock.now()))

    def wait(self, clock: Clock) -> float:
        """Return for how many seconds it is still left alone; 0 when it may be asked."""
        return max(0.0, self.retry_at - clock.monotonic()) if self.state is HostState.DOWN else 0.0

    def words(self, clock: Clock) -> str:
        """Return all this as sentences for people."""
        trouble = self.last_error.rstrip(".")
        match self.state:
            case HostState.UNKNOWN:
                return f"{self.host}: never asked."
            case HostState.UP:
                earlier = f" The last trouble was: {trouble}." if trouble else ""
                return f"{self.host}: answers since {self.since}.{earlier}"
            case HostState.SHAKY:
                return f"{self.host}: shaky since {self.since}: {trouble}. It is still asked."
        wait = self.wait(clock)
        again = f"It is asked again in {wait:.0f} s" if wait else "It is asked again at the next thought"
        return f"{self.host}: down since {self.since}: {trouble}. {again}. {SUGGESTION}"

    def state_words(self, clock: Clock) -> str:
        """Return its state alone, in a few words: `down since 07:21:37 until 07:21:42`; times are UTC."""
        now = clock.now()
        since = _hour(self.since, now) if self.since else ""
        match self.state:
            case HostState.UNKNOWN:
                return "never asked"
            case HostState.UP:
                return f"answers since {since}"
            case HostState.SHAKY:
                return f"shaky since {since}"
        wait = self.wait(clock)
        until = _hour(iso(now + timedelta(seconds=wait)), now) if wait else "the next thought"
        return f"down since {since} until {until}"


def _hour(moment: str, now: datetime) -> str:
    """Return a moment's time of day in UTC, with its date unless that is today's."""
    at = parse_iso(moment)
    today = at.date() == parse_iso(iso(now)).date()
    return f"{at:%H:%M:%S}" if today else f"{at:%Y-%m-%d %H:%M:%S}"


SUGGESTION = "Start that server, or set another host in config/llm; until then the agents live by instinct."
"""What the owner can do about a host that is down."""
