"""A world reduced to what hosts of minds see of it: what everybody perceives, step by step, and when they act."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random

from agents.brains import Person, Situation
from agents.hosts import Answer, HostOfMinds, Lived, MindTurn, Wish
from agents.life.lending import Lending
from agents.memory.archive import Archive
from mud.clock import iso
from mud.server.wiring import RealClock
from mud.storage.lease import Holder, holder_of
from mud.world.events import Event, Perception
from tests.vaults import copy_vault, without_vectors

TICK = 0.05
"""Seconds between two moments of a town."""
IN_A_PLACE = 13
VISITED = 10
"""In each so many places there is a person, who does all the talking there."""
ANN = Person("Ann", False)
TALK = tuple(
    text.split(", ")
    for text in (
        "uncle, aunt, sister, brother, cousin, neighbour, friend, mother, father, daughter, son, niece",
        "mended, sold, found, lost, painted, hid, borrowed, broke, cleaned, bought, gave away, drew",
        "ladder, kettle, lantern, boat, clock, gate, saddle, fiddle, map, basket, bell, coat, spade, kite, drum",
        "at the mill, by the river, in the cellar, on the hill, near the well, in the attic, at the market, "
        "in the barn, under the bridge, behind the inn, at the harbour, in the orchard",
    )
)
"""What people tell of: whose deed, the deed, the thing and the place. No two lines are alike, nor is all alike."""
AGENT = """---
id: "#{number}"
location: "[[The Garden]]"
---
# {name}

## Profile

