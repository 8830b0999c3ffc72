from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.text.daytime import (
    ANY_YEAR,
    DAYS_AGO,
    HOUR_AGO,
    HOURS_AGO,
    JUST_NOW,
    MINUTE_AGO,
    MINUTES_AGO,
    MONTHS,
    THIS_YEAR,
    YESTERDAY,
    clock_time,
    date_of,
    day_name,
    day_of,
    lasted,
    local,
    now_in_words,
    part_of_day,
    span,
    when,
)
from mud.clock import iso
from mud.storage.texts import TextStore, fill_places
from mud.world.narration import Phrase
from tests.vaults import SHIPPED

TEXTS = TextStore(SHIPPED / "text")
assert TEXTS.load() == []
NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)
AGES = [JUST_NOW, MINUTE_AGO, MINUTES_AGO, HOUR_AGO, HOURS_AGO, YESTERDAY, DAYS_AGO, THIS_YEAR, ANY_YEAR]
MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("hour", "part", "day"),
    [
        (0, "night", "Monday"),
        (4, "night", "Monday"),
        (5, "morning", "Tuesday"),
        (11, "morning", "Tuesday"),
        (12, "afternoon", "Tuesday"),
        (17, "afternoon", "Tuesday"),
        (18, "evening", "Tuesday"),
        (21, "evening", "Tuesday"),
        (22, "night", "Tuesday"),
    ],
)
def test_the_part_of_a_day_and_the_day_it_belongs_to_are_named(hour: int, part: str, day: str) -> None:
    moment = datetime(2026, 11, 24, hour, 59, tzinfo=UTC)  # a Tuesday
    assert (part_of_day(TEXTS.render, moment), day_name(TEXTS.render, day_of(moment))) == (part, day)


def test_now_is_told_by_the_calendar_and_the_time_of_day() -> None:
    told = [now_in_words(TEXTS.render, datetime(2026, 11, 24, hour, tzinfo=UTC)) for hour in (1, 9, 13, 19)]
    parts = ("at night", "in the morning", "in the afternoon", "in the evening")
    assert told == [f"Tuesday, 24 November, {part}" for part in parts]


def test_the_zone_says_which_time_of_day_a_written_time_is() -> None:
    west = timezone(timedelta(hours=-8))
    moment = local("2026-11-25T04:00:00.000Z", west)
    assert moment is not None
    assert (part_of_day(TEXTS.render, moment), day_of(moment)) == ("evening", date(2026, 11, 24))


@pytest.mark.parametrize("at", ["", "yesterday", "2026-13-01"])
def test_what_is_no_time_has_no_time_of_day(at: str) -> None:
    assert local(at, UTC) is None


