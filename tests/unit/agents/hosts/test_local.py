"""Minds that were lent to this process."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType

import pytest

from agents.agent import Agent
from agents.brains import Decision, Recall, Situation, Thought
from agents.hosts import Lease, Line, MindTurn
from agents.hosts.local import LocalHost
from agents.memory.entries import Hit
from agents.mind.thinker import FALLBACK, Thinker
from agents.mind.traces import ModelCall
from agents.population.syncing import SYNCED_SINGLY
from mud.server.hosting import hosted
from mud.world.events import Perception
from tests.houses import PATIENCE
from tests.town import lived, people, scene, town_vault

SYNCS = (os.fsync, getattr(os, "fdatasync", os.fsync))


class Pondering:
    """A brain that recalls something before it acts."""

    def notice(self, perceived: Perception, seconds: float) -> float | None:
        return None

    def decide(self, situation: Situation) -> Thought:
        yield Recall("a long evening")
        return Decision(f"say {situation.seconds}")


class PonderingMind:
    """A host with one mind, whose thoughts stop at what they recall until `remembers` is set."""

    def __init__(self, opened: LocalHost) -> None:
        ((self.who, self.slug),) = people(1).items()
        self.recalls, self.remembers = asyncio.Event(), asyncio.Event()
        minds, _, name, brain = opened.made_of
        self.host = LocalHost(minds, self._thinker, name, brain)

    def _thinker(self, agent: Agent) -> Thinker:
        return Thinker(agent.name, {FALLBACK: Pondering()}, lambda: FALLBACK, self._look, self._ask, lambda: 0.0)

    async def _look(self, wanted: Recall) -> tuple[Hit, ...]:
        self.recalls.set()
        await self.remembers.wait()
        return ()

    async def _ask(self, hint: str, waits: bool) -> ModelCall:
        return ModelCall()

    def lease(self, epoch: int) -> Lease:
        return Lease(self.who, self.slug, epoch)

    async def tick(self, epoch: int, patience: float) -> Sequence[Line]:
        """Have the mind think under an epoch, and return the lines that come."""
        return (await self.host.tick([MindTurn(self.who, epoch, scene=scene(self.slug, float(epoch)))], patience)).lines

    async def lines(self, epoch: int) -> list[tuple[int, str | None]]:
        """Have the mind think and remember; return the first lines that come, each with its epoch."""
        self.remembers.set()
        async with asyncio.timeout(PATIENCE):
            lines = await self.tick(epoch, 0.1)
            while not lines:
                lines = (await self.host.tick([], 0.1)).lines
        return [(line.epoch, line.thought.decision.line) for line in lines]


@pytest.fixture
async def mind(tmp_path: Path) -> AsyncIterator[PonderingMind]:
    async with hosted(town_vault(tmp_path, 1), "one") as opened:
        mind = PonderingMind(opened)
        await mind.host.open([mind.lease(1)])
        yield mind
        await mind.host.end()


async def test_a_mind_that_is_opened_again_thinks_anew(mind: PonderingMind) -> None:
    assert await mind.tick(1, 0.0) == ()
    await mind.host.open([mind.lease(2)])
    assert await mind.lines(2) == [(2, "say 2.0")]


@pytest.mark.parametrize("closes", [False, True])
async def test_a_tick_does_not_wait_for_a_mind_that_is_closed_or_opened_meanwhile(
    mind: PonderingMind, closes: bool
) -> None:
    async with asyncio.timeout(PATIENCE):
        ticking = asyncio.create_task(mind.tick(1, 10 * PATIENCE))
        await mind.recalls.wait()
        if closes:
            await mind.host.close([mind.lease(1)])
        await mind.host.open([mind.lease(2)])
        assert await ticking == ()
    assert await mind.lines(2) == [(2, "say 2.0")]


async def test_a_mind_that_thinks_in_one_tick_is_not_asked_in_another(mind: PonderingMind) -> None:
    async with asyncio.timeout(PATIENCE):
        ticking = asyncio.create_task(mind.tick(1, 10 * PATIENCE))
        await mind.recalls.wait()
        assert await mind.tick(1, 0.0) == ()
        assert (await mind.host.status()).thinking == 1
        mind.remembers.set()
        assert [line.epoch for line in await ticking] == [1]
    assert (await mind.host.tick([], 0.0)).lines == ()


@pytest.mark.parametrize(("more", "singly"), [(0, True), (1, False)])
async def test_the_disk_is_asked_for_the_archives_of_very_many_minds_at_once(
    tmp_path: Path, more: int, singly: bool
) -> None:
    count, asked = SYNCED_SINGLY + more, list[object]()

    def look(frame: FrameType, event: str, arg: object) -> None:
        if event == "c_call" and arg in SYNCS:
            asked.append(arg)

    async with hosted(town_vault(tmp_path, count), "one") as host:
        # Syncs are made in these threads, and nothing else.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1, initializer=lambda: sys.setprofile(look)))
        leases = [Lease(who, slug, 1) for who, slug in people(count).items()]
        await host.open(leases)
        for step, confirm in ((5, host.status), (6, lambda: host.close(leases))):
            asked.clear()
            await host.tick(
                [MindTurn(one.who, 1, (lived(one.who, step, "2026-11-20T07:21:37.123Z"),)) for one in leases]
            )
            await confirm()
            assert len(asked) >= count if singly else not asked
