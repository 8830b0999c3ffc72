"""The scheduler of minds that live apart from the world."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path

from agents.hosts import Answer, Kept, Lease, Line, MindTurn, Status
from agents.hosts.local import NO_THOUGHT
from agents.life.lent import LentMinds
from agents.memory.entries import Hit
from mud.world.roles import Role
from tests.houses import house
from tests.unit.agents.llm.stage import HandClock, settle


class Recorder:
    """A host that remembers nothing, thinks nothing, and writes down whose line was asked for, and for whom."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []

    async def open(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        return [Kept(one.who, one.epoch, 0, 0) for one in minds]

    async def tick(self, turns: Sequence[MindTurn], patience: float = math.inf) -> Answer:
        asked = [one for one in turns if one.scene is not None]
        self.asked += [(one.who, one.waiting) for one in asked]
        ends = [(one.who, one.epoch, one.lived[-1]) for one in turns if one.lived]
        kept = [Kept(who, epoch, last.step, len(last.perceptions)) for who, epoch, last in ends]
        return Answer(tuple(Line(one.who, one.epoch, NO_THOUGHT) for one in asked), tuple(kept))

    async def recall(self, who: str, epoch: int, query: str, k: int = 5) -> Sequence[Hit]:
        return ()

    async def status(self) -> Status:
        return Status("recorder", (), 0)

    async def close(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        return ()

    async def end(self) -> None:
        """Nothing is held."""


async def test_a_person_waits_for_those_who_perceived_what_it_did_until_their_next_turn(tmp_path: Path) -> None:
    clock, host = HandClock(), Recorder()
    async with house(tmp_path, clock) as home:
        ann, corvin, eliza = home.enter("Ann"), home.agent("Corvin"), home.agent("Eliza")
        minds = LentMinds(home.minds, home.engine, home.drives(), host, home.submitted.append)
        home.engine.observe(minds.observe)
        run = asyncio.ensure_future(minds.run())

        async def turns() -> dict[str, bool]:
            host.asked.clear()
            async with asyncio.timeout(60):
                while len({who for who, _ in host.asked}) < len(minds.lending.minds):
                    clock.advance(1)
                    await settle()
            return dict(reversed(host.asked))

        assert not any((await turns()).values())
        home.type(corvin, "say The pears are ripe.", Role.AGENT)
        assert not any((await turns()).values())
        home.type(ann, "say The pears are ripe.")
        assert [who for who, waits in (await turns()).items() if waits] == [eliza.id]
        assert not any((await turns()).values())
        await minds.stop()
        run.cancel()