A person of few words, who likes the garden.
"""


def people(count: int) -> dict[str, str]:
    """Return the folders of so many people, by id."""
    return {f"#{number}": f"person-{number}" for number in range(50_000, 50_000 + count)}


def town_vault(folder: Path, count: int) -> Path:
    """Make a vault with so many people, and return it."""
    vault = without_vectors(copy_vault(folder))
    for who, slug in people(count).items():
        (vault / "agents" / slug).mkdir()
        text = AGENT.format(number=who[1:], name=slug.replace("-", " ").title())
        (vault / "agents" / slug / "agent.md").write_text(text, encoding="utf-8")
    return vault


def lived(who: str, step: int, at: str, teller: str = ANN.name) -> Lived:
    """Return what somebody perceives of a step of a teller, which is two memories."""
    chance = Random(step)
    who_of, did, what, where = (chance.choice(some) for some in TALK)
    words = f"My {who_of} {did} the {what} {where}, {step} steps from here."
    event = Event("speech", "#1", "#1001", f'{teller} says, "{words}"', words=words)
    said = Perception(who, "heard", event.text, teller, "The Garden", event=event)
    return Lived(step, at, (said, said._replace(kind="saw", text=f"{teller} nods at {step}.")))


def scene(slug: str, seconds: float, there: Sequence[Person] = (ANN,)) -> Situation:
    """Return where somebody is, with whom, at that many seconds."""
    here = ("The Garden", "A walled garden.", ("north",), tuple(there), ("sundial",), (), (), (), "")
    return Situation(_named(slug), "", "default", *here, seconds)


def _named(slug: str) -> str:
    return slug.replace("-", " ").title()


class Town:
    """So many people of a vault, whose minds are at a host; they talk with those of their place, or a person does.

    Args:
        interval: seconds in which everybody acts once.
    """

    def __init__(self, vault: Path, host: HostOfMinds, count: int, chance: Random, interval: float = 5.0) -> None:
        self._vault, self._chance, self._interval, self._clock = vault, chance, interval, RealClock()
        self.people = people(count)
        everybody = list(self.people)
        self._places = [everybody[at : at + IN_A_PLACE] for at in range(0, count, IN_A_PLACE)]
        self._visited = {who for place in self._places[::VISITED] for who in place}
        self._near = {
            who: [Person(_named(self.people[other]), True) for other in place if other != who]
            + [ANN] * (who in self._visited)
            for place in self._places
            for who in place
        }
        self.lending = Lending(host, vault / "agents", self._reflex, self._clock, self._wished)
        for who, slug in self.people.items():
            self.lending.add(who, slug)
        self.ledger: dict[str, list[Lived]] = {who: [] for who in self.people}
        self.acted: dict[str, float] = {}
        """When each person's mind gave its last line."""
        self.lines = self.reflexes = self.wishes = self._number = 0
        self._acting: dict[str, asyncio.Task[None]] = {}
        self._failures: list[BaseException] = []
        self._news = asyncio.Event()
        self._owed = 0.0

    async def _reflex(self, turn: MindTurn) -> Answer:
        self.reflexes += 1
        return Answer()

    def _wished(self, wish: Wish) -> None:
        self.wishes += 1

    def happen(self) -> None:
        """Let somebody say something, which the others of the place perceive, each in two memories."""
        self._number += 1
        place = self._chance.choice(self._places)
        teller = self._chance.choice(place)
        name = ANN.name if teller in self._visited else _named(self.people[teller])
        for who in place:
            if who != teller:
                one = lived(who, self._number, iso(self._clock.now()), name)
                self.ledger[who].append(one)
                self.lending.perceive(who, one)

    async def _act(self, who: str) -> None:
        here = scene(self.people[who], self._clock.monotonic(), self._near[who])
        answer = await self.lending.act(MindTurn(who, 0, scene=here, waiting=who in self._visited))
        for line in answer.lines:
            assert (line.who, line.epoch) == (who, self.lending.minds[who].epoch)
            if line.thought.brain:  # else the thought failed
                self.lines += 1
                self.acted[who] = self._clock.monotonic()
        self._news.set()

    def _acted(self, who: str, acting: asyncio.Task[None]) -> None:
        del self._acting[who]
        if not acting.cancelled() and (error := acting.exception()) is not None:
            self._failures.append(error)

    async def _live(self) -> None:
        turn = list(self.people)
        while True:
            self.happen()
            self._owed += len(turn) * TICK / self._interval
            while self._owed >= 1:
                self._owed -= 1
                turn.append(who := turn.pop(0))
                if who not in self._acting:
                    self._acting[who] = asyncio.create_task(self._act(who))
                    self._acting[who].add_done_callback(partial(self._acted, who))
            await self._clock.sleep(TICK)

    @asynccontextmanager
    async def living(self) -> AsyncIterator[None]:
        """Let the town live within the block; afterwards its minds are at nobody's, with all in their archives."""
        duties = [asyncio.create_task(self._live()), asyncio.create_task(self.lending.run())]
        try:
            yield
            duties.pop(0).cancel()
            async with asyncio.timeout(120):
                while any(mind.unsafe for mind in self.lending.minds.values()):
                    await self._clock.sleep(TICK)
        finally:
            for task in [*duties, *self._acting.values()]:
                task.cancel()
            await self.lending.end()

    def _holder(self, who: str) -> Holder:
        return holder_of(self._vault / "agents" / self.people[who])

    def holders(self) -> set[str]:
        """Return the names of the processes that hold the minds."""
        return {self._holder(who).name for who in self.people}

    def held_by(self, node: str) -> dict[str, int]:
        """Return the epochs of the minds that are on a node of Ray, by id."""
        return {who: self._holder(who).epoch for who in self.people if node[:12] in self._holder(who).name}

    async def until_lines(self, count: int) -> None:
        """Wait until minds gave so many more lines."""
        wanted = self.lines + count
        while self.lines < wanted:
            await self._news.wait()
            self._news.clear()

    async def until_all_acted(self) -> float:
        """Wait until everybody's mind gave a line after now; return how many seconds that took."""
        since = self._clock.monotonic()
        while any(self.acted.get(who, 0.0) < since for who in self.people):
            await self._news.wait()
            self._news.clear()
        return self._clock.monotonic() - since

    async def until_lent_anew(self, lost: Mapping[str, int]) -> float:
        """Wait until minds whose loans were lost are lent again; return how many seconds that took.

        Args:
            lost: the epochs of these loans, by id; see `held_by`.
        """
        since = self._clock.monotonic()
        while any(mind.epoch <= lost[who] or not mind.lent for who in lost if (mind := self.lending.minds[who])):
            await self._clock.sleep(0.01)
        return self._clock.monotonic() - since

    def check(self) -> None:
        """See that every archive holds what was perceived, once and in order, and nothing else of this town."""
        assert self._failures == []
        for who, slug in self.people.items():
            archive = Archive(self._vault / "agents" / slug / "archive")
            assert archive.open(False) == []
            found = [(one.source, one.text) for one in archive.read(1, archive.total)]
            assert found == [(one.step, left.text) for one in self.ledger[who] for left in one.perceptions], slug
