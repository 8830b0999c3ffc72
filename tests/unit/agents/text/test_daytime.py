from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.text.daytime import day_name, day_of, lasted, local, now_in_words, part_of_day
from mud.clock import iso
from mud.storage.texts import TextStore
from tests.vaults import SHIPPED

TEXTS = TextStore(SHIPPED / "text")
assert TEXTS.load() == []
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
