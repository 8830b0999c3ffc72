"""`bench scale`: what towns of several sizes cost, simulated and running, and how soon they answer a visitor."""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import Any

from mud.process import temporary_folder
from mud.server.generating import WorldPlan, generate
from mud.server.wiring import vault_in
from tests.benchmarks._bench import Report, Say, Table, bench, require_block, some_of, whole_number, whole_numbers
from tests.benchmarks._scale.measuring import simulated, visited

SIZES = [20, 200, 2000, 10_000]
AGENTS_A_PLACE = 5
PARTS = ("simulate", "run")
Record = dict[str, Any]


def _arguments(parser: argparse.ArgumentParser) -> None:
    sizes = ",".join(map(str, SIZES))
    parser.add_argument("--agents", type=whole_numbers, default=SIZES, metavar=sizes, help="a town of each size")
    parser.add_argument(
        "--exact", type=whole_numbers, default=[SIZES[-1]], metavar=str(SIZES[-1]), help="sizes with every mind exact"
    )
    parser.add_argument("--minutes", type=float, default=60.0, metavar="60", help="of the world's time, simulated")
    parser.add_argument(
        "--exact-minutes", type=float, default=5.0, metavar="5", help="the same for towns with every mind exact"
    )
    parser.add_argument("--seconds", type=float, default=120.0, metavar="120", help="how long the visitor looks about")
    parser.add_argument("--after", type=float, default=0.0, metavar="0", help="seconds that the town runs before that")
    parser.add_argument("--parts", type=some_of(PARTS), default=list(PARTS), metavar=",".join(PARTS), help="do these")
    parser.add_argument("--seed", type=whole_number, default=1, metavar="1", help="seed of all chance")


@bench("scale", "what towns of 20 to 10,000 agents cost, and how soon a visitor is answered", _arguments)
def scale(args: argparse.Namespace, say: Say) -> Report:
    require_block(args.table, "scale")
    towns = [(agents, False) for agents in args.agents] + [(agents, True) for agents in args.exact]
    began, rows = time.perf_counter(), [_town(args, agents, say, exact=exact) for agents, exact in towns]
    told = (
        f"Towns made by `generate`, {AGENTS_A_PLACE} agents a place, who live by instinct; exact: every mind turn by "
        "turn, as with --exact. Simulated: on virtual time, nobody watching, from an empty past on; cpu is that of the "
        "process from the first thought on, user and system. Visited: the town runs, and somebody over telnet types "
        f"`look` four times a second, {args.after:g} s after they came; start is from the command to the visitor's "
        "first screen, of a town made five seconds before. Stolen: the share of the virtual machine's time that its "
        "host gave to others meanwhile; undisturbed: of the looks during which it took none. Of + the first is the "
        "town, the second its child, which holds the index. It took "
        f"{time.perf_counter() - began:.0f} s."
    )
    tables = [Table(HEAD, [_cells(row) for row in rows])] if rows else []
    return Report("scale", {"towns": rows}, tables, told)


def _town(args: argparse.Namespace, agents: int, say: Say, *, exact: bool) -> Record:
    places = max(1, agents // AGENTS_A_PLACE)
    row: Record = {"agents": agents, "places": places, "exact": exact}
    say(f"{agents} agents in {places} places{', every mind exact' if exact else ''}")
    with temporary_folder("loci-bench-") as folder:
        vault = folder / "town"
        generate(vault_in(args.vault), vault, WorldPlan(places, agents, args.seed))
        if "simulate" in args.parts:
            minutes = args.exact_minutes if exact else args.minutes
            row["simulated"] = simulated(vault, agents, minutes, args.seed, exact=exact)
        if "run" in args.parts:
            row["visited"] = asyncio.run(visited(vault, args.after, args.seconds, args.seed, say, exact=exact))
    return row


HEAD = (
    "agents", "lines a second", "cpu s a minute", "of a core", "lines an agent hour", "memories", "RSS, MB",
    "start, s", "look p50 / p99, ms", "undisturbed p99", "stolen", "cpu, of a core", "RSS, MB", "files", "threads",
)  # fmt: skip
"""The first seven columns are of the simulated town."""


def _cells(row: Record) -> list[str]:
    lived, seen = row.get("simulated"), row.get("visited")
    cells = [f"{row['agents']:,}{' exact' if row['exact'] else ''}"]
    if lived is not None:
        minute = lived["cpu_seconds_a_minute"]
        cells += [f"{lived['commands_per_second']:,.0f}", f"{minute:.2f}", f"{minute / 60:.1%}"]
        cells += [str(lived[key]) for key in ("lines_an_agent_hour", "memories_an_agent_hour", "rss_mb")]
    else:
        cells += ["-"] * 6
    if seen is not None:
        look = seen["look_ms"]
        calm = seen["undisturbed_look_ms"]
        cells += [str(seen["start_s"]), f"{look['p50']} / {look['p99']}", str(calm["p99"]) if calm else "-"]
        cells.append(f"{seen['stolen_share']:.1%}")
        cells += [" + ".join(map(str, seen[key])) for key in ("cpu_share", "rss_mb", "files", "threads")]
    else:
        cells += ["-"] * 8
    return cells
