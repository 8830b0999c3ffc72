"""Reflections in company that never falls silent: put off for a while, never for long."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agents.agent import Agent
from agents.life.scheduler import Scheduler
from agents.reflection import OVERDUE
from mud.world.roles import Role
from tests.houses import House, house, puppet
from tests.unit.agents.llm.stage import HandClock, settle
from tests.unit.agents.reflection.test_inner import asking, happened, hear, prepared

MOST = 100
"""The threshold here."""


def lived_since(home: House, who: Agent) -> int:
    told = home.minds.inner.told(who)
    assert told is not None
    return int(told["reflection_sum"])


async def talked_to(home: House, living: Scheduler, clock: HandClock, minutes: int) -> list[int]:
    """Have Moss speak to Eliza every 20 seconds; return what she had lived since looking back, minute by minute."""
    eliza, moss = home.agent("Eliza"), home.agent("Moss")
    living.begin(eliza)
    home.type(moss, "go garden", Role.AGENT)
    sums = []
    for minute in range(minutes):
        for second in (0, 20, 40):
            home.type(moss, f"say Eliza, my mill has {minute} sails and {second} rats, and I mend clocks.", Role.AGENT)
            clock.advance(20)
            while await living.take_turn() is not None:
                pass
        sums.append(lived_since(home, eliza))
    return sums


async def test_who_is_spoken_to_all_day_looks_back_all_the_same(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=MOST)
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        living = home.living(brains=[puppet(lambda here: "emote hums", wish=1.0)], override="puppet")
        sums = await talked_to(home, living, clock, 18)
        assert MOST < max(sums) < MOST * (OVERDUE + 1)
        assert len(happened(home.agent("Eliza"), "reflection")) == 1


async def test_left_alone_it_looks_back_as_soon_as_enough_was_lived(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=MOST)
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        living, eliza = home.living(brains=[puppet(lambda here: "emote hums")], override="puppet"), home.agent("Eliza")
        living.begin(eliza)
        while lived_since(home, eliza) < MOST:
            hear(home, eliza)
        clock.advance(60)
        await living.take_turn()
        assert lived_since(home, eliza) < MOST


async def test_what_a_slow_model_is_never_let_finish_goes_by_rules_once_it_is_overdue(tmp_path: Path) -> None:
    asked: list[str] = []

    async def slow(prompt: str) -> str:
        asked.append(prompt)
        await asyncio.Event().wait()
        return ""

    prepared(tmp_path, reflection_threshold=MOST)
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        home.minds.inner = asking(home, [slow] * 100)
        living = home.living(brains=[puppet(lambda here: "emote hums", wish=1.0)], override="puppet")
        eliza, moss = home.agent("Eliza"), home.agent("Moss")
        living.begin(eliza)
        home.type(moss, "go garden", Role.AGENT)
        running = asyncio.ensure_future(living.run())
        while not happened(eliza, "reflection"):
            home.type(moss, f"say Eliza, my mill has {eliza.memory.total} sails, and I mend clocks.", Role.AGENT)
            for _ in range(6):
                clock.advance(10)
                await settle()
            assert lived_since(home, eliza) < MOST * (OVERDUE + 1), "it is put off for ever"
        assert len(asked) > 1, "the model was given its chances"
        await living.stop()
        await running
