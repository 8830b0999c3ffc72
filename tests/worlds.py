"""A small world for tests: pure, with the words of the shipped vault, and a ledger that lives in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from mud.clock import VirtualClock
from mud.commands import Command
from mud.engine.engine import Engine, LedgerLike, Step, WorldSettings
from mud.registry import Registry, load
from mud.storage.files import encode
from mud.storage.texts import TextStore
from mud.storage.trait_files import names_in
from mud.world.changes import Change, Define, Put
from mud.world.matching import plain
from mud.world.roles import Role
from mud.world.rules import parse_rule
from mud.world.things import Exit, Kind, Thing
from mud.world.traits import Traits
from mud.world.world import World
from tests.vaults import SHIPPED

GARDEN, LOBBY, LIBRARY, LOFT, CELLAR = "#1001", "#1002", "#1003", "#1004", "#1005"
LAMP, SUNDIAL, BOOK, KEY = "#1101", "#1102", "#1103", "#1104"
HERON, ELIZA, MOSS, ANN = "#1201", "#2001", "#2002", "#3001"
PEOPLE = (ELIZA, MOSS, ANN)

LOCATIONS = (
    Thing(
        GARDEN, Kind.LOCATION, "The Garden", "Four paths meet at a sundial. A pear tree leans on the wall.",
        aliases=("sundial court",), exits=(Exit("north", LOBBY), Exit("gate", CELLAR)),
    ),
    Thing(
        LOBBY, Kind.LOCATION, "The Lobby", "Doors stand open.",
        exits=(Exit("south", GARDEN), Exit("north", LIBRARY)),
    ),
    Thing(
        LIBRARY, Kind.LOCATION, "The Library", "Dust turns in a blade of light.",
        aliases=("reading room",), exits=(Exit("south", LOBBY), Exit("ladder", LOFT)),
    ),
    Thing(LOFT, Kind.LOCATION, "The Loft", "Under the roof.", exits=(Exit("ladder", LIBRARY),)),
    Thing(CELLAR, Kind.LOCATION, "The Cellar", "Dark. There is no way back."),
)  # fmt: skip
"""Garden - Lobby - Library - Loft in a row; a gate leads from the Garden into the Cellar, and no way out of it."""

PLACED = (
    (Thing(LAMP, Kind.ITEM, "brass lamp", "It smells of oil.", aliases=("lamp",)), GARDEN),
    (Thing(SUNDIAL, Kind.ITEM, "sundial", "Slate, without its fin.", fixed=True), GARDEN),
    (Thing(BOOK, Kind.ITEM, "green book"), LIBRARY),
    (Thing(KEY, Kind.ITEM, "rusty key", "Cold."), LOBBY),
    (Thing(HERON, Kind.CHARACTER, "Margery", "A heron."), GARDEN),
    (Thing(ELIZA, Kind.CHARACTER, "Eliza", "She listens.", thinks=True), GARDEN),
    (Thing(MOSS, Kind.CHARACTER, "Moss the Slow", "He waits.", aliases=("Moss",), thinks=True), LIBRARY),
    (Thing(ANN, Kind.CHARACTER, "Ann"), GARDEN),
)

TEXTS = TextStore(SHIPPED / "text")
TEXTS.load()


def small_world() -> World:
    """Return the small world with everybody in it."""
    world = World()
    changes: list[Change] = [Define(thing) for thing in (*LOCATIONS, *(thing for thing, _ in PLACED))]
    world.apply([*changes, *(Put(thing.id, place) for thing, place in PLACED)])
    return world


def ruled(thing: str, *rules: str, **traits: Any) -> Thing:
    """Return a thing of the small world with rules, in which it names others as people do, and with other traits."""
    things = {one.id: one for one in (*LOCATIONS, *(one for one, _ in PLACED))}
    ids = {plain(name): one.id for one in things.values() for name in one.names}
    made = Traits(rules=tuple(map(parse_rule, rules)), **traits)
    named = {name: ids[plain(name)] for name, _ in names_in(made) if plain(name) in ids}
    return replace(things[thing], traits=made.bound(named))


class MemoryLedger:
    """A ledger in memory with the contract of `mud.engine.ledger.Ledger`; it can be told to fail like a full disk."""

    def __init__(self) -> None:
        self.last = 0
        self.full = False
        self.lines: list[str] = []

    def append(self, step: int, record: dict[str, Any]) -> None:
        """Keep one step; OSError when told to be full."""
        if self.full:
            raise OSError(28, "No space left on device")
        line = json.dumps({"step": step, **record}, ensure_ascii=False)
        encode(line)
        self.lines.append(line)
        self.last = step

    def after(self, step: int) -> Iterator[dict[str, Any]]:
        """Yield the records of every step after this one, in order."""
        records: list[dict[str, Any]] = [json.loads(line) for line in self.lines]
        return (record for record in records if record["step"] > step)


def commands() -> Registry[Command]:
    """Return the commands of the world itself, without those that need a mind."""
    return load("mud.commands", Command, "command")


def make_engine(
    world: World | None = None,
    ledger: LedgerLike | None = None,
    registry: Registry[Command] | None = None,
    settings: Callable[[], WorldSettings] = WorldSettings,
    offers: Callable[[str], Registry[Command]] | None = None,
    clock: VirtualClock | None = None,
) -> Engine:
    """Return an engine over the small world, with the vault's words; Eliza, Moss and Ann remember, Margery does not."""
    engine = Engine(
        world if world is not None else small_world(),
        registry or commands(),
        TEXTS.render,
        ledger if ledger is not None else MemoryLedger(),
        clock or VirtualClock(),
        settings,
        offers,
    )
    engine.witnesses |= set(PEOPLE)
    return engine


def do(engine: Engine, line: str, who: str = ANN, role: Role = Role.OWNER) -> Step:
    """Have somebody type a line that is expected to work."""
    step = engine.step(who, line, role)
    assert not step.failed, step.reply
    return step


def refused(engine: Engine, line: str, who: str = ANN, role: Role = Role.OWNER) -> Step:
    """Have somebody type a line that is expected to be refused, and make sure that it changed nothing."""
    before = snapshot(engine.world)
    step = engine.step(who, line, role)
    assert step.failed, step.reply
    assert snapshot(engine.world) == before
    return step


def left_with(step: Step, who: str) -> list[str]:
    """Return the texts that a step left with somebody."""
    return [perceived.text for perceived in step.left if perceived.who == who]


def snapshot(world: World) -> tuple[object, ...]:
    """Return all that a world is, for comparison: things, places in order, who is away or asleep, the next id."""
    inside = {holder: [thing.id for thing in world.contents(holder)] for holder in world.things}
    return dict(world.things), dict(world.where), inside, dict(world.away), list(world.asleep), world.next_id


def check_places(world: World) -> None:
    """Make sure that everything is in exactly one place, and that both ways of asking agree."""
    held: dict[str, str] = {}
    for holder in world.things:
        for thing in world.contents(holder):
            assert thing.id not in held, f"{thing.name} is in two places"
            held[thing.id] = holder
    assert held == dict(world.where)
    assert set(world.where) <= set(world.things)
    assert not set(world.where) & set(world.away)
    assert {thing for thing in world.things if world.things[thing].kind is Kind.LOCATION}.isdisjoint(world.where)
