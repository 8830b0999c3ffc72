"""`bench prompt`: the share of prompts that a server has cached, and the time of a thought.

The part `thoughts`: agents spend an evening in a copy of a vault, once with each order of the prompt. Any llama.cpp
server will do; its replies are not judged. The part `experiences` needs no server: agents live by instinct, and past
experiences in their prompts are counted.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.prompt.prompt import TEMPLATES
from tests.benchmarks._bench import Report, Say, Table, bench, require_block, some_of, whole_number, whole_numbers
from tests.benchmarks._prompt import experiences
from tests.benchmarks._prompt.evening import EveningPlan, MeasuredThought, household, live
from tests.benchmarks._prompt.server import serving
from tests.benchmarks._prompt.telling import row_of, table, told
from tests.benchmarks._scratch import cached

THOUGHTS, EXPERIENCES = PARTS = ("thoughts", "experiences")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--parts", type=some_of(PARTS), default=[THOUGHTS], metavar=",".join(PARTS), help=f"default: {THOUGHTS}"
    )
    parser.add_argument("--host", metavar="URL", help="a running llama.cpp server (default: one is started, SmolLM2)")
    parser.add_argument("--thoughts", type=whole_number, default=60, metavar="60", help="thoughts in each order")
    parser.add_argument("--agents", type=whole_number, default=4, metavar="4", help="of so many agents")
    parser.add_argument(
        "--seeds", type=whole_numbers, default=[1, 2, 3], metavar="1,2,3", help="of the part experiences: its lives"
    )
    parser.add_argument(
        "--steps",
        type=whole_number,
        default=experiences.STEPS,
        metavar=str(experiences.STEPS),
        help=f"and how long they are, of {experiences.AGENTS} agents",
    )
    parser.add_argument("--past", type=whole_number, default=240, metavar="240", help="memories everybody has before")
    parser.add_argument("--orders", nargs="+", choices=list(TEMPLATES), default=list(TEMPLATES), help="these alone")
    parser.add_argument("--lexical", action="store_true", help="recall goes by words alone; no vectors are made")
    parser.add_argument("--seed", type=int, default=1, metavar="1", help="seed of all chance, the started model's too")


@bench("prompt", "how much of a prompt the model's server has read before, and how long a thought takes", _arguments)
def prompt(args: argparse.Namespace, say: Say) -> Report:
    name = "prompt" if args.parts == [THOUGHTS] else " ".join(["prompt", *args.parts])
    require_block(args.table, name)
    begun = time.perf_counter()
    record: dict[str, Any] = {"bench": "prompt"}
    tables: list[Table] = []
    words: list[str] = []
    with cached(None) as cache:
        if THOUGHTS in args.parts:
            rows = _thoughts(args, cache, say)
            record |= {"agents": args.agents, "past": args.past, "seed": args.seed, "orders": rows}
            tables.append(table(rows))
            words.append(told(rows, args.agents, args.past))
        if EXPERIENCES in args.parts:
            record["experiences"] = experiences.measure(
                args.vault, cache, args.seeds, args.steps, experiences.AGENTS, not args.lexical, say
            )
            tables.append(experiences.table(record["experiences"]))
            words.append(experiences.told(experiences.AGENTS, args.steps))
    record["seconds"] = round(time.perf_counter() - begun, 1)
    return Report(name, record, tables, " ".join([*words, f"It took {record['seconds']:.0f} s."]))


def _thoughts(args: argparse.Namespace, cache: Path, say: Say) -> list[dict[str, Any]]:
    rows = []
    for order in args.orders:
        with serving(args.host, args.seed) as host:
            plan = EveningPlan(
                args.vault, host, order, args.agents, args.thoughts, args.past, args.seed, not args.lexical
            )
            with household(plan, cache) as (parts, clock):
                rows.append(row_of(order, asyncio.run(live(plan, parts, clock, _progress(say, plan)))))
    return rows


def _progress(say: Say, plan: EveningPlan) -> Callable[[int, MeasuredThought | None], None]:
    def tell(number: int, thought: MeasuredThought | None) -> None:
        if thought is None:
            say(f"{plan.order}: everybody has a past of {plan.past} memories")
        elif number % 10 == 0 or number == plan.thoughts:
            say(f"{plan.order}: thought {number} of {plan.thoughts}, {thought.seconds:.1f} s")

    return tell
