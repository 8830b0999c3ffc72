"""`simulate`: runs a world on virtual time without a model, and prints figures."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from math import inf
from random import SystemRandom
from typing import Any

from mud.cli import emit, progress, tool
from mud.simulation.run import SimulationPlan
from mud.simulation.run import simulate as simulated

FRESH = 1 << 31  # random seeds are below this


def _steps(text: str) -> int:
    try:
        steps = int(text)
    except ValueError:
        steps = 0
    if steps < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is wrong; expected a whole number from 1 on")
    return steps


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not minutes > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is wrong; expected a number above 0")
    return minutes


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--steps", type=_steps, required=True, metavar="N", help="lines that agents submit in all")
    parser.add_argument("--minutes", type=_minutes, default=inf, metavar="T", help="end after so much of its time too")
    parser.add_argument("--agents", type=int, metavar="M", help="make up agents until there are so many")
    parser.add_argument(
        "--seed", type=int, metavar="S", help="seed of all chance: the same world again; else a new one"
    )
    parser.add_argument("--exact", action="store_true", help="turn by turn, as if somebody watched all agents")
    parser.add_argument("--keep", action="store_true", help="live in the vault itself, not in a copy")


@tool("simulate", "let the world live on virtual time, without a model, and say what came of it", _arguments)
def simulate(args: argparse.Namespace) -> int:
    seed = args.seed if args.seed is not None else SystemRandom().randrange(FRESH)
    plan = SimulationPlan(args.vault, args.steps, args.agents, seed, args.keep, exact=args.exact, minutes=args.minutes)
    record = simulated(plan, progress)
    if args.json:
        emit(record)
    else:
        print(_told(record))
    return 0


def _told(record: Mapping[str, Any]) -> str:
    width = max(map(len, record))
    return "\n".join(f"{name:<{width}}  {value if value is not None else '-'}" for name, value in record.items())
