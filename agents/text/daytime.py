"""The day and the time of day in words, and the time between two moments: "The next morning."

Written times are UTC. A day begins at dawn: one o'clock in the morning belongs to the night before.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, tzinfo
from itertools import pairwise

from mud.clock import parse_iso
from mud.commands import Say
from mud.world.narration import Phrase, phrase

WEEKDAYS = phrase("minds.daytime.weekdays")
MONTHS = phrase("minds.when.months")
MORNING = phrase("minds.daytime.morning")
AFTERNOON = phrase("minds.daytime.afternoon")
EVENING = phrase("minds.daytime.evening")
NIGHT = phrase("minds.daytime.night")
IN_MORNING = phrase("minds.daytime.in_morning")
IN_AFTERNOON = phrase("minds.daytime.in_afternoon")
IN_EVENING = phrase("minds.daytime.in_evening")
IN_NIGHT = phrase("minds.daytime.in_night")
NOW = phrase("minds.daytime.now", "weekday", "day", "month", "year", "part")

ON = phrase("minds.daytime.on", "weekday", "part")
FROM = phrase("minds.daytime.from", "weekday", "part", "last_weekday", "last_part")

NUMBERS = phrase("minds.passed.numbers")
LATER = phrase("minds.passed.later")
HOUR = phrase("minds.passed.hour")
HOURS = phrase("minds.passed.hours", "n")
NEXT = phrase("minds.passed.next", "part")
DAYS = phrase("minds.passed.days", "n", "part")
WEEKS = phrase("minds.passed.weeks", "n")
MONTHS_LATER = phrase("minds.passed.months", "n")
YEARS = phrase("minds.passed.years", "n")

DAWN = 5
PARTS = ((DAWN, MORNING, IN_MORNING), (12, AFTERNOON, IN_AFTERNOON), (18, EVENING, IN_EVENING), (22, NIGHT, IN_NIGHT))
"""The hour at which each part of the day begins."""

ONE_WEEK = 6
PAUSE = 1800
"""Shortest pause in seconds that is mentioned; agents that are left alone think every few seconds or minutes."""
_HOUR = 3600
_WEEKS, _MONTHS, _YEARS = 14, 63, 730  # days from which weeks, months and years are used


def local(at: str, zone: tzinfo | None) -> datetime | None:
    """Return a written time in a zone; None when it is not valid."""
    try:
        return parse_iso(at).astimezone(zone)
    except (ValueError, OverflowError):
        return None


def _part(moment: datetime) -> tuple[Phrase, Phrase]:
    return next((one[1:] for one in reversed(PARTS) if moment.hour >= one[0]), (NIGHT, IN_NIGHT))


def part_of_day(say: Say, moment: datetime) -> str:
    return say(_part(moment)[0])


def day_of(moment: datetime) -> date:
    """Return the day that a moment belongs to: until dawn the day before."""
    return date.fromordinal(max(1, moment.toordinal() - (moment.hour < DAWN)))


def day_name(say: Say, day: date) -> str:
    """Return the weekday; the ISO date when the vault's phrase does not name seven."""
    names = say(WEEKDAYS).split()
    return names[day.weekday()] if len(names) == 7 else day.isoformat()


def month_name(say: Say, day: date) -> str:
    names = say(MONTHS).split()
    return names[day.month - 1] if len(names) == 12 else str(day.month)


def now_in_words(say: Say, moment: datetime) -> str:
    day = moment.date()
    names = {"weekday": day_name(say, day), "month": month_name(say, day)}
    return say(NOW, **names, day=day.day, year=day.year, part=say(_part(moment)[1]))


def lasted(say: Say, first: str, last: str, zone: tzinfo | None) -> str:
    """Return a span such as `From Tuesday morning to Friday night`; empty for over a week or an invalid time."""
    begun, ended = local(first, zone), local(last, zone)
    if begun is None or ended is None or not 0 <= (day_of(ended) - day_of(begun)).days <= ONE_WEEK:
        return ""
    weekday, part = day_name(say, day_of(begun)), part_of_day(say, begun)
    last_weekday, last_part = day_name(say, day_of(ended)), part_of_day(say, ended)
    if (weekday, part) == (last_weekday, last_part):
        return say(ON, weekday=weekday, part=part)
    return say(FROM, weekday=weekday, part=part, last_weekday=last_weekday, last_part=last_part)


def passed(say: Say, before: str, after: str, zone: tzinfo | None) -> str:
    """Return the time between two written times, as `Two hours later.`; empty for a short pause or invalid time."""
    then, now = local(before, UTC), local(after, UTC)
    if then is None or now is None or (seconds := (now - then).total_seconds()) < PAUSE:
        return ""
    then, now = then.astimezone(zone), now.astimezone(zone)
    days = (day_of(now) - day_of(then)).days
    name, within = _part(now)
    if days == 1:
        return say(NEXT, part=say(name))
    if days > 1:
        return _many_days(say, days, say(within))
    if seconds < _HOUR:
        return say(LATER)
    hours = round(seconds / _HOUR)
    return say(HOUR) if hours == 1 else _with_number(say, HOURS, hours)


def _many_days(say: Say, days: int, within: str) -> str:
    if days < _WEEKS:
        return _with_number(say, DAYS, days, part=within)
    if days < _MONTHS:
        return _with_number(say, WEEKS, days // 7)
    if days < _YEARS:
        return _with_number(say, MONTHS_LATER, round(days / 30.44))
    return _with_number(say, YEARS, days // 365)


def _with_number(say: Say, how: Phrase, number: int, **places: str) -> str:
    words = say(NUMBERS).split()
    told = say(how, n=words[number - 1] if number <= len(words) else number, **places)
    return told[:1].upper() + told[1:]


def labels(say: Say, times: Sequence[str], zone: tzinfo | None) -> tuple[str, ...]:
    return tuple(passed(say, before, after, zone) for before, after in pairwise(("", *times)))
