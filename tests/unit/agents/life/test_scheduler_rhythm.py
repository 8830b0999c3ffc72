"""What an agent that sleeps by the clock is told of the time: how near its bedtime is, and that it has just woken."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

from agents.brains import Situation
from mud.world.roles import Role
from tests.houses import house, puppet
from tests.settings import put_own
from tests.unit.agents.llm.stage import HandClock, settle
from tests.vaults import copy_vault


def of_day(hours: float) -> str:
    """Return a time of day so many hours after the clock's beginning, where this machine stands."""
    return f"{(HandClock().now() + timedelta(hours=hours)):%H:%M}"


async def lived(folder: Path, **own: str) -> tuple[list[Situation], bool]:
    """Let Eliza live for four hours, with a nap at the beginning; return what she was shown, and whether she sleeps."""
    seen: list[Situation] = []

    def look(here: Situation) -> str:
        seen.append(here)
        return "emote hums"

    vault = copy_vault(folder)
    put_own(vault, "eliza", **own)
    clock = HandClock()
    async with house(folder, clock) as home:
        living = home.living(brains=[puppet(look)], override="puppet")
        eliza, ann = home.agent("Eliza"), home.enter("Ann")
        living.begin(eliza)
        running = asyncio.ensure_future(living.run())
        await settle()
        home.type(eliza, "sleep", Role.AGENT)
        for number in range(480):
            clock.advance(30)
            await settle()
            if number == 10:
                home.type(ann, "say Eliza, wake up!")
        await living.stop()
        await running
        return seen, eliza.id in home.engine.world.asleep


async def test_its_bedtime_comes_nearer_and_after_waking_it_is_told_so_once(tmp_path: Path) -> None:
    seen, asleep = await lived(tmp_path, sleep_at=of_day(1), wake_at=of_day(3))
    assert not asleep
    assert [one.woke for one in seen].count(True) == 2
    evening = [one.bedtime for one in seen if one.bedtime is not None and one.bedtime <= 3600]
    assert evening == sorted(evening, reverse=True)
    assert evening[0] > 3000
    assert evening[-1] < 60


async def test_without_hours_there_is_no_bedtime(tmp_path: Path) -> None:
    seen, asleep = await lived(tmp_path)
    assert {one.bedtime for one in seen} == {None}
    assert not asleep
