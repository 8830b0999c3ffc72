"""Read a question: which of its words are telling, which time it asks about, what kind of thing it asks for. Pure.

The rules know English; a question in another language keeps its words and simply gives no such sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

MOST_WORDS = 64
"""Words of a question that are looked for; a situation's text may be long."""
LONGEST = 20_000
"""Characters of a question that are read."""

_WORD = re.compile(r"[^\W_]+")
_COMMON = """
    a about above after again against all also am an and any are aren as at be because been before being below between
    both but by can cannot could couldn d did didn do does doesn doing don down during each few for from further had
    hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just
    let ll m me might more most must my myself no nor not of off on once only or other our ours ourselves out over own
    re s same say says said she should shouldn so some such t tell tells than that the their theirs them themselves then
    there these they this those through to too told under until up us ve very was wasn we were weren what when where
    which while who whom whose why will with won would wouldn you your yours yourself yourselves
"""
_STOP = frozenset(_COMMON.split())


def is_telling(word: str) -> bool:
    """Tell whether a lower-case word says what a sentence is about."""
    return word not in _STOP


def words_of(text: str) -> list[str]:
    """Return the words of a text, lower case, in order."""
    return _WORD.findall(text.lower())


def telling_words(question: str) -> list[str]:
    """Return the words of a question that say what it is about, each once, lower case, in order.

    Words that every question has are left out, unless there is nothing else.
    """
    words = list(dict.fromkeys(words_of(question[:LONGEST])))
    telling = [word for word in words if is_telling(word)]
    return (telling or words)[:MOST_WORDS]


# -- what kind of thing is asked for --------------------------------------------------------------------------------

_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|old|far|tall|big|large|heavy|deep|high|wide|often)\b"
    r"|\b(?:number|numbered|code|distance|price|cost|costs|amount|debt|age)\b",
    re.IGNORECASE,
)
_ASKS_TIME = re.compile(
    r"\bwhen\b|\bhow long\b|\b(?:what|which) (?:time|hour|day|date|week|month|year|season)\b", re.IGNORECASE
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|thousand|million|half|twice)\b",
    re.IGNORECASE,
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|every) \w+|weeks?|months?|years?|days?|hours?"
    r"|minutes?|morning|afternoon|evening|night|midnight|noon|weekend|spring|summer|autumn|winter|recently|bell|o'clock"
    rf"|{'|'.join(_DAYS)}|{'|'.join(m for m in _MONTHS if m not in ('may', 'march'))}"
    r"|(?:in|of|until|since|by) (?:may|march)|(?:1[5-9]|20)\d\d)\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:did|have|had|do) i (?:ever |really |once )?(?:say|said|tell|told|promise|promised|ask|asked|answer|answered"
    r"|whisper|whispered|shout|shouted|call|called|mention|mentioned|think|thought)\b"
    r"|\bi (?:said|told|promised|asked)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\b(?:first|earliest|originally|in the beginning|at the start)\b", re.IGNORECASE)
_LAST = re.compile(
    r"\b(?:latest|newest|lately|most recent|most recently|the last (?:time|thing|one|words?)|last time"
    r"|last (?:see|saw|say|said|meet|met|speak|spoke|talk|hear|heard|do|did|go|went))\b",
    re.IGNORECASE,
)


