"""Parsing of questions and of the clauses of texts, by rules for English. Pure functions.

Days begin at midnight UTC. Ambiguous words ("may", "march") are not taken for times.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

MAX_WORDS = 64
"""Maximum number of words searched for; a situation may be long."""
MAX_QUESTION = 20_000

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


def is_content_word(word: str) -> bool:
    return word not in _STOP


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def content_words(question: str) -> list[str]:
    """Return the distinct lower-case words in order, without stop words unless there are no others."""
    words = list(dict.fromkeys(words_of(question[:MAX_QUESTION])))
    return ([word for word in words if is_content_word(word)] or words)[:MAX_WORDS]


# -- the times that a question names -----------------------------------------------------------------------------------

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
BEGINNING = datetime(1, 1, 2, tzinfo=UTC)
DAY = timedelta(days=1)


class Span(NamedTuple):
    first: datetime
    last: datetime

    def fits(self, at: datetime) -> float:
        """Return 1 within, 0.5 up to a quarter of its length (at most two days) outside, else 0."""
        if self.first <= at < self.last:
            return 1.0
        off = min((self.last - self.first) / 4, 2 * DAY)
        beside = timedelta(0) <= self.first - at <= off or timedelta(0) <= at - self.last <= off
        return 0.5 if beside else 0.0

    def within(self, first: datetime, last: datetime) -> Iterator[Span]:
        yield self


class Date(NamedTuple):
    year: int | None = None
    month: int | None = None
    day: int | None = None

    def fits(self, at: datetime) -> float:
        """Return 1 for a match, 0.5 for another day of the same month, else 0."""
        if (self.year is not None and at.year != self.year) or (self.month is not None and at.month != self.month):
            return 0.0
        return 1.0 if self.day is None or at.day == self.day else 0.5

    def within(self, first: datetime, last: datetime) -> Iterator[Span]:
        """Yield the matching intervals between `first` and `last`."""
        for year in (self.year,) if self.year else range(first.year, last.year + 1):
            begin = datetime(year, self.month or 1, 1, tzinfo=UTC)
            end = _month_after(begin) if self.month else begin.replace(year=year + 1)
            if self.day is not None and begin + self.day * DAY <= end:
                begin, end = begin + (self.day - 1) * DAY, begin + self.day * DAY
            yield Span(begin, end)


Moment = Span | Date

_SHORT = ("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sept", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>(?:{'|'.join((*MONTHS, *_SHORT))})\b\.?)"
# Without "may" and "march": "I may 3 times" and "we march 5 miles" name no month.
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
    """Return the times named, and the question without words such as "yesterday"; `now` is UTC."""
    try:
        spans, left = _relative(question, now)
        spans += _open(left, now)
    except (OverflowError, ValueError):  # beyond the range of datetime
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
        # So that a day is not matched again as a month.
        left = pattern.sub(" ", left)


def _month_after(begin: datetime) -> datetime:
    return (begin + 32 * DAY).replace(day=1)


def _open(question: str, now: datetime) -> list[Span]:
    """Return the spans since or before a month or year; a month without a year is the last such month."""
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
    """Return the spans relative to `now`, and the question without their words."""
    found: list[Span] = []
    for words, span in _named(now).items() if _NAMED.search(question) else ():
        left = re.sub(rf"\b{words}\b", " ", question, flags=re.I)
        if left != question:
            # Removed, so that "the day before yesterday" does not match "yesterday" too.
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
"""A quick check, because most questions have none."""


def _ago(count: str, unit: str, now: datetime) -> Span | None:
    length = _LENGTHS.get(unit)
    number = int(count) if count.isdecimal() else _COUNTS.get(count)
    if length is None or number is None or number * length > now - BEGINNING - 2 * length:
        return None
    middle = (_midnight(now) + DAY / 2 if length == DAY else now) - number * length
    return Span(middle - length / 2, middle + length / 2)


# -- what kind of thing is asked for ----------------------------------------------------------------------------------

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
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|every) \w+|weeks?|months?|years?|days?|hours?"
    r"|minutes?|morning|afternoon|evening|night|midnight|noon|weekend|spring|summer|autumn|winter|recently|bell|o'clock"
    rf"|{'|'.join(DAYS)}|{'|'.join(m for m in MONTHS if m not in ('may', 'march'))}"
    r"|(?:in|of|until|since|by) (?:may|march)|(?:1[5-9]|20)\d\d)\b",
    re.IGNORECASE,
)
_ASKS_OWN_WORDS = re.compile(
    r"\b(?:did|have|had|do) i (?:ever |really |once )?(?:say|said|tell|told|promise|promised|ask|asked|answer|answered"
    r"|whisper|whispered|shout|shouted|call|called|mention|mentioned|think|thought)\b"
    r"|\bi (?:said|told|promised|asked)\b",
    re.IGNORECASE,
)
_I = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?:the (?:very )?first (?:thing|time|one|words?)|first time|earliest|originally|in the beginning|at the start"
    r"|(?:who|what|where|when|whom|which|i|you|we|he|she|they|it|did|to|was|were|ever) first)\b"
    r"|\bdid\b[^.?!]*(?<!the )(?<!her )(?<!his )(?<!my )(?<!your )(?<!their )(?<!our )(?<!at )\bfirst\b"
    r"|\bfirst\W*$",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\b(?:latest|newest|lately|most recent|most recently|the (?:very )?last (?:time|thing|one|words?)"
    r"|last (?:time|words?)"
    r"|last (?:see|saw|say|said|meet|met|speak|spoke|talk|hear|heard|do|did|go|went|was|were))\b|\blast\W*$",
    re.IGNORECASE,
)


class ParsedQuestion(NamedTuple):
    """A parsed question.

    Args:
        words: its content words.
        order: -1 if it asks for the first, 1 for the last, else 0.
        number, time: whether it asks for a number, for a time.
        own_words: whether it asks what the asking agent said or thought.
        first_person: whether it is about the asking agent.
    """

    text: str
    words: tuple[str, ...] = ()
    moments: tuple[Moment, ...] = ()
    order: int = 0
    number: bool = False
    time: bool = False
    own_words: bool = False
    first_person: bool = False

    def answered_by(self, text: str) -> bool:
        return (self.number and _NUMBER.search(text) is not None) or (self.time and _TIME.search(text) is not None)

    def names(self, name: str) -> bool:
        return bool(name) and _name(name).search(self.text) is not None

    def names_title(self, title: str) -> bool:
        """Return whether it contains a title that has a content word, or equals the title."""
        words, asked = _in_words(title), _in_words(self.text)
        return words in asked and bool(words.strip()) and (words == asked or any(map(is_content_word, words.split())))

    def fits_time(self, at: datetime) -> float:
        """Return how well a time matches the named times: 1 within, 0.5 close, else 0."""
        return max((moment.fits(at) for moment in self.moments), default=0.0)


@lru_cache(maxsize=1 << 10)
def _in_words(text: str) -> str:
    """Return the words joined and surrounded by spaces; cached, as a question is compared with many titles."""
    return f" {' '.join(words_of(text))} "


@lru_cache(maxsize=1 << 10)
def _name(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


def read_question(text: str, now: datetime) -> ParsedQuestion:
    text = text[:MAX_QUESTION]
    moments, left = moments_in(text, now)
    order = 1 if _LAST.search(text) else -1 if _FIRST.search(text) else 0
    return ParsedQuestion(
        text,
        # Without "yesterday" and the like, which the memory itself does not contain.
        tuple(content_words(_FIRST.sub(" ", _LAST.sub(" ", left)) if order else left)) or tuple(content_words(text)),
        moments,
        order,
        _ASKS_NUMBER.search(text) is not None,
        _ASKS_TIME.search(text) is not None,
        _ASKS_OWN_WORDS.search(text) is not None,
        _I.search(text) is not None,
    )


# -- what a text tells and what it asks -------------------------------------------------------------------------------

NEW_WORDS = 0.25
"""Maximum share of other content words in a repetition."""
MIN_WORDS = 2
"""Minimum content words of a text for a longer text to repeat it."""
STEM_LENGTH = 5
"""Letters by which word forms are compared, such as painted and painting."""
MAX_READ = 1000

_FIRST_PERSON = frozenset(("i", "me", "my", "mine", "myself"))
_SECOND_PERSON = frozenset(("you", "your", "yours", "yourself"))

_ASKING = (
    r"(?:who|whom|whose|what|which|where|when|why|how|am|is|are|was|were|do|does|did|have|has|had|can|could|will|would"
    r"|shall|should|may|might|must|if|(?:is|are|was|were|do|does|did|have|has|had|ca|could|wo|would|should)n['’]?t)\b"
)
_CLAUSE = re.compile(rf"(?:[^.!?;:…—–\n,]|,(?!\s+{_ASKING})|(?<=\d)[.:](?=\d))+(?:[.!?;:…—–\n,]+|$)", re.IGNORECASE)
_BEGINS_QUESTION = re.compile(rf"\W*{_ASKING}", re.IGNORECASE)
_SPEAKER = re.compile(r"\A[^\"“\n?]{0,80}[\"“]")


class Clauses(NamedTuple):
    """The content words of a text by clause, for statements and questions.

    A clause ends at a mark and before a comma that starts a question ("I lost my key, have you seen it?").
    """

    statements: tuple[tuple[str, ...], ...]
    asked: tuple[tuple[str, ...], ...]


@lru_cache(maxsize=1 << 12)
def clauses_of(text: str) -> Clauses:
    text = _SPEAKER.sub("", text[:MAX_READ])
    statements: list[tuple[str, ...]] = []
    asked: list[tuple[str, ...]] = []
    for clause in _CLAUSE.finditer(text):
        words = tuple(filter(is_content_word, words_of(clause[0])))
        mark = clause[0].rstrip()
        if mark.endswith("?"):
            asked.append(words)
        elif words and mark.endswith(",") and _BEGINS_QUESTION.match(clause[0]):
            asked.append(words)  # "When you were there, did you see it?" states nothing
        elif words:
            statements.append(words)
    return Clauses(tuple(statements), tuple(asked))


def is_question(text: str) -> bool:
    return "?" in text and text.rstrip("\"'”’) ").endswith("?")


def states_answer(text: str, asked: Collection[str]) -> bool:
    """Return whether a text that ends in a question answers another question in its statements.

    Its statements must have two of the asked content words, and its own question none that they do not have: "I saw a
    fox in the orchard; what could that mean?" answers a question about foxes there.
    """
    wanted = {_start_of(word) for word in asked}
    parts = clauses_of(text)
    statements, only_asked = (
        {start for clause in clauses for word in clause if (start := _start_of(word)) in wanted}
        for clauses in (parts.statements, parts.asked)
    )
    return len(statements) >= min(MIN_WORDS, len(wanted)) and only_asked < statements


def _start_of(word: str) -> str:
    return word[:STEM_LENGTH]


def is_about_speaker(text: str) -> bool:
    words = words_of(_SPEAKER.sub("", text[:MAX_READ]))
    return sum(word in _FIRST_PERSON for word in words) > sum(word in _SECOND_PERSON for word in words)


def repeats(later: str, original: str, asked: Collection[str]) -> bool:
    """Return whether a later text adds nothing to an earlier one on the words asked for, or quotes it."""
    statements = [word for clause in clauses_of(original).statements for word in clause]
    if not statements:
        return False
    known = set(statements)
    clauses = [*clauses_of(later).statements, *clauses_of(later).asked]
    fitting = [word for clause in clauses if not known.isdisjoint(clause) for word in clause]
    wanted = [word for word in fitting if word in asked]
    if not wanted or not known.issuperset(wanted):
        return False
    if sum(word not in known for word in fitting) <= NEW_WORDS * len(fitting):
        return True
    said = [word for clause in clauses for word in clause]
    return len(statements) >= MIN_WORDS and _quotes(said, statements)


def _quotes(said: list[str], statements: list[str]) -> bool:
    """Return whether most neighbouring word pairs of `statements` occur in `said`."""
    pairs = set(pairwise(said))
    wanted = list(pairwise(statements))
    return sum(pair in pairs for pair in wanted) >= (1 - NEW_WORDS) * len(wanted)
