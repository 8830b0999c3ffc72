"""`replay`: plays the ledger again and compares what comes of it. It takes no lock and writes nothing."""

from __future__ import annotations

import argparse

from mud.cli import emit, tool
from mud.errors import LociError
from mud.server.wiring import vault_in
from mud.simulation.replay import Replay
from mud.simulation.replay import replay as played_again
from mud.world.narration import counted


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--verify", action="store_true", help="compare each step with its record, and stop at the first difference"
    )


@tool("replay", "play the ledger again and compare the world that comes of it; exit 1 if it is another", _arguments)
def replay(args: argparse.Namespace) -> int:
    done = played_again(vault_in(args.vault), verify=args.verify)
    same = done.difference is None and done.state_hash == done.recorded_hash
    if args.json:
        found = done.difference
        emit({**done._asdict(), "same": same, "difference": found._asdict() if found is not None else None})
        return 0 if same else 1
    print(_told(done))
    if done.difference is not None:
        raise LociError(str(done.difference))
    if not same:
        raise LociError("the world is another than in the vault; --verify finds the first step that differs")
    return 0


def _told(done: Replay) -> str:
    steps = counted(max(0, done.last - done.first + 1), "step")
    anew = f"{steps}, of which {counted(done.lines, 'line')} carried out anew"
    before = f"; {counted(done.before, 'step')} before {done.first} cannot be, as the world then was not kept"
    return f"{anew}{before if done.before else ''}\nstate_hash {done.state_hash}"
