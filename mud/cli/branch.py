"""`branch`: makes a new vault of a vault, as it is now or as it was after a step. It takes no lock."""

from __future__ import annotations

import argparse
from pathlib import Path

from mud.cli import emit, tool
from mud.sanitize import visible
from mud.server.branching import branch as branched
from mud.server.branching import rewind
from mud.server.wiring import opened, vault_in
from mud.world.narration import counted


def _step(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < len(text) <= 12 and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is wrong; expected the number of a step, from 1 on")
    return int(text)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="the new vault; a new name, or an empty folder")
    parser.add_argument("--step", type=_step, metavar="N", help="as the vault was after this step (default: as it is)")


@tool("branch", "make a new vault of --vault, as it is now or was after a step; both live on", _arguments)
def branch(args: argparse.Namespace) -> int:
    vault = vault_in(args.vault)
    if args.step is None:
        done = branched(vault, args.folder)
    else:
        with opened(vault, writable=False) as parts:
            done = rewind(parts, args.folder, args.step)
    if args.json:
        emit({**done._asdict(), "vault": str(args.folder)})
    else:
        shown = visible(str(args.folder))
        print(
            f"{shown} is a vault at step {done.step} now: {counted(done.files, 'file')}, {done.shared:,} of them shared"
        )
    return 0
