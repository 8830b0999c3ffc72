"""Every setting of sleep does what it says: when agents fall asleep and wake by the clock."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from mud.world.roles import Role
from tests.houses import house, puppet
from tests.settings import proves, put
from tests.unit.agents.llm.stage import HandClock, settle
from tests.vaults import copy_vault


@proves("thinking.sleep_at", "thinking.wake_at", "thinking.nap_hours")
@pytest.mark.parametrize(
    ("bed", "rise", "nap", "asleep"),
    [
        (None, None, 2.0, range(0)),
        (-1, 3, 1.0, [1, 2, 23]),
        (1, 4, 1.0, [1, 2, 3]),
        (1, None, 1.0, range(1, 24)),
        (None, None, 0.0, range(1, 24)),
        (None, None, 4.0, range(1, 4)),
        (None, 3, 0.0, range(1, 3)),
    ],
)
async def test_an_agent_sleeps_at_the_hours_that_are_set(
    tmp_path: Path, bed: int | None, rise: int | None, nap: float, asleep: Sequence[int]
) -> None:
    clock = HandClock()

    def of_day(hours: int | None) -> str:
        return "" if hours is None else f"{(clock.now() + timedelta(hours=hours)).astimezone(clock.zone):%H:%M}"

    put(copy_vault(tmp_path), "thinking", sleep_at=of_day(bed), wake_at=of_day(rise), nap_hours=nap)
    async with house(tmp_path, clock) as home:
        living = home.living(brains=[puppet(lambda here: "emote hums")], override="puppet")
        eliza, found = home.agent("Eliza"), []
        living.begin(eliza)
        running = asyncio.ensure_future(living.run())
        if bed is None and asleep:
            home.type(eliza, "sleep", Role.AGENT)
        for hour in range(1, 24):
            for _ in range(6):
                clock.advance(600)
                await settle()
            found += [hour] if home.minds.sleeps(eliza.id) else []
        assert found == list(asleep)
        await living.stop()
        await running