@given(MOMENTS)
def test_a_day_begins_once_at_dawn(moment: datetime) -> None:
    assert day_of(moment) in (moment.date(), moment.date() - timedelta(days=1))
    assert (day_of(moment) == moment.date()) is (part_of_day(TEXTS.render, moment) != "night" or moment.hour >= 22)
    assert local(iso(moment), UTC) == moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        ("2026-11-24T08:00:00.000Z", "2026-11-24T09:30:00.000Z", "On Tuesday morning"),
        ("2026-11-24T23:00:00.000Z", "2026-11-25T02:00:00.000Z", "On Tuesday night"),
        ("2026-11-24T08:00:00.000Z", "2026-11-27T19:00:00.000Z", "From Tuesday morning to Friday evening"),
        ("2026-11-24T08:00:00.000Z", "2026-12-01T08:00:00.000Z", ""),
        ("2026-11-24T08:00:00.000Z", "yesterday", ""),
        ("2026-11-24T08:00:00.000Z", "2026-11-20T08:00:00.000Z", ""),
    ],
)
def test_when_something_was_is_told_by_the_days_of_one_week(first: str, last: str, told: str) -> None:
    assert lasted(TEXTS.render, first, last, UTC) == told


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("2026-05-20T11:59:30.000Z", "just now"),
        ("2026-05-20T12:00:30.000Z", "just now"),
        ("2026-05-20T11:59:00.000Z", "a minute ago"),
        ("2026-05-20T11:15:00.000Z", "45 minutes ago"),
        ("2026-05-20T10:30:00.000Z", "an hour ago"),
        ("2026-05-20T00:10:00.000Z", "11 hours ago"),
        ("2026-05-19T23:00:00.000Z", "yesterday"),
        ("2026-05-19T00:00:00.000Z", "yesterday"),
        ("2026-05-18T23:59:59.000Z", "2 days ago"),
        ("2026-05-14T00:00:00.000Z", "6 days ago"),
        ("2026-05-13T23:59:59.000Z", "on 13 May"),
        ("2025-12-31T10:00:00.000Z", "on 31 December 2025"),
        ("2026-06-01T10:00:00.000Z", "on 1 June"),
        ("2026-05-20T14:00+02:00", "just now"),
        ("", "undated"),
        ("a while back", "a while back"),
    ],
)
def test_a_time_is_said_as_one_says_it(at: str, said: str) -> None:
    assert when(TEXTS.render, at, NOON) == said


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("2026-05-20T11:59:30.123Z", "Wed 20 May 13:59"),
        ("2026-05-17T22:30:00.000Z", "Mon 18 May 00:30"),
        ("2025-12-31T23:30:00.000Z", "Thu 1 Jan 01:30"),
        ("2025-12-31T10:00:00.000Z", "Wed 31 Dec 2025 12:00"),
        ("9999-12-31T23:59:59.000Z", "9999-12-31T23:59:59.000Z"),
        ("?", "?"),
        ("", "undated"),
    ],
)
def test_a_time_is_noted_by_the_clock_of_whoever_reads_it(at: str, said: str) -> None:
    there = NOON.astimezone(timezone(timedelta(hours=2)))
    assert clock_time(TEXTS.render, at, there) == said


def test_what_was_before_midnight_is_still_hours_ago_in_the_night() -> None:
    night = datetime(2026, 5, 20, 1, tzinfo=UTC)
    assert when(TEXTS.render, "2026-05-19T23:30:00.000Z", night) == "an hour ago"
    assert when(TEXTS.render, "2026-05-19T19:00:00.000Z", night) == "yesterday"


def age(moment: datetime, now: datetime) -> tuple[int, int]:
    """Return how a moment is worded, as an index of `AGES`, and the number in it."""
    said: list[tuple[int, int]] = []

    def say(phrase: Phrase, /, **places: Any) -> str:
        if phrase in AGES:
            said.append((AGES.index(phrase), places.get("n", 0)))
        return "said"

    when(say, iso(moment), now)
    return said[-1]


@given(MOMENTS, st.integers(0, 400 * 86_400), st.integers(0, 400 * 86_400))
def test_what_is_older_is_never_said_to_be_newer(now: datetime, one: int, other: int) -> None:
    newer, older = (now - timedelta(seconds=s) if now.year > 3 else now for s in sorted((one, other)))
    assert age(newer, now) <= age(older, now)


@given(MOMENTS, MOMENTS)
def test_every_time_can_be_said_and_no_number_is_one_or_too_high(moment: datetime, now: datetime) -> None:
    assert when(TEXTS.render, iso(moment), now)
    assert date_of(TEXTS.render, iso(moment)).endswith(str(moment.year))
    how, number = age(moment, now)
    most = {MINUTES_AGO: 59, HOURS_AGO: 23, DAYS_AGO: 6}
    assert 2 <= number <= most[AGES[how]] if AGES[how] in most else number in (0, 1)


def test_months_that_are_not_twelve_words_become_numbers() -> None:
    def say(phrase: Phrase, /, **places: object) -> str:
        return "spring summer" if phrase is MONTHS else fill_places("{day}.{month}.{year}", places)

    assert date_of(say, "2026-05-03T10:00:00.000Z") == "3.5.2026"


def test_a_span_within_one_word_is_that_word() -> None:
    assert span(TEXTS.render, "yesterday", "yesterday") == "yesterday"
    assert span(TEXTS.render, "3 days ago", "yesterday") == "3 days ago - yesterday"
