"""`bench engine`: what a step of the engine costs, without minds, files and doors; the ledger is kept in memory."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Any, NamedTuple

from mud.world.changes import Change, Define, Put
from mud.world.rules import parse_rule
from mud.world.things import Exit, Kind, Thing
from mud.world.traits import Traits
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


RULES = (0, 100)
"""How many rules are in the place, one world each; the cost of a step is compared with that of the first."""
_WAITING = (
    'when say "sesame {n}": it becomes lit',
    'when take if lit: say "It burns."',
    "when enter if lit: it becomes awake",
    'when drop if actor has stone 1: say "It rings."',
    'when look if lit: say "It glows."',
    "when leave if lit: it becomes not lit",
    "when examine if chance 1 in 2: it becomes seen",
    "when wind: it becomes wound; after 10 seconds: it becomes not wound",
    'when it becomes wound: say "It ticks."',
    'when it becomes not wound: say "It stops."',
    "when put anything on it: it becomes heavy",
    "when put stone 1 in it: remove stone 1",
    'when open if locked: refuse "It does not open."',
    "when close: it becomes not lit",
    "when lock: it becomes safe",
    "when unlock: it becomes not safe",
    'when push if heavy: refuse "It is too heavy."',
    "when pull: move it to here",
    'when ring: say "It rings." in here',
    "when light: it becomes warm",
    "when extinguish: it becomes not warm",
    "when give it to stone 1: it becomes given",
    "when read: it becomes known",
    "when night begins: it becomes lit",
    "when rain begins if not lit: it becomes wet",
)
"""Rules that wait for what is typed, and for other things; none of them comes to act."""


def world_of(people: int, things: int, rules: int) -> World:
    """Return two places, one beyond the other, with so many people, things and rules in the first."""
    world = World()
    sources = [
        [_WAITING[one % len(_WAITING)].format(n=one) for one in range(at, rules, things)] for at in range(things)
    ]
    changes: list[Change] = [
        Define(Thing(_HERE, Kind.LOCATION, "The Garden", "Four paths meet.", exits=(Exit("north", _THERE),))),
        Define(Thing(_THERE, Kind.LOCATION, "The Lobby", "Doors stand open.", exits=(Exit("south", _HERE),))),
    ]
    inside = [Thing("#1101", Kind.ITEM, "brass lamp", "It smells of oil.")]
    inside += [Thing(f"#{5000 + one}", Kind.ITEM, f"stone {one}", "Grey.") for one in range(things - 1)]
    names = {"here": _HERE, "stone 1": "#5001"}
    inside = [
        replace(thing, traits=Traits(rules=tuple(map(parse_rule, own))).bound(names)) if own else thing
        for thing, own in zip(inside, sources, strict=True)
    ]
    inside += [Thing(_WALKER, Kind.CHARACTER, "Ann")]
    inside += [Thing(f"#{3001 + one}", Kind.CHARACTER, f"Guest {one}") for one in range(1, people)]
    for thing in inside:
        changes += [Define(thing), Put(thing.id, _HERE)]
    world.apply(changes)
    return world


def costs_of(lines: tuple[str, ...], worlds: Sequence[World], steps: int, rounds: int) -> list[Cost]:
    """Return what each of so many steps costs in each world, with everybody in it a witness; rounds take turns."""
    runs = []
    for world in worlds:
        engine, typed = make_engine(world), cycle(lines)
        engine.witnesses |= {thing.id for thing in world.things.values() if thing.kind is Kind.CHARACTER}
        for line in islice(typed, _WARM * len(lines)):
            do(engine, line, _WALKER)
        runs.append((engine, typed, list[float]()))
    for _ in range(rounds):
        for engine, typed, times in runs:
            begun = time.thread_time()
            for line in islice(typed, steps):
                do(engine, line, _WALKER)
            times.append((time.thread_time() - begun) / steps * 1e6)
    return [Cost(min(times), sorted(times)[rounds // 2]) for _, _, times in runs]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--steps", type=whole_number, default=4000, metavar="4000", help="lines in a round")
    parser.add_argument("--rounds", type=whole_number, default=5, metavar="5", help="rounds of each kind of line")
    parser.add_argument("--people", type=whole_number, default=10, metavar="10", help="people in the place")
    parser.add_argument("--things", type=whole_number, default=10, metavar="10", help="things in the place")


@bench("engine", "how many commands a second the engine takes, and what a step costs", _arguments)
def engine(args: argparse.Namespace, say: Say) -> Report:
    require_block(args.table, "engine")
    rows: list[dict[str, Any]] = []
    for name, lines in LINES.items():
        worlds = [world_of(args.people, args.things, rules) for rules in RULES]
        costs = costs_of(lines, worlds, args.steps, args.rounds)
        for rules, cost in zip(RULES, costs, strict=True):
            more = round(100 * (cost.best / costs[0].best - 1), 1)
            rows.append(
                {"line": name, "rules": rules, "best_us": round(cost.best, 1), "median_us": round(cost.median, 1),
                 "more_percent": more}
            )  # fmt: skip
            say(f"{name}, {rules} rules: {cost.best:.1f} us a step, {more:+.1f} %")
    record = {"bench": "engine", "people": args.people, "things": args.things, "steps": args.steps, "rows": rows}
    head = ["line", "rules", "commands a second", "us a step, quickest round", "median round", "more"]
    cells = [
        [
            row["line"],
            str(row["rules"]),
            f"{1e6 / row['best_us']:,.0f}",
            f"{row['best_us']:.1f}",
            f"{row['median_us']:.1f}",
            f"{row['more_percent']:+.0f} %" if row["rules"] else "",
        ]
        for row in rows
    ]
    told = (
        f"{args.people} people, all of whom remember, and {args.things} things in one place; {args.rounds} rounds of "
        f"{args.steps:,} lines each, by the CPU. No minds, doors or files: the ledger is encoded and kept in memory."
    )
    return Report("engine", record, [Table(head, cells)], told)
