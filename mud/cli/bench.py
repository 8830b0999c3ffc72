"""`bench`: measure a part of Loci, so that its README need not be believed."""

from __future__ import annotations

import argparse
from pathlib import Path

from mud.cli._tool import emit, folder, progress, tool
from mud.registry import load
from tests.benchmarks._bench import Bench, write_block


def _arguments(parser: argparse.ArgumentParser) -> None:
    """Add a command of its own for every bench; what stands before its name may stand behind it too."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--vault", type=folder, metavar="DIR", help="the vault whose settings and texts are used")
    common.add_argument("--json", action="store_true", help="print one JSON object")
    common.add_argument("--table", type=Path, metavar="FILE", help="write the tables between their marks in this file")
    parser.set_defaults(table=None)
    names = parser.add_subparsers(dest="bench", metavar="NAME", required=True)
    for one in load("tests.benchmarks", Bench, "bench"):
        own = names.add_parser(one.name, parents=[common], help=one.help, description=one.help)
        one.add_arguments(own)


@tool("bench", "measure a part of Loci", _arguments)
def bench(args: argparse.Namespace) -> int:
    """Print what a bench found out."""
    report = load("tests.benchmarks", Bench, "bench").get(args.bench).run(args, progress)
    if args.table is not None:
        write_block(args.table, report)
    if args.json:
        emit(report.record)
    else:
        print(report)
    return 0
