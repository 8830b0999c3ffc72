"""`bench engine`: what a step of the engine costs, without minds, files and doors; the ledger is kept in memory."""

from __future__ import annotations

import argparse
import time
from itertools import cycle, islice
from typing import Any, NamedTuple

from mud.world.changes import Change, Define, Put
from mud.world.things import Exit, Kind, Thing
from mud.world.world import World
from tests.benchmarks._bench import Report, Say, Table, bench, require_block, whole_number
from tests.worlds import do, make_engine

LINES = {
    "say": ("say The moss grows slowly.",),
    "go": ("north", "south"),
    "take and drop": ("take brass lamp", "drop brass lamp"),
    "look": ("look",),
}
"""What is typed in turn; afterwards the world is as before."""
_WALKER, _HERE, _THERE = "#3001", "#1001", "#1002"
_WARM = 200  # lines before the clock is started


class Cost(NamedTuple):
    """What a step costs in microseconds: in the mean of the quickest round, and in all rounds as a median."""

    best: float
    median: float


RULES = (0,)
"""How many rules are in the place, one world each; the cost of a step is compared with that of the first."""


def world_of(people: int, things: int, rules: int) -> World:
    """Return two places, one beyond the other, with so many people, things and rules in the first.

    There are no rules of things yet: `rules` must be 0.
    """
    assert rules == 0
    world = World()
    changes: list[Change] = [
        Define(Thing(_HERE, Kind.LOCATION, "The Garden", "Four paths meet.", exits=(Exit("north", _THERE),))),
        Define(Thing(_THERE, Kind.LOCATION, "The Lobby", "Doors stand open.", exits=(Exit("south", _HERE),))),
    ]
    inside = [Thing("#1101", Kind.ITEM, "brass lamp", "It smells of oil.")]
    inside += [Thing(f"#{5000 + one}", Kind.ITEM, f"stone {one}", "Grey.") for one in range(things - 1)]
    inside += [Thing(_WALKER, Kind.CHARACTER, "Ann")]
    inside += [Thing(f"#{3001 + one}", Kind.CHARACTER, f"Guest {one}") for one in range(1, people)]
    for thing in inside:
        changes += [Define(thing), Put(thing.id, _HERE)]
    world.apply(changes)
    return world


def cost_of(lines: tuple[str, ...], world: World, steps: int, rounds: int) -> Cost:
    """Return what each of so many steps costs, with everybody in the world a witness."""
    engine = make_engine(world)
    engine.witnesses |= {thing.id for thing in world.things.values() if thing.kind is Kind.CHARACTER}
    typed = cycle(lines)
    for line in islice(typed, _WARM * len(lines)):
        do(engine, line, _WALKER)
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        for line in islice(typed, steps):
            do(engine, line, _WALKER)
        times.append((time.perf_counter() - begun) / steps * 1e6)
    return Cost(min(times), sorted(times)[rounds // 2])


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--steps", type=whole_number, default=4000, metavar="4000", help="lines in a round")
    parser.add_argument("--rounds", type=whole_number, default=5, metavar="5", help="rounds of each kind of line")
    parser.add_argument("--people", type=whole_number, default=10, metavar="10", help="people in the place")
    parser.add_argument("--things", type=whole_number, default=10, metavar="10", help="things in the place")


@bench("engine", "how many commands a second the engine takes, and what a step costs", _arguments)
def engine(args: argparse.Namespace, say: Say) -> Report:
    require_block(args.table, "engine")
    rows: list[dict[str, Any]] = []
    for rules in RULES:
        for name, lines in LINES.items():
            cost = cost_of(lines, world_of(args.people, args.things, rules), args.steps, args.rounds)
            rows.append(
                {"line": name, "rules": rules, "best_us": round(cost.best, 1), "median_us": round(cost.median, 1)}
            )
            say(f"{name}, {rules} rules: {cost.best:.1f} us a step")
    record = {"bench": "engine", "people": args.people, "things": args.things, "steps": args.steps, "rows": rows}
    head = ["line", "rules", "commands a second", "us a step, quickest round", "median round"]
    cells = [
        [
            row["line"],
            str(row["rules"]),
            f"{1e6 / row['best_us']:,.0f}",
            f"{row['best_us']:.1f}",
            f"{row['median_us']:.1f}",
        ]
        for row in rows
    ]
    told = (
        f"{args.people} people, all of whom remember, and {args.things} things in one place; {args.rounds} rounds of "
        f"{args.steps:,} lines each. No minds, doors or files: the ledger is encoded and kept in memory."
    )
    return Report("engine", record, [Table(head, cells)], told)
