"""When agents sleep by the clock: pure questions about times of day. Nobody falls asleep in here; see `living`."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple

from agents.memory.memory import Memory

BY_ITSELF = ("dream", "thought")
"""Kinds of memories that come to somebody asleep."""
ASLEEP = 16
"""Newest memories among which is that of falling asleep."""

_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def time_of(text: str) -> time | None:
    """Return a time of day such as `22:00`; None for an empty text.

    Raises:
        ValueError: when it is something else.
    """
    if not text.strip():
        return None
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no time of day; expected one such as 22:00, or nothing")
    return time(int(found[1]), int(found[2]))


class SleepSchedule(NamedTuple):
    """When one agent sleeps. All moments are aware, in the zone whose times of day count.

    Args:
        sleep_at: when it falls asleep; None for not by the clock.
        wake_at: when it wakes; None for not by the clock.
        nap: hours that it sleeps at most outside its night; 0 for any number. Whoever falls asleep by the clock and has
            no time of waking sleeps until somebody wakes it.
    """

    sleep_at: time | None = None
    wake_at: time | None = None
    nap: float = 1.0

    def night(self, now: datetime) -> bool:
        """Whether it is the time between falling asleep and waking."""
        if self.sleep_at is None or self.wake_at is None:
            return False
        return _last(self.wake_at, now) < _last(self.sleep_at, now)

    def falls_asleep(self, since: datetime, now: datetime) -> bool:
        """Whether somebody awake is to fall asleep.

        Args:
            since: when that was asked last; without a time of waking, the moment itself counts alone.
            now: the moment.
        """
        if self.sleep_at is None:
            return False
        return self.night(now) if self.wake_at is not None else since < _last(self.sleep_at, now)

    def bedtime(self, now: datetime) -> float | None:
        """Return the seconds until somebody awake is to fall asleep, 0 in its night; None when it never is."""
        if self.sleep_at is None:
            return None
        return 0.0 if self.night(now) else 86400.0 - (now - _last(self.sleep_at, now)).total_seconds()

    def wakes(self, since: datetime, now: datetime) -> bool:
        """Whether a sleeper is to wake.

        Args:
            since: when it fell asleep.
            now: the moment.
        """
        if self.wake_at is not None and since < _last(self.wake_at, now):
            return True
        endless = self.nap <= 0 or (self.sleep_at is not None and self.wake_at is None)
        return not endless and now - since >= timedelta(hours=self.nap) and not self.night(now)


@lru_cache(maxsize=256)
def hours_of(sleep_at: str, wake_at: str, nap: float) -> SleepSchedule:
    """Return the hours as they are set; a time that cannot be read counts as none, and is told when it is read."""
    return SleepSchedule(_time(sleep_at), _time(wake_at), nap)


def _time(text: str) -> time | None:
    try:
        return time_of(text)
    except ValueError:
        return None


def fell_asleep(memory: Memory) -> str | None:
    """Return when somebody asleep fell asleep, written; None when nothing is remembered.

    Whoever sleeps lives through nothing, so that is the newest memory but for what came to it asleep.
    """
    for newest in (memory.newest(ASLEEP), memory.read(memory.total - ASLEEP + 1, memory.total)):
        for entry in reversed(newest):
            if entry.kind not in BY_ITSELF:
                return entry.at
    return None


def _last(at: time, now: datetime) -> datetime:
    """Return the last moment at which the clock showed a time of day."""
    today = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return today if today <= now else today - timedelta(days=1)
