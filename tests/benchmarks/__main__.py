"""`python -m tests.benchmarks NAME`: measure a part of Loci, so that its README need not be believed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mud.cli import emit, folder, progress
from mud.errors import LociError
from mud.registry import load
from tests.benchmarks._bench import Bench, write_block


def _parser(benches: list[Bench]) -> argparse.ArgumentParser:
    """Return the parser, with a command for every bench; the options of all may stand before and behind its name."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", parents=[_common()], description=__doc__)
    parser.set_defaults(vault=Path("vault"), json=False, table=None)
    names = parser.add_subparsers(dest="bench", metavar="NAME", required=True)
    for one in benches:
        one.add_arguments(names.add_parser(one.name, parents=[_common()], help=one.help, description=one.help))
    return parser


def _common() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--vault", type=folder, metavar="DIR", help="the vault whose settings and texts are used")
    common.add_argument("--json", action="store_true", help="print one JSON object")
    common.add_argument("--table", type=Path, metavar="FILE", help="write the tables between their marks in this file")
    return common


def main(argv: list[str]) -> int:
    benches = load("tests.benchmarks", Bench, "bench")
    try:
        args = _parser(list(benches)).parse_args(argv)
        report = benches.get(args.bench).run(args, progress)
        if args.table is not None:
            write_block(args.table, report)
    except SystemExit as ended:  # wrong usage, or help
        return int(ended.code or 0)
    except LociError as error:
        print(f"loci: {error}", file=sys.stderr)
        return 1
    if args.json:
        emit(report.record)
    else:
        print(report)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
