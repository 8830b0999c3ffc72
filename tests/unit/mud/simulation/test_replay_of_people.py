"""Random evenings of people, builders, agents and editors in one world: played again, each is the same world."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from agents.life.scheduler import Scheduler
from mud.clock import VirtualClock
from mud.errors import Refusal
from mud.server.branching import rewind
from mud.server.checks import check_vault
from mud.server.wiring import opened
from mud.simulation.replay import replay
from mud.storage.files import write_atomic
from mud.world.roles import Role
from tests.houses import puppet
from tests.settings import put
from tests.unit.mud.server.lobby import Lobby, Seat, lobby
from tests.vaults import copy_vault, without_vectors
from tests.wholeness import check_life, ledger

SEATS = {"Olive": Role.OWNER, "Bert": Role.BUILDER, "Ann": Role.PLAYER, "Guest": Role.GUEST}
LEFT_OUT = ("@branch", "@rewind", "@export")
"""Commands whose examples make files beside the vault."""
CLOCK = """---
location: "[[{place}]]"
---
# hall clock {number}

## Rules

- when enter: it becomes struck; describe it "Seen by {{actor}}."
- when it becomes struck: after 20 seconds: it becomes not struck; after 5 seconds: tell "A spring whirs."
- when say if chance 1 in 2: make hall clock {number}
"""
AGENT = """---
location: "[[The Garden]]"
---
# Wren{number}

## Profile

