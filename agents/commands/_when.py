"""Times relative to now in words: just now, two hours ago, yesterday, on 3 May. Pure.

Days are in UTC, like all stored times; times of day are in the zone of `now`.
"""

from __future__ import annotations

from datetime import UTC, datetime

from agents.text.daytime import month_name
from mud.clock import parse_iso
from mud.commands import Say
from mud.world.narration import Phrase, phrase

NOW = phrase("minds.when.now")
MINUTE = phrase("minds.when.minute")
MINUTES = phrase("minds.when.minutes", "n")
HOUR = phrase("minds.when.hour")
HOURS = phrase("minds.when.hours", "n")
YESTERDAY = phrase("minds.when.yesterday")
DAYS = phrase("minds.when.days", "n")
THIS_YEAR = phrase("minds.when.this_year", "day", "month")
ANY_YEAR = phrase("minds.when.any_year", "day", "month", "year")
UNDATED = phrase("minds.when.undated")
SPAN = phrase("minds.when.span", "first", "last")
WEEKDAYS = phrase("minds.when.weekdays")
SHORT_MONTHS = phrase("minds.when.short_months")
CLOCK = phrase("minds.when.clock", "weekday", "day", "month", "time")
CLOCK_ANY_YEAR = phrase("minds.when.clock_any_year", "weekday", "day", "month", "year", "time")

LAST_EVENING = 6 * 3600
"""Seconds within which a time before midnight counts as hours ago, not as yesterday."""
WEEK = 7
"""Number of days from which on a date is clearer than a number of days."""


def age(moment: datetime, now: datetime) -> tuple[Phrase, int]:
    """Return the phrase for the age of a moment, and its number; a future moment gets a date. Both are in UTC."""
    seconds = (now - moment).total_seconds()
    days = (now.date() - moment.date()).days
    if -60 < seconds < 60:
        return NOW, 0
    if 0 < seconds < 3600:
        return _counted(int(seconds // 60), MINUTE, MINUTES)
    if seconds > 0 and (days == 0 or seconds < LAST_EVENING):
        return _counted(int(seconds // 3600), HOUR, HOURS)
    if 0 < days < WEEK:
        return _counted(days, YESTERDAY, DAYS)
    return (THIS_YEAR if moment.year == now.year else ANY_YEAR), 0


def _counted(number: int, one: Phrase, more: Phrase) -> tuple[Phrase, int]:
    return (one if number == 1 else more), number


def when(say: Say, at: str, now: datetime) -> str:
    """Return a stored time relative to `now` in words; what is no time is returned unchanged."""
    moment = _moment(at)
    if moment is None:
        return at or say(UNDATED)
    how, number = age(moment, now)
    if how in (THIS_YEAR, ANY_YEAR):
        return _date(say, how, moment)
    return say(how, n=number)


def clock_time(say: Say, at: str, now: datetime) -> str:
    """Return a stored time in the zone of `now`, as weekday, day, minute and another year; other texts unchanged."""
    try:
        there = parse_iso(at).astimezone(now.tzinfo)
    except (ValueError, OverflowError):
        return at or say(UNDATED)
    weekday = _named(say(WEEKDAYS), there.weekday(), 7, there.strftime("%a"))
    month = _named(say(SHORT_MONTHS), there.month - 1, 12, there.strftime("%b"))
    about = {"weekday": weekday, "day": there.day, "month": month, "time": f"{there:%H:%M}"}
    return say(CLOCK, **about) if there.year == now.year else say(CLOCK_ANY_YEAR, **about, year=there.year)


def _named(names: str, at: int, count: int, otherwise: str) -> str:
    found = names.split()
    return found[at] if len(found) == count else otherwise


def date(say: Say, at: str) -> str:
    moment = _moment(at)
    return _date(say, ANY_YEAR, moment) if moment else at or say(UNDATED)


def span(say: Say, first: str, last: str) -> str:
    return first if first == last else say(SPAN, first=first, last=last)


def _moment(at: str) -> datetime | None:
    try:
        return parse_iso(at).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _date(say: Say, how: Phrase, moment: datetime) -> str:
    return say(how, day=moment.day, month=month_name(say, moment), year=moment.year)
