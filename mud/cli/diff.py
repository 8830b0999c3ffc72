"""`diff`: compares two vaults, such as branches of one. It takes no lock and writes nothing."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mud.cli import emit, tool
from mud.sanitize import visible
from mud.server.wiring import opened, vault_in
from mud.simulation.differences import (
    MemoryDifference,
    Parting,
    ThingDifference,
    memory_differences,
    parting,
    thing_differences,
)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="VAULT_A", type=Path, help="a vault")
    parser.add_argument("b", metavar="VAULT_B", type=Path, help="another one")


HELP = "say where two vaults part, and in which things and memories they differ; exit 1 if in any"


@tool("diff", HELP, _arguments, of_a_vault=False)
def diff(args: argparse.Namespace) -> int:
    found = 0
    for one in _differences(args.a, args.b):
        if args.json:
            emit({"kind": _KINDS[type(one)], **one._asdict()})
        else:
            print(_worded(one, visible(str(args.a)), visible(str(args.b))))
        found += not isinstance(one, Parting)
    return 1 if found else 0


_KINDS = {Parting: "parting", ThingDifference: "thing", MemoryDifference: "memory"}


def _differences(a: Path, b: Path) -> Iterator[Parting | ThingDifference | MemoryDifference]:
    with opened(vault_in(a), writable=False) as here, opened(vault_in(b), writable=False) as there:
        yield parting(here.vault, there.vault)
        yield from thing_differences(here.engine.world, there.engine.world)
        yield from memory_differences(here, there)


def _worded(one: Parting | ThingDifference | MemoryDifference, a: str, b: str) -> str:
    match one:
        case Parting():
            same = f"they are the same up to step {one.step}" if one.step else "they have no step in common"
            return f"{same}; {a} goes to step {one.a}, {b} to step {one.b}"
        case ThingDifference():
            if not one.key:
                return visible(f"{one.name} ({one.thing}): only in {a if one.b is None else b}")
            return visible(f"{one.name} ({one.thing}): {one.key}: {_value(one.a)} | {_value(one.b)}")
        case MemoryDifference():
            return visible(f"{one.agent}: memory {one.seq}, only in {a if one.vault == 'a' else b}: {one.text}")


def _value(value: Any) -> str:
    return "-" if value is None else str(value)
