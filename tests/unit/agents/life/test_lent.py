"""The scheduler of minds that live apart from the world."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path

from agents.brains import Decision
from agents.definition import write_definition
from agents.hosts import Answer, Kept, Lease, Line, MindTurn, Status, Wish
from agents.hosts.local import NO_THOUGHT
from agents.life.lent import LentMinds
from agents.life.scheduler import FIRST_WITHIN, SLEEP_STEP
from agents.memory.entries import Hit
from agents.mind.thinker import Thought
from mud.commands import Outcome
from mud.server.wiring import opened
from mud.world.changes import Depart
from mud.world.roles import Role
from tests.houses import House, house, soon
from tests.unit.agents.llm.stage import HandClock, settle

SOON = 2.0
"""Seconds in which a mind would like to think."""
A_LONG_PAUSE = Thought("", Decision(None, "there is nothing to do", pause=1000.0), 0.0)


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


class Ponderer(Recorder):
    """Keeps lines back until it is to speak, and then pauses long; who perceives something would like to think soon."""

    def __init__(self) -> None:
        super().__init__()
        self.speaks = False
        self.wished: set[str] = set()
        self._lines: list[Line] = []

    async def tick(self, turns: Sequence[MindTurn], patience: float = math.inf) -> Answer:
        answer = await super().tick(turns, patience)
        self._lines += [line._replace(thought=A_LONG_PAUSE) for line in answer.lines]
        lines, self._lines = (self._lines, []) if self.speaks else ([], self._lines)
        wishes = tuple(Wish(one.who, one.epoch, SOON) for one in turns if one.lived)
        self.wished |= {wish.who for wish in wishes}
        return answer._replace(lines=tuple(lines), wishes=wishes)


async def test_a_wish_to_think_that_comes_during_a_turn_counts_when_the_turn_is_over(tmp_path: Path) -> None:
    clock, host = HandClock(), Ponderer()
    async with house(tmp_path, clock) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        minds = LentMinds(home.minds, home.engine, home.drives(), host, home.submitted.append)
        home.engine.observe(minds.observe)
        run = asyncio.ensure_future(minds.run())

        async def turn() -> None:
            clock.advance(1)
            await settle()

        def asked() -> bool:
            return eliza.id in {who for who, _ in host.asked}

        await soon(asked, turn)
        host.asked.clear()
        home.type(ann, "say The pears are ripe.")
        await soon(lambda: eliza.id in host.wished, turn)
        assert not asked()
        host.speaks = True
        for _ in range(int(SOON) + 1):
            await turn()
        assert asked()
        await minds.stop()
        run.cancel()


async def test_somebody_who_is_defined_while_the_world_runs_thinks_soon_though_there_is_nothing_to_perceive(
    tmp_path: Path,
) -> None:
    clock, host = HandClock(), Recorder()
    async with house(tmp_path, clock) as home:
        minds = LentMinds(home.minds, home.engine, home.drives(), host, home.submitted.append)
        home.engine.observe(minds.observe)
        run = asyncio.ensure_future(minds.run())
        await settle()
        slug = write_definition(home.parts.vault / "agents", "Zoe", home.engine.world.new_id(), person=False)
        assert home.minds.load_definition(slug) == []
        zoe = home.minds.definitions[slug]
        home.engine.enter(zoe.thing(), home.place("The Garden"))
        for _ in range(int(SLEEP_STEP + FIRST_WITHIN) + 1):
            clock.advance(1)
            await settle()
        assert zoe.id in {who for who, _ in host.asked}
        assert zoe.id in home.engine.witnesses
        await minds.stop()
        run.cancel()


async def test_what_the_ledger_left_for_somebody_who_is_in_another_world_does_not_stop_the_start(
    tmp_path: Path,
) -> None:
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        ann, corvin, eliza = home.enter("Ann"), home.agent("Corvin"), home.agent("Eliza")
        home.type(ann, "say The pears are ripe.")
        home.type(corvin, "say The pears are ripe.", Role.AGENT)
        gone = Depart(eliza.id, "loci://127.0.0.1:8102/The Shore", "one journey")
        assert not home.engine.happen(eliza.definition.thing(), Outcome("", changes=(gone,))).failed
        vault = home.parts.vault
    # Nothing was saved, so that the ledger has all of it.
    with opened(vault, writable=True, clock=clock, lends=lambda configuration: True) as parts:
        again = House(parts)
        assert {who for who, *_ in parts.minds.unsent} == {corvin.id, eliza.id}
        minds = LentMinds(parts.minds, parts.engine, again.drives(), Recorder(), again.submitted.append)
        assert minds.lending.unsafe(math.inf) == [corvin.slug]
        assert eliza.id not in minds.lending.minds
        assert "somebody whose memory cannot be opened" in parts.save()  # so that the next start has it too
        await minds.stop()
        await again.queue.close(0)
        await parts.recall.stop()
