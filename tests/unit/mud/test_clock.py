"""Written times, and the clock that tests and simulations move."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.clock import VirtualClock, iso, parse_iso


@given(st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9000, 1, 1), timezones=st.just(UTC)))
def test_a_written_time_reads_back_to_the_millisecond(moment: datetime) -> None:
    text = iso(moment)
    assert len(text) == len("2026-11-20T07:21:37.123Z")
    assert text.endswith("Z")
    assert parse_iso(text) == moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def test_times_of_other_zones_are_written_in_utc_and_a_time_without_zone_is_utc() -> None:
    east = timezone(timedelta(hours=2))
    assert iso(datetime(2026, 11, 20, 9, 21, 37, 123456, tzinfo=east)) == "2026-11-20T07:21:37.123Z"
    assert parse_iso("2026-11-20T07:21:37") == datetime(2026, 11, 20, 7, 21, 37, tzinfo=UTC)


def test_what_is_no_time_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="Invalid isoformat"):
        parse_iso("yesterday")


def test_a_virtual_clock_moves_only_when_moved_and_never_back() -> None:
    clock = VirtualClock()
    start = clock.now()
    clock.advance(2.5)
    assert clock.now() - start == timedelta(seconds=2.5)
    assert clock.monotonic() == 2.5
    with pytest.raises(ValueError, match="never goes back"):
        clock.advance(-1)


async def test_waiting_on_a_virtual_clock_moves_it_at_once() -> None:
    clock = VirtualClock()
    await clock.sleep(3600)
    await clock.sleep(-5)
    assert clock.monotonic() == 3600


async def test_those_who_wait_together_share_the_time_and_wake_in_order() -> None:
    clock = VirtualClock()
    woken: list[tuple[str, float]] = []

    async def wait(name: str, *pauses: float) -> None:
        for pause in pauses:
            await clock.sleep(pause)
            woken.append((name, clock.monotonic()))

    await asyncio.gather(wait("slow", 10), wait("quick", 3, 3, 3, 3), wait("even", 6))
    assert woken == [("quick", 3), ("even", 6), ("quick", 6), ("quick", 9), ("slow", 10), ("quick", 12)]


async def test_who_is_cancelled_while_waiting_does_not_hold_up_the_others() -> None:
    clock = VirtualClock()
    early = asyncio.create_task(clock.sleep(1))
    late = asyncio.create_task(clock.sleep(2))
    await asyncio.sleep(0)
    early.cancel()
    await late
    assert early.cancelled() or early.done()
    assert clock.monotonic() == 2