Wren likes the garden.
"""


class Evening:
    """One sitting of a world, in which something random happens again and again."""

    def __init__(self, hall: Lobby, living: Scheduler, clock: VirtualClock, chance: Random) -> None:
        self._hall, self._living, self._clock, self._chance = hall, living, clock, chance
        self._vault, self._number = hall.parts.vault, 0
        self._seats: dict[str, Seat] = {}
        known = [one for name in hall.parts.commands.names() for one in [hall.parts.commands.get(name)]]
        self._lines = [line for one in known if one.name not in LEFT_OUT for line in one.examples]

    async def happen(self) -> None:
        """Let one thing happen, and what comes of it."""
        often: list[Callable[[], Awaitable[None]]] = [self._type, self._type, self._build, self._turn, self._turn]
        await self._chance.choice([*often, self._pass, self._edit, self._leave, self._save])()
        await self._hall.answered()
        await self._hall.parts.minds.folds.settle()

    def _seat(self, name: str) -> Seat:
        if name not in self._seats or self._seats[name].session.over:
            role = SEATS[name]
            owner = role is Role.OWNER
            self._seats[name] = self._hall.owner(name) if owner else self._hall.enter(name, role)
        return self._seats[name]

    async def _type(self) -> None:
        with suppress(Refusal):  # an account may be gone, or banned
            seat = self._seat(self._chance.choice([*SEATS]))
            await self._hall.type(seat, self._chance.choice(self._lines))

    async def _build(self) -> None:
        self._number += 1
        here, room = self._chance.choice(["here", "sundial", "lamp"]), f"Room {self._number}"
        line = self._chance.choice(
            [
                f"@dig {room} = way{self._number}, out", f"way{self._number - 1}", "out", "@create tin cup",
                f"@describe {here} = It is number {self._number}.", "@destroy tin cup", "@undo", "@clone lamp",
                f"@rename tin cup = cup {self._number}", f'@rule {here} = when say: tell "It hums."', "north", "south",
            ]
        )  # fmt: skip
        with suppress(Refusal):
            await self._hall.type(self._seat("Bert"), line)

    async def _turn(self) -> None:
        if (due := self._living.due) is not None:
            self._clock.advance(max(0.0, due - self._clock.monotonic()))
            await self._living.take_turn()

    async def _pass(self) -> None:
        self._clock.advance(self._chance.choice([1, 30, 600, 20_000]))
        self._hall.parts.engine.elapse()

    async def _edit(self) -> None:
        self._number += 1
        places = sorted((self._vault / "world/locations").glob("*.md"))
        items = sorted((self._vault / "world/items").glob("*.md"))
        clocks = [path for path in items if path.name.startswith("hall-clock")]
        place, item = self._chance.choice(places), self._chance.choice(items)
        match self._chance.choice(["place", "item", "new", "gone", "agent", "note", "setting", "person"]):
            case "place":
                self._written(place, f"{place.read_text('utf-8')}\nSwept {self._number} times.\n")
            case "item":
                self._written(item, f"{item.read_text('utf-8')}\nDusted {self._number} times.\n")
            case "new":
                name = self._hall.parts.engine.world.locations()[0].name
                clock = CLOCK.format(number=self._number, place=name)
                self._written(self._vault / f"world/items/hall-clock-{self._number}.md", clock)
            case "gone" if clocks:
                clocks[0].unlink()
                self._hall.reloading.changed(frozenset({clocks[0]}))
            case "agent":
                path = self._vault / f"agents/wren{self._number}/agent.md"
                path.parent.mkdir(exist_ok=True)
                self._written(path, AGENT.format(number=self._number))
            case "note":
                notes = self._vault / "agents/eliza/notes"
                notes.mkdir(exist_ok=True)
                self._written(notes / "by-hand.md", f"# By hand\n\nThe fin is missing, {self._number}.\n")
            case "setting":
                put(self._vault, "thinking", coarse_from=self._chance.choice([0, 200]))
                self._hall.reloading.changed(frozenset({self._vault / "config/thinking.md"}))
            case "person":
                path = self._vault / "agents/moss/agent.md"
                self._written(path, f"{path.read_text('utf-8')}\nMoss is {self._number} years old.\n")

    def _written(self, path: Path, text: str) -> None:
        write_atomic(path, text)
        self._hall.reloading.changed(frozenset({path}))

    async def _leave(self) -> None:
        if (seat := self._seats.pop(self._chance.choice([*SEATS]), None)) is not None and not seat.session.over:
            self._hall.people.leave(seat.session)

    async def _save(self) -> None:
        self._hall.parts.save()


@asynccontextmanager
async def _sitting(folder: Path, clock: VirtualClock, chance: Random) -> AsyncIterator[Evening]:
    async with lobby(folder, clock) as hall:
        said = (f"say {chance.choice(['lantern', 'pear', 'moss'])} {number}" for number in range(10**9))
        lines = ["go north", "go south", "take lamp", "drop lamp", "sleep", "wake", "note Sundial -> It is slate."]
        puppets = [puppet(lambda here: chance.choice([*lines, next(said), "go the library", "use sundial"]))]
        living = hall.home.living(brains=puppets, override="puppet")
        for agent in hall.home.minds.opened():
            if not agent.definition.person:
                living.begin(agent)
        try:
            yield Evening(hall, living, clock, chance)
        finally:
            await living.stop()


SEEDS = [pytest.param(seed, marks=[pytest.mark.torture] if seed > 2 else []) for seed in range(1, 101)]


async def _live(folder: Path, clock: VirtualClock, chance: Random) -> None:
    """Live through three evenings of a world that is started anew for each; not every one is saved at its end."""
    for _ in range(3):
        async with _sitting(folder, clock, chance) as evening:
            for _ in range(40):
                await evening.happen()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_evening_played_again_is_the_same_world_also_from_any_step(tmp_path: Path, seed: int) -> None:
    chance, clock, vault = Random(seed), VirtualClock(), without_vectors(copy_vault(tmp_path))
    put(vault, "memory_compaction", immediate_window=8, recent_window=8)
    put(vault, "world", day_hours=0.5, weather=("clear 2", "rainy 1"), weather_hours=0.2)
    asyncio.run(_live(tmp_path, clock, chance))
    with opened(vault, writable=True, clock=clock) as parts:
        parts.save()
    found = replay(vault, verify=True)
    assert (str(found.difference or ""), found.state_hash) == ("", found.recorded_hash)
    for slug in ("eliza", "ann"):
        check_life(vault, slug)
    steps = ledger(vault)
    # Of several files that were changed at once, each has a step of its own; before the last, one may miss the others.
    whole = [one["step"] for one, later in pairwise(steps) if not ("files" in one and "files" in later)]
    step = chance.choice(whole)
    with opened(vault, writable=False) as parts:
        rewind(parts, tmp_path / "past", step)
    assert check_vault(tmp_path / "past") == check_vault(vault) == []
    with opened(tmp_path / "past", writable=True, clock=clock) as parts:
        parts.engine.turn("weather", "foggy")
    found = replay(tmp_path / "past", verify=True)
    assert (str(found.difference or ""), found.last) == ("", step + 1)


async def test_a_guest_who_left_for_good_is_no_difference(tmp_path: Path) -> None:
    async with lobby(tmp_path, VirtualClock()) as hall:
        await hall.type(hall.enter("Guest"), "say good evening", "quit")
    found = replay(tmp_path / "vault", verify=True)
    assert (str(found.difference or ""), found.state_hash) == ("", found.recorded_hash)


async def test_who_was_awake_when_the_world_was_killed_sleeps_at_the_next_start_and_that_is_no_difference(
    tmp_path: Path,
) -> None:
    clock = VirtualClock()
    async with lobby(tmp_path, clock) as hall:
        await hall.type(hall.enter("Bert"), "say good evening")
        hall.parts.save()
    async with lobby(tmp_path, clock) as hall:
        await hall.type(hall.enter("Ann"), "look")
        found = replay(tmp_path / "vault", verify=True)  # before anything is saved
    assert (str(found.difference or ""), found.state_hash) == ("", found.recorded_hash)
