from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.mind.settings import SleepSchedule, time_of

NIGHT = SleepSchedule(time(22), time(6))


def at(hour: int, minute: int = 0, day: int = 10) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(("text", "wanted"), [("22:00", time(22)), (" 6:05 ", time(6, 5)), ("", None), ("  ", None)])
def test_a_time_of_day_is_read(text: str, wanted: time | None) -> None:
    assert time_of(text) == wanted


@pytest.mark.parametrize("text", ["24:00", "22", "22:60", "ten", "22:00:00", "-1:00"])
def test_what_is_no_time_of_day_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match="is no time of day; expected one such as 22:00"):
        time_of(text)


def test_the_night_lasts_from_falling_asleep_to_waking_also_over_midnight() -> None:
    assert [hour for hour in range(24) if NIGHT.night(at(hour))] == [0, 1, 2, 3, 4, 5, 22, 23]
    assert [hour for hour in range(24) if SleepSchedule(time(13), time(15)).night(at(hour))] == [13, 14]


def test_whoever_is_awake_in_the_night_falls_asleep_and_by_day_nobody_does() -> None:
    assert NIGHT.falls_asleep(at(23), at(23))
    assert not NIGHT.falls_asleep(at(9), at(21, 59))


def test_the_time_until_bed_grows_less_and_is_none_in_the_night() -> None:
    assert [NIGHT.bedtime(at(hour)) for hour in (6, 21, 22, 3)] == [16 * 3600, 3600, 0, 0]
    assert SleepSchedule(time(22)).bedtime(at(21, 30)) == 1800
    assert SleepSchedule(None, time(6)).bedtime(at(21)) is None


def test_without_a_time_of_waking_the_moment_itself_counts() -> None:
    hours = SleepSchedule(time(22))
    assert hours.falls_asleep(at(21, 59), at(22))
    assert not hours.falls_asleep(at(22), at(23))
    assert not hours.wakes(at(22), at(22, day=20))


def test_a_sleeper_wakes_in_the_morning_whenever_it_fell_asleep() -> None:
    assert not NIGHT.wakes(at(22), at(5, 59, day=11))
    assert NIGHT.wakes(at(22), at(6, day=11))
    assert NIGHT.wakes(at(22), at(19, day=11)), "also when nobody looked at six"


def test_a_nap_by_day_ends_by_itself_and_one_without_end_does_not() -> None:
    assert not SleepSchedule(nap=2).wakes(at(12), at(13, 59))
    assert SleepSchedule(nap=2).wakes(at(12), at(14))
    assert not SleepSchedule(nap=0).wakes(at(12), at(12, day=30))
    assert not SleepSchedule(time(13), time(6), nap=2).wakes(at(12), at(14)), "by now it is night"


@given(st.times(), st.times(), st.datetimes(datetime(2026, 1, 2), datetime(2027, 1, 1)), st.integers(0, 3000))
def test_nobody_is_to_fall_asleep_and_to_wake_at_once(bed: time, rise: time, now: datetime, minutes: int) -> None:
    moment, hours = (
        now.replace(tzinfo=UTC),
        SleepSchedule(bed.replace(second=0, microsecond=0), rise.replace(second=0, microsecond=0)),
    )
    if hours.falls_asleep(moment, moment):
        assert not hours.wakes(moment, moment + timedelta(seconds=0))
    assert not SleepSchedule(nap=0).falls_asleep(moment - timedelta(minutes=minutes), moment)
