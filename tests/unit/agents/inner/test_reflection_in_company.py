"""Reflections in company that never falls silent: put off for a while, never for long."""

from __future__ import annotations

from pathlib import Path

from agents.agent import Agent
from agents.inner.inner import OVERDUE
from agents.living import Living
from mud.world.roles import Role
from tests.houses import House, house, puppet
from tests.unit.agents.inner.test_inner import asking, happened, hear, of_kind, prepared
from tests.unit.agents.llm.stage import Gate, HandClock, settle

MOST = 100
"""The threshold here."""


def lived_since(home: House, who: Agent) -> int:
    told = home.minds.inner.told(who)
    assert told is not None
    return int(told["reflection_sum"])


async def talked_to(home: House, living: Living, clock: HandClock, minutes: int) -> list[int]:
    """Have Moss speak to Eliza every 20 seconds; return what she had lived since looking back, minute by minute."""
    eliza, moss = home.agent("Eliza"), home.agent("Moss")
    living.wake(eliza)
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
        living = home.living(brains=[puppet(lambda here: None, wish=1.0)], override="puppet")
        sums = await talked_to(home, living, clock, 18)
        assert MOST < max(sums) < MOST * (OVERDUE + 1)
        assert len(happened(home.agent("Eliza"), "reflection")) == 1
        assert of_kind(home.agent("Eliza"), "thought")


async def test_left_alone_it_looks_back_as_soon_as_enough_was_lived(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=MOST)
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        living, eliza = home.living(brains=[puppet(lambda here: None)], override="puppet"), home.agent("Eliza")
        living.wake(eliza)
        while lived_since(home, eliza) < MOST:
            hear(home, eliza)
        clock.advance(60)
        await living.take_turn()
        assert lived_since(home, eliza) < MOST


async def test_what_a_slow_model_is_never_let_finish_goes_by_rules_once_it_is_overdue(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=MOST)
    async with house(tmp_path, HandClock()) as home:
        eliza, gates = home.agent("Eliza"), [Gate() for _ in range(40)]
        inner = asking(home, [gate.__call__ for gate in gates])
        tries = 0
        while not happened(eliza, "reflection"):
            hear(home, eliza)
            told = inner.told(eliza)
            assert told is not None
            assert told["reflection_sum"] < MOST * (OVERDUE + 1), "it is put off for ever"
            inner.idle(eliza, home.engine)
            asked = home.minds.inner is not inner and told["reflection_sum"] >= MOST
            for _ in range(20 if asked else 1):
                await settle()
            if not happened(eliza, "reflection"):
                tries += asked
                inner.interrupt("eliza")  # somebody speaks to it
                await inner.settle()
        assert tries > 1, "the model was given its chances"
        assert of_kind(eliza, "thought")
