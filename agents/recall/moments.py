"""The times that a question names: yesterday, two weeks ago, on Monday, in May, on 7 May 2025, since March. Pure.

Days begin at midnight UTC. What cannot be read for sure ("may", "march", a number that may be anything) is no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
BEGINNING = datetime(1, 1, 2, tzinfo=UTC)
DAY = timedelta(days=1)


class Span(NamedTuple):
    """A stretch of time.

    Args:
        first: its first moment.
        last: the moment it ends before.
    """

    first: datetime
    last: datetime

    def fits(self, at: datetime) -> float:
        """Return 1 for a moment within, 0.5 for one close by, else 0.

        Close is a quarter of its length, and two days at most.
        """
        if self.first <= at < self.last:
            return 1.0
        off = min((self.last - self.first) / 4, 2 * DAY)
        beside = timedelta(0) <= self.first - at <= off or timedelta(0) <= at - self.last <= off
        return 0.5 if beside else 0.0

    def within(self, first: datetime, last: datetime) -> Iterator[Span]:
        """Yield the stretches of a life, from its first to its last moment, that it means."""
        yield self


class Date(NamedTuple):
    """A day, month or year as people name it.

    Args:
        year, month, day: as in a calendar, from 1; None for what was not named and fits any.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def fits(self, at: datetime) -> float:
        """Return 1 for a moment in it, 0.5 for another day of the same month, else 0."""
        if (self.year is not None and at.year != self.year) or (self.month is not None and at.month != self.month):
            return 0.0
        return 1.0 if self.day is None or at.day == self.day else 0.5

    def within(self, first: datetime, last: datetime) -> Iterator[Span]:
        """Yield the stretches of a life, from its first to its last moment, that it means."""
        for year in (self.year,) if self.year else range(first.year, last.year + 1):
            begin = datetime(year, self.month or 1, 1, tzinfo=UTC)
            end = _month_after(begin) if self.month else begin.replace(year=year + 1)
            if self.day is not None and begin + self.day * DAY <= end:
                begin, end = begin + (self.day - 1) * DAY, begin + self.day * DAY
            yield Span(begin, end)


Moment = Span | Date

