"""Lending minds: whatever becomes of hosts and of their answers, each memory is in its archive once and in order."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random
from typing import cast

import pytest

from agents.hosts import Answer, Kept, Lease, MindTurn, Status, Wish
from agents.hosts.local import LocalHost
from agents.life.lending import AGAIN, AT_ONCE, OPENED, Lending
from agents.memory.archive import Archive
from agents.memory.entries import Hit
from mud.clock import Clock
from mud.errors import Unavailable
from mud.server.hosting import hosted
from mud.server.wiring import RealClock
from mud.storage.lease import holder_of
from tests.houses import PATIENCE
from tests.town import lived, people, scene, town_vault
from tests.unit.agents.llm.stage import HandClock, settle

AT = "2026-11-20T07:21:37.123Z"
COUNT = 5


class Unsteady:
    """Real hosts of which one is used at a time; one call may fail, before or after it is carried out."""

    def __init__(self, hosts: Sequence[LocalHost]) -> None:
        self._hosts, self._at, self.calls = hosts, 0, 0
        self._failing = (0, "")
        self.trouble = ""
        """What it says is wrong with it."""

    def move(self) -> None:
        """Use another host from now on; the one before is not told, and keeps what it has."""
        self._at = (self._at + 1) % len(self._hosts)

    def fail(self, calls: int, when: str) -> None:
        """Let the n-th call from now on fail `before` or `after` it is carried out; with 0, none does."""
        self._failing, self.calls = (calls, when), 0

    def _reached(self, when: str) -> LocalHost:
        self.calls += when == "before"
        if self._failing == (self.calls, when):
            raise Unavailable("the host cannot be reached")
        return self._hosts[self._at]

    async def open(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        kept = await self._reached("before").open(minds)
        self._reached("after")
        return kept

    async def tick(self, turns: Sequence[MindTurn], patience: float = math.inf) -> Answer:
        answer = await self._reached("before").tick(turns, 0.0)  # each line comes with a later call
        self._reached("after")
        return answer

    async def thoughts(self) -> None:
        """Wait until the thoughts that are under way have ended."""
        if under_way := [one for host in self._hosts for one in host._late.values()]:
            await asyncio.wait(under_way)

    async def recall(self, who: str, epoch: int, query: str, k: int = 5) -> Sequence[Hit]:
        return await self._reached("before").recall(who, epoch, query, k)

    async def status(self) -> Status:
        status = await self._reached("before").status()
        self._reached("after")
        return status._replace(trouble=self.trouble or status.trouble)

    async def close(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        kept = await self._reached("before").close(minds)
        self._reached("after")
        return kept

    async def end(self) -> None:
        """Leave the hosts to the test."""


class Place:
    def __init__(self, vault: Path, hosts: Sequence[LocalHost]) -> None:
        self.host, self.clock, self.reflexes = Unsteady(hosts), HandClock(), 0
        self.people, self.vault, self._number = people(COUNT), vault, 0
        self._ledger: dict[str, list[tuple[int, str]]] = {who: [] for who in self.people}
        self.wishes: list[Wish] = []
        self.lending = self.make_lending()

    def make_lending(self, clock: Clock | None = None, at_once: int = AT_ONCE) -> Lending:
        lending = Lending(self.host, self.vault / "agents", self._reflex, clock or self.clock, self._wished, at_once)
        for who, slug in self.people.items():
            lending.add(who, slug)
        return lending

    async def restart(self) -> None:
        """End lending, and begin anew with what no disk had confirmed, as the ledger has it."""
        with suppress(Unavailable):
            await self.lending.end()
        before, self.lending = self.lending, self.make_lending()
        for mind in before.minds.values():
            for one in mind.unsafe:
                self.lending.perceive(mind.who, one)

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
            archive = Archive(self.vault / "agents" / slug / "archive")
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
                place.host.fail(1, what)
            case "move":
                place.host.move()
            case "confirm":
                place.host.fail(0, "")
                await place.lending.confirm()
            case "settle":
                await place.settle()
                place.check()
        place.clock.advance(chance.choice([0.0, AGAIN]))
    place.host.fail(0, "")
    await place.settle()
    place.check()
    await place.lending.confirm()
    assert place.lending.unsafe(math.inf) == []


async def _evening(place: Place) -> int:
    """Let people perceive, act, move to another host and be called back; later calls make up for a failed one.

    Return how many lines of theirs came; for the others reflexes acted.
    """
    lines = 0
    for number in range(6):
        place.happen(*list(place.people)[number % 3 :])
        who, slug = list(place.people.items())[number % COUNT]
        act = asyncio.create_task(place.lending.act(MindTurn(who, 0, scene=scene(slug, float(number)))))
        await place.lending.call()
        await settle()
        while not act.done():
            await place.lending.call()
            await place.host.thoughts()
            await settle()
        lines += sum(bool(line.thought.brain) for line in act.result().lines)
        place.clock.advance(AGAIN)
        if number % 3 == 2:
            with suppress(Unavailable):
                await place.lending.confirm()
            place.host.move()
    await place.restart()
    return lines


@pytest.mark.parametrize("when", ["before", "after"])
async def test_whichever_call_of_a_host_fails_nothing_is_lost_or_remembered_twice(place: Place, when: str) -> None:
    number, made, lines = 0, 1, list[int]()
    while number < made:
        number += 1
        place.host.fail(number, when)
        async with asyncio.timeout(60):
            lines.append(await _evening(place))
        made = place.host.calls
        place.host.fail(0, "")
        await place.settle()
        place.check()
        await place.lending.confirm()
        assert place.lending.unsafe(math.inf) == []
    assert number > 10
    assert min(lines) > 3  # a call that fails costs one of five


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


async def test_a_thought_that_fails_costs_its_turn_and_no_waiting(place: Place) -> None:
    who, slug = next(iter(place.people.items()))
    await place.settle()
    failing = MindTurn(who, 0, scene=scene(slug, cast("float", None)))
    async with asyncio.timeout(30):
        act = asyncio.create_task(place.lending.act(failing))
        while not act.done():
            await asyncio.sleep(0)
            await place.lending.call()
    assert [line.thought.decision.line for line in act.result().lines] == [None]
    assert place.reflexes == 0


async def test_of_minds_that_wait_the_one_that_thought_longest_ago_comes_first_but_after_those_a_person_waits_for(
    place: Place,
) -> None:
    lending = place.lending = place.make_lending(RealClock(), at_once=1)
    await place.settle()
    answered: list[str] = []

    async def act(who: str, *, waiting: bool = False) -> None:
        await lending.act(MindTurn(who, 0, scene=scene(place.people[who], 0.0), waiting=waiting))
        answered.append(who)

    async def until_done(*acts: Coroutine[object, object, None]) -> None:
        acting = [asyncio.create_task(one) for one in acts]
        while not all(one.done() for one in acting):
            await asyncio.sleep(0)
            await lending.call()

    first, other, last = list(place.people)[:3]
    async with asyncio.timeout(30):
        await until_done(act(first))
        await until_done(act(first), act(other))
        await until_done(act(last), act(other, waiting=True))
    assert answered == [first, other, first, other, last]
    assert place.reflexes == 0


async def test_each_loan_has_a_higher_epoch_than_any_before(place: Place) -> None:
    await place.settle()
    before = {mind.who: mind.epoch for mind in place.lending.minds.values()}
    place.host.move()
    place.happen(*place.people)
    await place.lending.call()
    await place.settle()
    assert all(mind.epoch > before[mind.who] for mind in place.lending.minds.values())
    place.check()


async def test_minds_that_no_host_takes_keep_no_others_waiting(place: Place) -> None:
    lending = Lending(place.host, place.vault / "agents", place._reflex, place.clock, place._wished)
    for number in range(OPENED):
        (place.vault / "agents" / f"nobody-{number}").mkdir()
        lending.add(f"#9{number}", f"nobody-{number}")
    for who, slug in place.people.items():
        lending.add(who, slug)
    await lending.call()
    place.clock.advance(AGAIN)
    await lending.call()
    assert lending.away == OPENED


async def test_a_mind_comes_home_with_all_it_perceived_and_what_one_lacks_that_could_not_waits_for_it(
    place: Place,
) -> None:
    home, away = list(place.people)[:2]
    await place.settle()
    place.happen(home, away)
    coming = asyncio.create_task(place.lending.bring_home(home))
    await place.settle()
    await coming
    assert not place.lending.minds[home].unsafe
    assert holder_of(place.vault / "agents" / place.people[home]).name == ""
    place.happen(away)
    place.lending.drop(home)
    place.lending.drop(away)
    place.happen(*(who for who in place.people if who not in (home, away)))
    for who in (home, away):
        place.lending.add(who, place.people[who])
    await place.settle()
    await place.lending.end()
    place.check()


async def test_a_mind_that_is_dropped_while_it_comes_home_is_not_lent_again(place: Place) -> None:
    who, slug = next(iter(place.people.items()))
    await place.settle()
    place.happen(who)
    await place.settle()
    coming = asyncio.create_task(place.lending.bring_home(who))
    await asyncio.sleep(0)  # its host closes it now, in a thread
    place.lending.drop(who)
    await coming
    await place.settle()
    place.happen(*(one for one in place.people if one != who))
    await place.settle()
    assert holder_of(place.vault / "agents" / slug).name == ""
    place.check()


async def test_a_mind_that_is_dropped_while_it_comes_home_and_is_back_is_lent_again(place: Place) -> None:
    who, slug = next(iter(place.people.items()))
    await place.settle()
    place.happen(who)
    await place.settle()
    coming = asyncio.create_task(place.lending.bring_home(who))
    await asyncio.sleep(0)
    place.lending.drop(who)
    place.lending.add(who, slug)
    await coming
    await place.settle()
    assert place.lending.minds[who].lent
    place.happen(who)
    async with asyncio.timeout(PATIENCE):
        await place.settle()
    place.check()


async def test_the_trouble_of_a_host_is_logged_once_and_so_is_its_end(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    await place.settle()
    with caplog.at_level(logging.WARNING):
        for trouble in ("", "its disk is slow", "its disk is slow", "its disk is full", "", ""):
            place.host.trouble = trouble
            await place.lending.confirm()
    assert [one.message for one in caplog.records] == [
        "the host of minds one: its disk is slow",
        "the host of minds one: its disk is full",
        "the host of minds one: all is well again",
    ]


async def test_a_host_to_which_nothing_was_lent_is_asked_for_nothing_at_the_end(place: Place) -> None:
    place.host.fail(1, "before")  # as of one that never began
    place.people.clear()
    place.lending = place.make_lending()
    await place.lending.end()
    assert place.host.calls == 0
