"""Times in words: the day and the part of it, the time between two moments ("The next morning."), and how long ago.

Written times are UTC. A day begins at dawn: one o'clock in the morning belongs to the night before; only how long ago
something was is counted in days of UTC.
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

JUST_NOW = phrase("minds.when.now")
MINUTE_AGO = phrase("minds.when.minute")
MINUTES_AGO = phrase("minds.when.minutes", "n")
HOUR_AGO = phrase("minds.when.hour")
HOURS_AGO = phrase("minds.when.hours", "n")
YESTERDAY = phrase("minds.when.yesterday")
DAYS_AGO = phrase("minds.when.days", "n")
THIS_YEAR = phrase("minds.when.this_year", "day", "month")
ANY_YEAR = phrase("minds.when.any_year", "day", "month", "year")
UNDATED = phrase("minds.when.undated")
SPAN = phrase("minds.when.span", "first", "last")
SHORT_WEEKDAYS = phrase("minds.when.weekdays")
SHORT_MONTHS = phrase("minds.when.short_months")
CLOCK = phrase("minds.when.clock", "weekday", "day", "month", "time")
CLOCK_ANY_YEAR = phrase("minds.when.clock_any_year", "weekday", "day", "month", "year", "time")

DAWN = 5
PARTS = ((DAWN, MORNING, IN_MORNING), (12, AFTERNOON, IN_AFTERNOON), (18, EVENING, IN_EVENING), (22, NIGHT, IN_NIGHT))
"""The hour at which each part of the day begins."""

ONE_WEEK = 6
PAUSE = 1800
"""Shortest pause in seconds that is mentioned; agents that are left alone think every few seconds or minutes."""
LAST_EVENING = 6 * 3600  # seconds within which a time before midnight counts as hours ago, not as yesterday
WEEK = 7  # number of days from which on a date is clearer than a number of days
_HOUR = 3600
_TEN_MINUTES = len("2026-11-20T07:2")  # two times of UTC that begin alike are no pause apart
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


def date_name(at: str, zone: tzinfo | None) -> str:
    """Return the ISO date of the day that a written time belongs to; empty for an invalid time."""
    moment = local(at, zone)
    return day_of(moment).isoformat() if moment is not None else ""


def day_name(say: Say, day: date) -> str:
    """Return the weekday; the ISO date when the vault's phrase does not name seven."""
    return _named(say(WEEKDAYS), day.weekday(), 7, day.isoformat())


def month_name(say: Say, day: date) -> str:
    return _named(say(MONTHS), day.month - 1, 12, str(day.month))


def _named(names: str, at: int, count: int, otherwise: str) -> str:
    found = names.split()
    return found[at] if len(found) == count else otherwise


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
    if before[:_TEN_MINUTES] == after[:_TEN_MINUTES] and before[-1:] == after[-1:] == "Z":
        return ""
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


def when(say: Say, at: str, now: datetime) -> str:
    """Return a written time relative to `now` (in UTC), such as `two hours ago`; a date for a future or a distant time.

    What is no time is returned unchanged.
    """
    moment = local(at, UTC)
    if moment is None:
        return at or say(UNDATED)
    seconds, days = (now - moment).total_seconds(), (now.date() - moment.date()).days
    if -60 < seconds < 60:
        return say(JUST_NOW)
    if 0 < seconds < _HOUR:
        return _ago(say, int(seconds // 60), MINUTE_AGO, MINUTES_AGO)
    if seconds > 0 and (days == 0 or seconds < LAST_EVENING):
        return _ago(say, int(seconds // _HOUR), HOUR_AGO, HOURS_AGO)
    if 0 < days < WEEK:
        return _ago(say, days, YESTERDAY, DAYS_AGO)
    return _date(say, THIS_YEAR if moment.year == now.year else ANY_YEAR, moment)


def _ago(say: Say, number: int, one: Phrase, several: Phrase) -> str:
    return say(one if number == 1 else several, n=number)


def date_of(say: Say, at: str) -> str:
    """Return the date of a written time in words; what is no time is returned unchanged."""
    moment = local(at, UTC)
    return _date(say, ANY_YEAR, moment) if moment else at or say(UNDATED)


def _date(say: Say, how: Phrase, moment: datetime) -> str:
    return say(how, day=moment.day, month=month_name(say, moment), year=moment.year)


def clock_time(say: Say, at: str, now: datetime) -> str:
    """Return a written time in the zone of `now`, as weekday, day, minute and another year; other texts unchanged."""
    there = local(at, now.tzinfo)
    if there is None:
        return at or say(UNDATED)
    weekday = _named(say(SHORT_WEEKDAYS), there.weekday(), 7, there.strftime("%a"))
    month = _named(say(SHORT_MONTHS), there.month - 1, 12, there.strftime("%b"))
    about = {"weekday": weekday, "day": there.day, "month": month, "time": f"{there:%H:%M}"}
    return say(CLOCK, **about) if there.year == now.year else say(CLOCK_ANY_YEAR, **about, year=there.year)


def span(say: Say, first: str, last: str) -> str:
    return first if first == last else say(SPAN, first=first, last=last)
