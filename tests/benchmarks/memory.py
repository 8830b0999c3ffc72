"""`bench memory`: what it costs that many witnesses remember the same, in processor time a memory.

Everybody stands in one place and speaks in turn. Archives and words are written once for so many lines, as a running
world does it a few times a second. Each row keeps more than the one before it: the difference is its price.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path
from typing import Any

from agents.definition import write_definition
from mud.clock import VirtualClock
from mud.server.wiring import Parts, opened
from mud.world.roles import Role
from tests.benchmarks._bench import Report, Say, Table, bench, require_block, whole_number
from tests.benchmarks._scratch import NONE, cached, scratch
from tests.settings import put

KEPT = ("nothing", "archives", "archives and words", "archives, words and folds")
WORDS = ("lamp", "river", "harbour", "key", "ladder", "mill", "storm", "lantern", "letter", "bridge", "oar", "clock")
FOREVER = 1e9
"""Seconds for which memories are held, as this bench writes them itself."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--witnesses", type=whole_number, default=70, metavar="70", help="people in the place")
    parser.add_argument("--says", type=whole_number, default=400, metavar="400", help="lines that they say in all")
    parser.add_argument("--together", type=whole_number, default=10, metavar="10", help="lines that are kept at once")
    parser.add_argument("--rounds", type=whole_number, default=3, metavar="3", help="rounds, of which the best counts")


@bench("memory", "what a memory costs that many witnesses share", _arguments)
def memory(args: argparse.Namespace, say: Say) -> Report:
    require_block(args.table, "memory")
    best = dict.fromkeys(KEPT, float("inf"))
    with cached(None) as cache:
        for _ in range(args.rounds):
            for kept in KEPT:
                with scratch(args.vault, cache) as vault:
                    best[kept] = min(best[kept], _measure(vault, kept, args))
                say(f"{kept}: {best[kept]:.1f} us a witness")
    return _report(args, best)


def _measure(vault: Path, kept: str, args: argparse.Namespace) -> float:
    """Return the microseconds of processor time for a witness of a line."""
    put(vault, "recall", embedder=NONE)
    put(vault, "memory_compaction", auto_enabled=kept == KEPT[-1])
    for number in range(args.witnesses):
        write_definition(
            vault / "agents", f"Guest {number}", f"#{90_000 + number}", person=False, profile="You listen."
        )
    with opened(vault, writable=True, clock=VirtualClock(), alone=True) as parts:
        return asyncio.run(_talk(parts, kept, args))


async def _talk(parts: Parts, kept: str, args: argparse.Namespace) -> float:
    people = [parts.minds.open(slug).id for slug in parts.minds.definitions]
    parts.minds.held.seconds = FOREVER
    if kept != KEPT[0]:
        parts.engine.observe(parts.minds.observe)
    used = 0.0
    for first in range(-args.together, args.says, args.together):  # the first lines warm up
        begun = time.process_time()
        for number in range(first, first + args.together):
            parts.engine.step(people[number % len(people)], f"say {_sentence(number)}", Role.PLAYER)
        parts.minds.held.write()
        if "words" in kept:
            await parts.recall.flush()
        await parts.minds.folds.settle()
        used += (time.process_time() - begun) * (first >= 0)
    await parts.recall.stop()
    return 1e6 * used / (int(args.says) * len(people))


def _sentence(number: int) -> str:
    one, other, third = (WORDS[number // step % len(WORDS)] for step in (1, 12, 144))
    return f"I saw the {one} by the {other} number {number}, and then the {third} was gone."


def _report(args: argparse.Namespace, best: dict[str, float]) -> Report:
    rows: list[dict[str, Any]] = []
    before = 0.0
    for kept, us in best.items():
        rows.append({"kept": kept, "us": round(us, 1), "more_us": round(us - before, 1)})
        before = us
    sizes = {"witnesses": args.witnesses, "says": args.says, "together": args.together}
    head = ("kept of a line", "us a witness", "more")
    cells = [(row["kept"], f"{row['us']:.1f}", f"{row['more_us']:+.1f}") for row in rows]
    told = (
        f"{args.says} lines among {args.witnesses} people in one place, all of whom remember; archives and words are "
        f"written once for {args.together} lines. Processor time of all threads, the best of {args.rounds} rounds; "
        "folds are made as soon as they are due. No doors."
    )
    return Report("memory", {"bench": "memory", **sizes, "rows": rows}, [Table(head, cells)], told)
