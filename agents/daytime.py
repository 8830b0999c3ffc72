"""The day and the time of day in words.

Pure. Written times are UTC; a moment in here is aware, and its zone says which time of day it is: `Clock.zone`, by
which agents also fall asleep. A day begins when a night ends: one o'clock in the morning belongs to the night before.
"""

from __future__ import annotations

from datetime import date, datetime, tzinfo

from mud.clock import parse_iso
from mud.commands._command import Say
from mud.world.narration import phrase

WEEKDAYS = phrase("minds.daytime.weekdays")
MONTHS = phrase("minds.when.months")
MORNING = phrase("minds.daytime.morning")
AFTERNOON = phrase("minds.daytime.afternoon")
EVENING = phrase("minds.daytime.evening")
NIGHT = phrase("minds.daytime.night")

DAWN = 5
"""The hour at which a night ends and a day begins."""
PARTS = ((DAWN, MORNING), (12, AFTERNOON), (18, EVENING), (22, NIGHT))
"""From which hour on it is which part of the day; before the first it is the night of the day before."""


def local(at: str, zone: tzinfo | None) -> datetime | None:
    """Return a written time in the zone whose times of day count; None when it is no time.

    Args:
        at: the time as it is written in the vault.
        zone: see `Clock.zone`.
    """
    try:
        return parse_iso(at).astimezone(zone)
    except (ValueError, OverflowError):
        return None


def part_of_day(say: Say, moment: datetime) -> str:
    """Return the name of the part of the day at a moment: `morning`, `afternoon`, `evening` or `night`."""
    return say(next((part for hour, part in reversed(PARTS) if moment.hour >= hour), NIGHT))


def day_of(moment: datetime) -> date:
    """Return the day that a moment is told with: until dawn the one before, whose night it is."""
    return date.fromordinal(max(1, moment.toordinal() - (moment.hour < DAWN)))


def day_name(say: Say, day: date) -> str:
    """Return the name of a day of the week, such as `Tuesday`.

    Args:
        say: renders phrases.
        day: the day; for the one that a moment is told with see `day_of`.
    """
    names = say(WEEKDAYS).split()
    return names[day.weekday()] if len(names) == 7 else day.isoformat()


def month_name(say: Say, day: date) -> str:
    """Return the name of a day's month; its number when the vault does not name twelve."""
    names = say(MONTHS).split()
    return names[day.month - 1] if len(names) == 12 else str(day.month)
