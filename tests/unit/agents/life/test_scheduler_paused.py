"""Agents that rest, paused or possessed: they do nothing of their own, perceive and remember all, and go on after."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.llm.backends.scripted import ScriptedModel
from mud.world.roles import Role
from tests.houses import house, texts_of
from tests.unit.agents.life.test_scheduler_asleep import evening

REST = [
    ("@pause", "@resume"),
    ("@pause Eliza", "@resume Eliza"),
    ("@pause", "@resume Eliza"),
    ("@possess Eliza", "@release"),
]


@pytest.mark.parametrize(("begin", "end"), REST)
async def test_whoever_rests_does_nothing_but_remembers_and_goes_on_after(tmp_path: Path, begin: str, end: str) -> None:
    async with evening(tmp_path) as day:
        ann = day.home.enter("Ann")
        await day.pass_by(30)
        assert day.lines()
        assert not (await day.home.ask(ann, begin)).failed
        await day.pass_by(60)
        day.lines()
        day.home.type(ann, "say Eliza, the pears are ripe.")
        await day.pass_by(600)
        assert day.lines() == []
        assert texts_of(day.eliza)[-1] == 'Ann says, "Eliza, the pears are ripe."'
        assert not (await day.home.ask(ann, end)).failed
        await day.pass_by(60)
        assert "emote hums" in day.lines()


async def test_a_pause_of_another_leaves_one_alone(tmp_path: Path) -> None:
    async with evening(tmp_path) as day:
        await day.home.ask(day.home.enter("Ann"), "@pause Moss")
        await day.pass_by(60)
        assert day.lines()


async def test_who_sleeps_does_not_wake_by_the_clock_while_they_are_paused(tmp_path: Path) -> None:
    async with evening(tmp_path, nap_hours=0.5) as day:
        ann = day.home.enter("Ann")
        day.home.type(day.eliza, "sleep", Role.AGENT)
        await day.home.ask(ann, "@pause Eliza")
        await day.pass_by(3600)
        assert day.asleep
        await day.home.ask(ann, "@resume")
        await day.pass_by(60)
        assert not day.asleep


async def test_a_thought_that_is_under_way_comes_to_nothing(tmp_path: Path) -> None:
    asked, go = asyncio.Event(), asyncio.Event()

    async def slowly(prompt: str) -> str:
        asked.set()
        await go.wait()
        return "say I was slow."

    async with house(tmp_path) as home:
        living = home.living(ScriptedModel([slowly, "emote looks at the pears"]))
        living.answers["think"] = True
        eliza = home.agent("Eliza")
        living.begin(eliza)
        turn = asyncio.ensure_future(living.act(eliza, waiting=False))
        async with asyncio.timeout(60):
            await asked.wait()
        await home.ask(home.enter("Ann"), "@pause Eliza")
        go.set()
        assert await turn is None
        assert home.submitted == []
        await home.ask(home.agent("Ann"), "@resume")
        step = await living.act(eliza, waiting=False)
        assert step is not None
        assert step is not None
        assert step.line == "emote looks at the pears"


async def test_the_memory_status_says_who_is_paused(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        told = "Eliza is paused and does not think until @resume."
        assert told not in (await home.ask(ann, "@memory-status Eliza")).reply
        await home.ask(ann, "@pause")
        assert (await home.ask(ann, "@memory-status Eliza")).reply.split("\n")[0] == told
        assert "paused" not in (await home.ask(ann, "@memory-status")).reply
        await home.ask(ann, "@resume")
        assert told not in (await home.ask(ann, "@memory-status Eliza")).reply
