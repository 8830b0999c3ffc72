"""Lending minds: whatever becomes of hosts and of their answers, each memory is in its archive once and in order."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest

from agents.hosts import Answer, HostOfMinds, Kept, Lease, MindTurn, Status, Wish
from agents.life.lending import AGAIN, Lending
from agents.memory.archive import Archive
from agents.memory.entries import Hit
from mud.clock import VirtualClock
from mud.errors import Unavailable
from mud.server.hosting import hosted
from tests.town import lived, people, scene, town_vault

AT = "2026-11-20T07:21:37.123Z"
COUNT = 5


class Unsteady:
    """Real hosts of which one is used at a time; the next calls may fail, before or after they are carried out."""

    def __init__(self, hosts: Sequence[HostOfMinds]) -> None:
        self._hosts, self._at = hosts, 0
        self.fails: list[str] = []

    def move(self) -> None:
        """Use another host from now on; the one before is not told, and keeps what it has."""
        self._at = (self._at + 1) % len(self._hosts)

    def _reached(self, when: str) -> HostOfMinds:
        if self.fails and (when == "after" or self.fails[0] == "before") and self.fails.pop(0) == when:
            raise Unavailable("the host cannot be reached")
        return self._hosts[self._at]

    async def open(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        kept = await self._reached("before").open(minds)
        self._reached("after")
        return kept

    async def tick(self, turns: Sequence[MindTurn], patience: float = math.inf) -> Answer:
        answer = await self._reached("before").tick(turns, patience)
        self._reached("after")
        return answer

    async def recall(self, who: str, epoch: int, query: str, k: int = 5) -> Sequence[Hit]:
        return await self._reached("before").recall(who, epoch, query, k)

    async def status(self) -> Status:
        return await self._reached("before").status()

    async def close(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        return await self._reached("before").close(minds)

    async def end(self) -> None:
        """Leave the hosts to the test."""


class Place:
    def __init__(self, vault: Path, hosts: Sequence[HostOfMinds]) -> None:
        self.host, self.clock, self.reflexes = Unsteady(hosts), VirtualClock(), 0
        self.lending = Lending(self.host, vault / "agents", self._reflex, self.clock, self._wished)
        self.people, self._vault, self._number = people(COUNT), vault, 0
        for who, slug in self.people.items():
            self.lending.add(who, slug)
        self._ledger: dict[str, list[tuple[int, str]]] = {who: [] for who in self.people}
        self.wishes: list[Wish] = []

    async def _reflex(self, turn: MindTurn) -> Answer:
        self.reflexes += 1
        return Answer()

    def _wished(self, wish: Wish) -> None:
        self.wishes.append(wish)

    def happen(self, *witnesses: str) -> None:
        self._number += 1
        for who in witnesses:
            one = lived(who, self._number, AT)
            self._ledger[who] += [(one.step, left.text) for left in one.perceptions]
            self.lending.perceive(who, one)

    async def settle(self) -> None:
        """Call until all minds are lent and have all."""
        while self.lending.away or any(mind.lacking() for mind in self.lending.minds.values()):
            await self.lending.call()
            self.clock.advance(AGAIN)

    def check(self) -> None:
        for who, slug in self.people.items():
            archive = Archive(self._vault / "agents" / slug / "archive")
            assert archive.open(False) == []
            assert [(one.source, one.text) for one in archive.read(1, archive.total)] == self._ledger[who]


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    vault = town_vault(tmp_path, COUNT)
    async with AsyncExitStack() as stack:
        hosts = [await stack.enter_async_context(hosted(vault, name)) for name in ("one", "other")]
        yield Place(vault, hosts)


async def test_whatever_fails_nothing_is_lost_or_remembered_twice(place: Place) -> None:
    chance = Random(7)
    for _ in range(300):
        what = chance.choice(["happen", "happen", "call", "before", "after", "move", "confirm", "settle"])
        match what:
            case "happen":
                place.happen(*chance.sample(list(place.people), chance.randint(1, COUNT)))
            case "call":
                await place.lending.call()
            case "before" | "after":
                place.host.fails = [what]
            case "move":
                place.host.move()
            case "confirm":
                place.host.fails = []
                await place.lending.confirm()
            case "settle":
                await place.settle()
                place.check()
        place.clock.advance(chance.choice([0.0, AGAIN]))
    place.host.fails = []
    await place.settle()
    place.check()
    await place.lending.confirm()
    assert place.lending.unsafe(math.inf) == []


async def test_what_no_disk_has_confirmed_is_kept(place: Place) -> None:
    who, slug = next(iter(place.people.items()))
    place.happen(who)
    await place.settle()
    assert place.lending.unsafe(1) == [slug]
    await place.lending.confirm()
    assert place.lending.unsafe(1) == []


async def test_a_mind_that_is_at_nobodys_leaves_its_character_to_reflexes(place: Place) -> None:
    who, slug = next(iter(place.people.items()))
    turn = MindTurn(who, 0, scene=scene(slug, 0.0))
    assert await place.lending.act(turn) == Answer()
    assert place.reflexes == 1


async def test_each_loan_has_a_higher_epoch_than_any_before(place: Place) -> None:
    await place.settle()
    before = {mind.who: mind.epoch for mind in place.lending.minds.values()}
    place.host.move()
    place.happen(*place.people)
    await place.lending.call()
    await place.settle()
    assert all(mind.epoch > before[mind.who] for mind in place.lending.minds.values())
    place.check()