_SHORT = ("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sept", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>(?:{'|'.join((*MONTHS, *_SHORT))})\b\.?)"
# "I may 3 times" and "we march 5 miles" name no month.
_SURE = rf"(?P<month>(?:{'|'.join(one for one in (*MONTHS, *_SHORT) if one not in ('march', 'may', 'mar'))})\b\.?)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_TH = r"(?:st|nd|rd|th)?"
_ON = r"(?:in|on|of|during|by|early|late|mid|last|this|around|and|between|from|to)"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<year>(?:19|20)\d\d)-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>\d\d))?\b",
        rf"\b(?P<day>\d{{1,2}}){_TH} of {_MONTH}(?:,? {_YEAR})?",
        rf"\b(?P<day>\d{{1,2}}){_TH} {_MONTH},? {_YEAR}\b",
        rf"\b{_ON} (?:the )?(?P<day>\d{{1,2}}){_TH} {_MONTH}",
        rf"\b{_MONTH} (?P<day>\d{{1,2}}){_TH},? {_YEAR}\b",
        rf"\b{_SURE} (?P<day>\d{{1,2}}){_TH}\b",
        rf"\b{_ON} {_MONTH} (?P<day>\d{{1,2}}){_TH}\b",
        rf"\b{_MONTH},?(?: of)? {_YEAR}\b",
        rf"\b{_ON} {_MONTH}",
        rf"\b(?:in|during|year|early|late) {_YEAR}\b",
    )
)
_OPEN = re.compile(rf"\b(?P<way>since|after|before|until) (?:{_MONTH}(?:,? {_YEAR})?|(?P<alone>(?:19|20)\d\d)\b)", re.I)
_AGO = re.compile(r"\b(?P<count>\d{1,4}|[a-z]+(?: of)?) (?P<unit>[a-z]+?)s? ago\b", re.I)
_COUNTS = {
    **dict.fromkeys(("a", "an", "one"), 1),
    **dict.fromkeys(("two", "couple", "couple of"), 2),
    **dict.fromkeys(("three", "few", "some", "several"), 3),
    **dict(
        zip(("four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), range(4, 13), strict=True)
    ),
}
_LENGTHS = {"minute": DAY / 1440, "hour": DAY / 24, "day": DAY, "week": 7 * DAY, "month": 30 * DAY, "year": 365 * DAY}
_WEEKDAY = re.compile(rf"\b(?:on|last|this) (?P<day>{'|'.join(DAYS)})\b", re.I)


def moments_in(question: str, now: datetime) -> tuple[tuple[Moment, ...], str]:
    """Return the times that a question names, and the question without the words that count from now.

    Args:
        question: its text.
        now: the time it is asked at, UTC.
    """
    try:
        spans, left = _relative(question, now)
        spans += _open(left, now)
    except (OverflowError, ValueError):  # nobody lives at the end of the calendar
        return (), question
    return (*spans, *_dates(_OPEN.sub(" ", left))), left


def _number_of(month: str) -> int:
    return next(number for number, name in enumerate(MONTHS, 1) if name.startswith(month.lower().rstrip(".")[:3]))


def _dates(question: str) -> Iterator[Date]:
    left = question
    for pattern in _DATES:
        for found in pattern.finditer(left):
            parts = found.groupdict()
            named = parts.get("month")
            month = _number_of(named) if named else int(parts.get("number") or 0) or None
            year, day = (int(parts[name]) if parts.get(name) else None for name in ("year", "day"))
            if day is None or 1 <= day <= 31:
                yield Date(year, month, day)
        # What was read as a day is not read again as its month.
        left = pattern.sub(" ", left)


def _month_after(begin: datetime) -> datetime:
    return (begin + 32 * DAY).replace(day=1)


def _open(question: str, now: datetime) -> list[Span]:
    """Return what is since or before a month or year; a month without a year is the last one there was."""
    found = []
    for one in _OPEN.finditer(question):
        year = int(one["year"] or one["alone"] or now.year)
        begin = datetime(year, _number_of(one["month"]) if one["month"] else 1, 1, tzinfo=UTC)
        if not one["year"] and not one["alone"] and begin > now:
            begin = begin.replace(year=year - 1)
        end = _month_after(begin) if one["month"] else begin.replace(year=year + 1)
        spans = {"since": (begin, now + DAY), "after": (end, now + DAY), "before": (BEGINNING, begin)}
        first, last = spans.get(one["way"].lower(), (BEGINNING, end))
        if first < last:
            found.append(Span(first, last))
    return found


def _relative(question: str, now: datetime) -> tuple[list[Span], str]:
    """Return what is counted from now, and the question without the words for it."""
    found: list[Span] = []
    for words, span in _named(now).items() if _NAMED.search(question) else ():
        left = re.sub(rf"\b{words}\b", " ", question, flags=re.I)
        if left != question:
            # "The day before yesterday" is not yesterday.
            found.append(Span(*span))
            question = left
    for one in _AGO.finditer(question):
        ago = _ago(one["count"].lower(), one["unit"].lower(), now)
        if ago is not None:
            found.append(ago)
            question = question.replace(one[0], " ")
    today = _midnight(now)
    for one in _WEEKDAY.finditer(question):
        back = (today.weekday() - DAYS.index(one["day"].lower())) % 7 or 7
        found.append(Span(today - back * DAY, today - (back - 1) * DAY))
        question = question.replace(one[0], " ")
    return found, question


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _named(now: datetime) -> dict[str, tuple[datetime, datetime]]:
    today = _midnight(now)
    monday = today - today.weekday() * DAY
    month = today.replace(day=1)
    before = (month - DAY).replace(day=1)
    year = month.replace(month=1)
    return {
        "the day before yesterday": (today - 2 * DAY, today - DAY),
        "yesterday": (today - DAY, today),
        "last night": (today - DAY / 4, today + DAY / 4),
        "last evening": (today - DAY / 4, today),
        "today": (today, today + DAY),
        "tonight": (today + DAY * 3 / 4, today + DAY),
        "this morning": (today, today + DAY / 2),
        "this afternoon": (today + DAY / 2, today + DAY * 3 / 4),
        "this evening": (today + DAY * 3 / 4, today + DAY),
        "just now": (now - DAY / 144, now + DAY),
        "last weekend": (monday - 2 * DAY, monday),
        "this week": (monday, monday + 7 * DAY),
        "last week": (monday - 7 * DAY, monday),
        "this month": (month, _month_after(month)),
        "last month": (before, month),
        "this year": (year, year + 366 * DAY),
        "last year": (year.replace(year=max(1, year.year - 1)), year),
    }


_NAMED = re.compile(rf"\b(?:{'|'.join(_named(datetime(2000, 1, 1, tzinfo=UTC)))})\b", re.I)
"""Finds any of them; most questions hold none."""


def _ago(count: str, unit: str, now: datetime) -> Span | None:
    length = _LENGTHS.get(unit)
    number = int(count) if count.isdecimal() else _COUNTS.get(count)
    if length is None or number is None or number * length > now - BEGINNING - 2 * length:
        return None
    middle = (_midnight(now) + DAY / 2 if length == DAY else now) - number * length
    return Span(middle - length / 2, middle + length / 2)
