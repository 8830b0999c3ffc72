"""Any file of rules: each mistake has its line, and a world with the rest goes on, whatever is done in it."""

from __future__ import annotations

import logging
from pathlib import Path
from random import Random

import pytest

from mud.clock import VirtualClock
from mud.engine.engine import Engine
from mud.server.opening import build_world, state_of
from mud.storage.world_files import WorldFiles
from mud.world.roles import Role
from mud.world.things import Kind, Thing
from tests.examples import NEW
from tests.worlds import MemoryLedger, check_places, make_engine, snapshot

ANN = Thing("#3001", Kind.CHARACTER, "Ann")
PEOPLE = [(ANN, "#1001"), (Thing("#2001", Kind.CHARACTER, "Eliza", thinks=True), "#1001")]
THINGS = ("it", "actor", "here", "anything", "box", "lamp", "clock", "the Hall", "[[Loft]]", "#1103", "Eliza")
STATES = ("lit", "open", "locked", "on", "half full", "not lit", "not open")
VERBS = (
    "take", "drop", "put", "enter", "leave", "open", "close", "look", "examine", "wind", "pray", "say", "use", "light",
    "turn on", "eat",
)  # fmt: skip
WRONG = ("", ":", ";", '"', "[[", " is ", "\x07", "if", "after 1 second:")
LINES = (
    "look", "take lamp", "light lamp", "wind clock", "put lamp in box", "open box", "put lamp in box", "x box",
    "take lamp from box", "say open sesame", "north", "look", "south", "drop lamp", "use lamp on clock", "close box",
    "pray", "eat lamp", "turn on clock", "inventory", "take clock", "take box", "drop box",
)  # fmt: skip


def thing(chance: Random) -> str:
    return chance.choice(THINGS) if chance.random() < 0.98 else "moon"


def trigger(chance: Random) -> str:
    verb, state = chance.choice(VERBS), chance.choice(STATES)
    return chance.choice(
        (
            verb, verb, f"{verb} {thing(chance)}", f"put {thing(chance)} in {thing(chance)}", 'say "sesame"',
            f"it becomes {state}", f"{thing(chance)} becomes {state}", f"lamp becomes {state}", "night begins",
        )
    )  # fmt: skip


def condition(chance: Random) -> str:
    one = chance.choice(
        (
            chance.choice(STATES), f"{thing(chance)} is {chance.choice(STATES)}", "weather is not rain",
            f"actor has {thing(chance)}", f"{thing(chance)} is here", "time is night", "chance 1 in 2",
            f"{thing(chance)} is in {thing(chance)}",
        )
    )  # fmt: skip
    return one if chance.random() < 0.7 else f"{one} {chance.choice(('and', 'or'))} {condition(chance)}"


def effect(chance: Random) -> str:
    return chance.choice(
        (
            f"{thing(chance)} becomes {chance.choice(STATES)}", f"{thing(chance)} becomes {chance.choice(STATES)}",
            'say "{it} ticks."', f'say "{{actor}}!" in {thing(chance)}', 'tell "Tick."', 'refuse "No."',
            f"move {thing(chance)} to {thing(chance)}", f"remove {thing(chance)}", f"make {thing(chance)}",
            f"make {thing(chance)} in {thing(chance)}", f'describe {thing(chance)} "New."',
            f"exit {chance.choice(('north', 'down'))} leads to {thing(chance)}",
            f"exit north of {thing(chance)} is gone",
        )
    )  # fmt: skip


def effects(chance: Random) -> str:
    several = "; ".join(effect(chance) for _ in range(chance.randint(1, 4)))
    return several if chance.random() < 0.7 else f"{several}; after {chance.randint(0, 3)} seconds: {effects(chance)}"


def rule(chance: Random) -> str:
    """Return a rule; one in ten is damaged somewhere."""
    given = f" if {condition(chance)}" if chance.random() < 0.4 else ""
    made = f"when {trigger(chance)}{given}: {effects(chance)}"
    if chance.random() < 0.1:
        at = chance.randrange(len(made))
        made = (
            made[:at]
            + chance.choice(("", ":", ";", '"', "[[", " is ", "\x07", "if", "after 1 second:"))
            + made[at + 3 :]
        )
    return made


def section(chance: Random) -> str:
    rules = "".join(f"- {rule(chance)}\n" for _ in range(chance.randint(1, 6)))
    when = f"\n## When {condition(chance)}\n\nIt hums.\n" if chance.random() < 0.3 else ""
    return f"{when}\n## Rules\n\n{rules}"


def write(vault: Path, chance: Random) -> None:
    """Write a world of two locations and three things, all with rules."""
    files = {
        "locations/hall": ("#1001", 'exits:\n  north: "#1002"', "The Hall"),
        "locations/loft": ("#1002", 'dark: true\nexits:\n  south: "#1001"', "The Loft"),
        "items/clock": ("#1101", 'location: "#1001"\nswitch: true', "clock"),
        "items/lamp": ("#1102", 'location: "#1001"\nlight: true\nfood: true', "lamp"),
        "items/box": ("#1103", 'location: "#1001"\nholds: in\nopens: true', "box"),
    }
    for file, (identity, front, name) in files.items():
        path = vault / f"world/{file}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'---\nid: "{identity}"\n{front}\n---\n# {name}\n{section(chance)}', encoding="utf-8")


def live(engine: Engine, clock: VirtualClock, chance: Random) -> None:
    """Do this and that, and let time pass."""
    for line in chance.sample(LINES, 8):
        who = chance.choice(PEOPLE)[0].id
        engine.step(who, line, Role.OWNER)
        if chance.random() < 0.4:
            clock.advance(chance.uniform(0, 3))
            assert len(engine.elapse()) <= len(engine.world.things) * 400
    engine.turn("time", "day", engine.world.things["#1001"])
    engine.turn("time", "night", engine.world.things["#1001"])


def one_world(vault: Path, chance: Random) -> int:
    """Live in a world with any rules; return how many of its five files were without a mistake."""
    write(vault, chance)
    files = WorldFiles(vault)
    files.minds = lambda: [one for one, _ in PEOPLE if one.thinks]
    found, problems = files.load()
    for one in problems:
        text = (vault / one.file).read_text(encoding="utf-8").splitlines()
        assert one.message, one
        assert text[one.line - 1].startswith(("- ", "## When ")), one
    placed = [*((one.thing, one.place) for one in found), *PEOPLE]
    ledger, clock = MemoryLedger(), VirtualClock()
    engine = make_engine(build_world(placed, None, [], begins=False), ledger, clock=clock)
    live(engine, clock, chance)
    check_places(engine.world)
    again = build_world(placed, None, ledger.after(0), begins=False)
    assert snapshot(again) == snapshot(engine.world)
    saved = build_world(placed, state_of(engine.world, 9), [], begins=False)
    assert dict(saved.where) == dict(engine.world.where)
    assert saved.live.as_json(saved.things) == engine.world.live.as_json(engine.world.things)
    return len(found) - len({one.file for one in problems})


@pytest.mark.parametrize("worlds", [60, pytest.param(10_000, marks=pytest.mark.torture)])
def test_no_rules_stop_a_world(tmp_path: Path, caplog: pytest.LogCaptureFixture, worlds: int) -> None:
    chance = Random() if NEW else Random(worlds)
    with caplog.at_level(logging.ERROR):
        whole = 0
        for number in range(worlds):
            seed = chance.getrandbits(32)
            try:
                whole += one_world(tmp_path, Random(seed))
            except Exception as error:
                raise AssertionError(f"world {number}, Random({seed})") from error
    assert caplog.records == []
    assert worlds < whole < worlds * 5