# -- which time is asked about --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time.

    Args:
        first: its first moment.
        last: the moment it ends before.
    """

    first: datetime
    last: datetime

    def fits(self, at: datetime) -> float:
        """Return 1 for a moment within, 0.5 for one that is no further off than a quarter of its length, else 0."""
        if self.first <= at < self.last:
            return 1.0
        off = (self.last - self.first) / 4
        return 0.5 if self.first - off <= at < self.last + off else 0.0


@dataclass(frozen=True, slots=True)
class Date:
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


Moment = Span | Date

_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)(?:-(?P<day>\d\d))?\b",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?:,? {_YEAR})?",
        rf"\b{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,? {_YEAR})?",
        rf"\b{_MONTH},?(?: of)? {_YEAR}\b",
        rf"\b(?:in|during|since|of|by|early|late|mid|last|this|until|around) {_MONTH}\b",
        rf"\b(?:in|during|of|since|year|early|late) {_YEAR}\b",
    )
)
_AGO = re.compile(
    r"\b(?P<count>\d{1,4}|an?|one|two|three|four|five|six|seven|ten) (?P<unit>\w+?)s? ago\b", re.IGNORECASE
)
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_LENGTHS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
_WEEKDAY = re.compile(rf"\b(?:on|last|this|since) (?P<day>{'|'.join(_DAYS)})\b", re.IGNORECASE)


def moments_in(question: str, now: datetime) -> tuple[Moment, ...]:
    """Return the times that a question names.

    Args:
        question: its text.
        now: the time it is asked at, UTC; days begin at midnight UTC.
    """
    return (*_dates(question), *_relative(question.lower(), now))


def _dates(question: str) -> Iterator[Date]:
    left = question
    for pattern in _DATES:
        for found in pattern.finditer(left):
            parts = found.groupdict()
            named = parts.get("month")
            month = _MONTHS.index(named.lower()) + 1 if named else int(parts.get("number") or 0) or None
            date = Date(_whole(parts.get("year")), month, _whole(parts.get("day")))
            if (date.month or 1) <= 12 and 1 <= (date.day or 1) <= 31:
                yield date
        # What was read as a day is not read again as its month.
        left = pattern.sub(" ", left)


def _whole(text: str | None) -> int | None:
    return int(text) if text else None


def _relative(question: str, now: datetime) -> Iterator[Span]:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    monday = today - today.weekday() * day
    month = today.replace(day=1)
    before = (month - day).replace(day=1)
    year = month.replace(month=1)
    named = {
        "the day before yesterday": (today - 2 * day, today - day),
        "yesterday": (today - day, today),
        "last night": (today - day / 4, today + day / 4),
        "last evening": (today - day / 4, today),
        "today": (today, today + day),
        "tonight": (today + day * 3 / 4, today + day),
        "this morning": (today, today + day / 2),
        "this afternoon": (today + day / 2, today + day * 3 / 4),
        "this evening": (today + day * 3 / 4, today + day),
        "just now": (now - timedelta(minutes=10), now + day),
        "this week": (monday, monday + 7 * day),
        "last week": (monday - 7 * day, monday),
        "this month": (month, month + 31 * day),
        "last month": (before, month),
        "this year": (year, year + 366 * day),
        "last year": (year.replace(year=max(1, year.year - 1)), year),
    }
    for words, span in named.items():
        if re.search(rf"\b{words}\b", question):
            yield Span(*span)
            # "The day before yesterday" is not yesterday.
            question = question.replace(words, " ")
    for found in _AGO.finditer(question):
        length = _LENGTHS.get(found["unit"])
        count = _COUNTS.get(found["count"]) or (int(found["count"]) if found["count"].isdecimal() else 0)
        if length is not None and count * length < now.replace(tzinfo=None) - datetime.min - 2 * length:
            middle = (today + day / 2 if length == day else now) - count * length
            yield Span(middle - length / 2, middle + length / 2)
    for found in _WEEKDAY.finditer(question):
        back = (today.weekday() - _DAYS.index(found["day"])) % 7 or 7
        yield Span(today - back * day, today - (back - 1) * day)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read.

    Args:
        text: as it was asked.
        words: its telling words.
        moments: the times it names.
        order: -1 when it asks for what was first, 1 for what was last, else 0.
        number, time: whether it asks for a number, for a time.
        own: whether it asks what one said or thought oneself.
    """

    text: str
    words: tuple[str, ...] = ()
    moments: tuple[Moment, ...] = ()
    order: int = 0
    number: bool = False
    time: bool = False
    own: bool = False

    def answered_by(self, text: str) -> bool:
        """Tell whether a text holds the kind of thing that is asked for."""
        return (self.number and _NUMBER.search(text) is not None) or (self.time and _TIME.search(text) is not None)

    def names(self, name: str) -> bool:
        """Tell whether a name stands in it, in any case, as words of its own."""
        return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.text, re.IGNORECASE) is not None

    def when(self, at: datetime) -> float:
        """Return how well a moment fits the times that are named: 1 within, 0.5 close, 0 far or none named."""
        return max((moment.fits(at) for moment in self.moments), default=0.0)


def read_question(text: str, now: datetime) -> Question:
    """Return a question with what it asks about.

    Args:
        text: the question, or a situation in words.
        now: the time it is asked at.
    """
    text = text[:LONGEST]
    return Question(
        text,
        tuple(telling_words(text)),
        moments_in(text, now),
        1 if _LAST.search(text) else -1 if _FIRST.search(text) else 0,
        _ASKS_NUMBER.search(text) is not None,
        _ASKS_TIME.search(text) is not None,
        _OWN.search(text) is not None,
    )
