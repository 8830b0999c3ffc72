from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.commands._when import (
    ANY_YEAR,
    DAYS,
    HOUR,
    HOURS,
    MINUTE,
    MINUTES,
    NOW,
    THIS_YEAR,
    YESTERDAY,
    age,
    clock_time,
    date,
    span,
    when,
)
from agents.text.daytime import MONTHS
from mud.clock import iso
from mud.storage.texts import TextStore, fill_places
from mud.world.narration import Phrase
from tests.vaults import SHIPPED

TEXTS = TextStore(SHIPPED / "text")
assert TEXTS.load() == []
NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)
ORDER = [NOW, MINUTE, MINUTES, HOUR, HOURS, YESTERDAY, DAYS, THIS_YEAR, ANY_YEAR]
MOMENTS = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC))


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


@given(MOMENTS, st.integers(0, 400 * 86_400), st.integers(0, 400 * 86_400))
def test_what_is_older_is_never_said_to_be_newer(now: datetime, one: int, other: int) -> None:
    start = datetime(1, 1, 1, tzinfo=UTC)
    newer, older = (max(now - timedelta(seconds=s), start) if now.year > 3 else now for s in sorted((one, other)))
    told = [(ORDER.index(how), number) for how, number in (age(newer, now), age(older, now))]
    assert told == sorted(told)


@given(MOMENTS, MOMENTS)
def test_every_time_can_be_said_and_no_number_is_one_or_too_high(moment: datetime, now: datetime) -> None:
    assert when(TEXTS.render, iso(moment), now)
    assert date(TEXTS.render, iso(moment)).endswith(str(moment.year))
    how, number = age(moment, now)
    most = {MINUTES: 59, HOURS: 23, DAYS: 6}
    assert 2 <= number <= most[how] if how in most else number in (0, 1)


def test_months_that_are_not_twelve_words_become_numbers() -> None:
    def say(phrase: Phrase, /, **places: object) -> str:
        return "spring summer" if phrase is MONTHS else fill_places("{day}.{month}.{year}", places)

    assert date(say, "2026-05-03T10:00:00.000Z") == "3.5.2026"


def test_a_span_within_one_word_is_that_word() -> None:
    assert span(TEXTS.render, "yesterday", "yesterday") == "yesterday"
    assert span(TEXTS.render, "3 days ago", "yesterday") == "3 days ago - yesterday"
