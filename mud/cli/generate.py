"""`generate`: makes a vault with a world made up: places in districts, things, people who live and work there."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from random import SystemRandom

from mud.cli import emit, tool
from mud.sanitize import visible
from mud.server.generating import WorldPlan
from mud.server.generating import generate as generated
from mud.server.wiring import vault_in
from mud.world.narration import counted

MOST_PLACES, MOST_AGENTS = 5_000, 20_000
FRESH = 1 << 31  # random seeds are below this


def _number(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is wrong; expected a whole number from {low} to {high}")
        return int(text)

    return read


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="the new vault; a new name, or an empty folder")
    parser.add_argument("--locations", type=_number(1, MOST_PLACES), required=True, metavar="N", help="how many places")
    parser.add_argument(
        "--agents", type=_number(0, MOST_AGENTS), metavar="M", help="how many people (default: one for two places)"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="seed of all chance: the same files again")


@tool("generate", "make a vault with a world made up, with the settings and texts of --vault", _arguments)
def generate(args: argparse.Namespace) -> int:
    seed = args.seed if args.seed is not None else SystemRandom().randrange(FRESH)
    people = args.agents if args.agents is not None else args.locations // 2
    counts = generated(vault_in(args.vault), args.folder, WorldPlan(args.locations, people, seed))
    if args.json:
        emit({"vault": str(args.folder), "seed": seed, **counts})
    else:
        shown = visible(str(args.folder))
        told = ", ".join(counted(count, name.removesuffix("s"), name) for name, count in counts.items())
        print(f"{shown} is a vault now (seed {seed}): {told}; python -m mud run --vault {shown} opens it.")
    return 0
