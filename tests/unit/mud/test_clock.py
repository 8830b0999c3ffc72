"""Written times, and the clock that tests and simulations move."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.clock import VirtualClock, iso, parse_iso
from mud.engine.engine import Step
from mud.process import Signals
from mud.server.app import App, Options
from mud.server.wiring import opened
from tests.houses import house
from tests.processes import memories
from tests.vaults import copy_vault, without_vectors


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


HOURS_BACK, YEARS_AHEAD = timedelta(hours=-7), timedelta(days=4 * 365)


class SetClock(VirtualClock):
    """A clock whose time of day is set by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.shift = timedelta(0)
        self.slept: list[float] = []

    def now(self) -> datetime:
        return super().now() + self.shift

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await super().sleep(seconds)


@pytest.mark.parametrize("shift", [HOURS_BACK, YEARS_AHEAD])
async def test_agents_go_on_living_and_an_edit_acts(tmp_path: Path, shift: timedelta) -> None:
    vault, clock, acted = without_vectors(copy_vault(tmp_path)), SetClock(), list[Step]()
    with opened(vault, writable=True, clock=clock) as parts:

        def seen(step: Step) -> None:
            acted.append(step)
            if len(acted) == 20:
                clock.shift = shift

        parts.engine.observe(seen)
        heard = Signals()
        app = asyncio.create_task(App(parts, Options(vault, headless=True, seed=1), "Ann", heard).live())
        while len(acted) < 30:
            await asyncio.sleep(0)
        place = vault / "world/locations/the-garden.md"
        place.write_text(place.read_text(encoding="utf-8").replace("Four gravel paths", "Seven gravel paths"))
        while not any("Seven gravel paths" in one.description for one in parts.engine.world.locations()):
            await asyncio.sleep(0)
        assert heard.end()
        await app
    assert min(clock.slept) >= 0
    lived = memories(vault, "eliza")
    assert [one["seq"] for one in lived] == list(range(1, len(lived) + 1))
    assert any((after["at"] < before["at"]) == (shift == HOURS_BACK) for before, after in pairwise(lived))


@pytest.mark.parametrize("shift", [HOURS_BACK, YEARS_AHEAD])
async def test_memories_stay_in_the_order_in_which_they_were_lived(tmp_path: Path, shift: timedelta) -> None:
    clock = SetClock()
    async with house(tmp_path, clock) as home:
        ann = home.enter("Ann")
        for at in range(300):
            if at == 150:
                clock.shift = shift
            home.type(ann, f"say this is number {at}")
        home.minds.remembered(ann, ())
        await home.minds.folds.settle()
        assert [entry.seq for entry in ann.memory.read(1, 300)] == list(range(1, 301))
        assert ann.memory.watermark >= 64
        assert "number 299" in (await home.ask(ann, "recall number 299")).reply
    async with house(tmp_path, clock) as home:
        again = home.enter("Ann")
        assert again.memory.total >= 300
        assert again.memory.read(300, 300)[0].text == 'You say, "this is number 299"'
