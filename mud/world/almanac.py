"""Time of day and weather, worked out from the time alone. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime

PARTS = ((22, "night"), (18, "evening"), (12, "afternoon"), (6, "morning"), (0, "night"))
"""The hour at which each part of a day begins, the latest first."""
PARTS_OF_DAY = ("morning", "afternoon", "evening", "night")
_DAY = 24


def hour_of(local: datetime, day_hours: float) -> float:
    """Return the hour, 0 to 24, in a world whose days last so many hours; with 0 or 24 that of the machine's zone."""
    if day_hours in (0, _DAY):
        return local.hour + local.minute / 60
    return local.timestamp() / 3600 % day_hours / day_hours * _DAY


def part_of_day(hour: float) -> str:
    return next(name for begins, name in PARTS if hour >= begins)


def weather_at(moment: datetime, odds: Iterable[str], hours: float) -> str:
    """Return the weather at a time, the same one for so many hours; empty without any.

    Args:
        odds: such as `clear 5` and `rainy 2`, with how often each comes; without a number it is 1.
    """
    kinds = [name for name, times in map(_counted, odds) for _ in range(times)]
    if not kinds:
        return ""
    period = int(moment.timestamp() // (hours * 3600))
    return kinds[int(hashlib.sha256(f"weather {period}".encode()).hexdigest()[:12], 16) % len(kinds)]


def kinds_of_weather(odds: Iterable[str]) -> list[str]:
    return [name for name, _ in map(_counted, odds)]


def _counted(one: str) -> tuple[str, int]:
    name, _, times = one.strip().rpartition(" ")
    counted = times.isdecimal() and bool(name)
    return (name, min(int(times[:3]), 100)) if counted else (one.strip(), 1)
