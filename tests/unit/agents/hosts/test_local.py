"""Minds that were lent to this process."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agents.agent import Agent
from agents.brains import Decision, Recall, Situation, Thought
from agents.hosts import Lease, MindTurn
from agents.hosts.local import LocalHost
from agents.memory.entries import Hit
from agents.mind.thinker import FALLBACK, Thinker
from agents.mind.traces import ModelCall
from mud.server.hosting import hosted
from mud.world.events import Perception
from tests.town import people, scene, town_vault


class Pondering:
    """A brain that recalls something before it acts."""

    def notice(self, perceived: Perception, seconds: float) -> float | None:
        return None

    def decide(self, situation: Situation) -> Thought:
        yield Recall("a long evening")
        return Decision(f"say {situation.seconds}")


async def test_a_mind_that_is_opened_again_thinks_anew(tmp_path: Path) -> None:
    ((who, slug),) = people(1).items()
    remembers = asyncio.Event()

    async def look(wanted: Recall) -> tuple[Hit, ...]:
        await remembers.wait()
        return ()

    async def ask(hint: str, waits: bool) -> ModelCall:
        return ModelCall()

    def thinker(agent: Agent) -> Thinker:
        return Thinker(agent.name, {FALLBACK: Pondering()}, lambda: FALLBACK, look, ask, lambda: 0.0)

    async with hosted(town_vault(tmp_path, 1), "one") as opened:
        minds, _, name, brain = opened.made_of
        host = LocalHost(minds, thinker, name, brain)
        await host.open([Lease(who, slug, 1)])
        assert (await host.tick([MindTurn(who, 1, scene=scene(slug, 1.0))], 0.0)).lines == ()
        await host.open([Lease(who, slug, 2)])
        remembers.set()
        async with asyncio.timeout(30):
            lines = (await host.tick([MindTurn(who, 2, scene=scene(slug, 2.0))], 0.1)).lines
            while not lines:
                lines = (await host.tick([], 0.1)).lines
        assert [(line.epoch, line.thought.decision.line) for line in lines] == [(2, "say 2.0")]
        await host.end()
