"""The machine's clock is set while a world runs: hours back, or years ahead."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from mud.clock import VirtualClock
from mud.engine.engine import Step
from mud.process import Signals
from mud.server.app import App, Options
from mud.server.wiring import opened
from tests.houses import house
from tests.processes import memories
from tests.vaults import copy_vault, without_vectors

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
        home.minds.remembered(ann.slug, ())
        await home.minds.settle_folds()
        assert [entry.seq for entry in ann.memory.read(1, 300)] == list(range(1, 301))
        assert ann.memory.watermark >= 64
        assert "number 299" in (await home.ask(ann, "recall number 299")).reply
    async with house(tmp_path, clock) as home:
        again = home.enter("Ann")
        assert again.memory.total >= 300
        assert again.memory.read(300, 300)[0].text == 'You say, "this is number 299"'
