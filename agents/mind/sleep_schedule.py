"""When agents sleep by the clock. Pure."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple

from agents.memory.memory import Memory

BY_ITSELF = ("dream", "thought")
ASLEEP = 16
"""How many of the newest entries are searched for the moment of falling asleep."""

_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def time_of(text: str) -> time | None:
    """Parse a time of day such as `22:00`; return None for an empty text. Raises ValueError for other texts."""
    if not text.strip():
        return None
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no time of day; expected one such as 22:00, or nothing")
    return time(int(found[1]), int(found[2]))


class SleepSchedule(NamedTuple):
    """When one agent sleeps. All datetimes are aware, in the local zone; None means not by the clock.

    `nap` is the maximum hours of sleep outside the night, 0 for no limit. With `sleep_at` but no `wake_at` an agent
    sleeps until it is woken.
    """

    sleep_at: time | None = None
    wake_at: time | None = None
    nap: float = 1.0

    def night(self, now: datetime) -> bool:
        if self.sleep_at is None or self.wake_at is None:
            return False
        return _last(self.wake_at, now) < _last(self.sleep_at, now)

    def falls_asleep(self, since: datetime, now: datetime) -> bool:
        """Return whether to fall asleep; without `wake_at` only if `sleep_at` passed since the last call (`since`)."""
        if self.sleep_at is None:
            return False
        return self.night(now) if self.wake_at is not None else since < _last(self.sleep_at, now)

    def bedtime(self, now: datetime) -> float | None:
        """Return the seconds until the next bedtime, 0 during the night; None without `sleep_at`."""
        if self.sleep_at is None:
            return None
        return 0.0 if self.night(now) else 86400.0 - (now - _last(self.sleep_at, now)).total_seconds()

    def wakes(self, since: datetime, now: datetime) -> bool:
        """Return whether an agent that fell asleep at `since` should wake."""
        if self.wake_at is not None and since < _last(self.wake_at, now):
            return True
        endless = self.nap <= 0 or (self.sleep_at is not None and self.wake_at is None)
        return not endless and now - since >= timedelta(hours=self.nap) and not self.night(now)


@lru_cache(maxsize=256)
def hours_of(sleep_at: str, wake_at: str, nap: float) -> SleepSchedule:
    """Return the schedule of these settings; an unreadable time counts as unset, since loading has reported it."""
    return SleepSchedule(_time(sleep_at), _time(wake_at), nap)


def _time(text: str) -> time | None:
    try:
        return time_of(text)
    except ValueError:
        return None


def fell_asleep(memory: Memory) -> str | None:
    """Return the ISO time of falling asleep; None without memories.

    It is that of the newest entry that did not arise during sleep, since sleepers perceive nothing.
    """
    for newest in (memory.newest(ASLEEP), memory.read(memory.total - ASLEEP + 1, memory.total)):
        for entry in reversed(newest):
            if entry.kind not in BY_ITSELF:
                return entry.at
    return None


def _last(at: time, now: datetime) -> datetime:
    today = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return today if today <= now else today - timedelta(days=1)
