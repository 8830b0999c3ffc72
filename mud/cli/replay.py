"""`replay`: plays the ledger again and compares what comes of it. It takes no lock and writes nothing."""

from __future__ import annotations

import argparse

from mud.cli import emit, tool
from mud.errors import LociError
from mud.server.wiring import vault_in
from mud.simulation.replay import Replay
from mud.simulation.replay import replay as played_again
from mud.world.narration import counted

_SHOWN = 5  # files that a message names


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--verify", action="store_true", help="compare each step with its record, and stop at the first difference"
    )


@tool("replay", "play the ledger again and compare the world that comes of it; exit 1 if it is another", _arguments)
def replay(args: argparse.Namespace) -> int:
    done = played_again(vault_in(args.vault), verify=args.verify)
    if args.json:
        found = done.difference
        emit({**done._asdict(), "same": done.same, "difference": found._asdict() if found is not None else None})
        return 0 if done.same else 1
    print(_told(done))
    if not done.same:
        raise LociError(_another(done, verified=args.verify))
    return 0


def _another(done: Replay, *, verified: bool) -> str:
    """Return why the world that came of it is another one."""
    if done.edited and verified:
        more = f" and {len(done.edited) - _SHOWN} more" if len(done.edited) > _SHOWN else ""
        return (
            f"each step is as it was recorded, but files of the world are others now than after the last one: "
            f"{', '.join(done.edited[:_SHOWN])}{more}; mend what the command check names, then start the world once, "
            "which takes up the rest (--json has what differs)"
        )
    if done.difference is not None:
        return str(done.difference)
    return "the world is another than in the vault; --verify finds the first step that differs, or the files that do"


def _told(done: Replay) -> str:
    steps = counted(max(0, done.last - done.first + 1), "step")
    anew = f"{steps}, of which {counted(done.lines, 'line')} carried out anew"
    before = f"; {counted(done.before, 'step')} before {done.first} cannot be, as the world then was not kept"
    return f"{anew}{before if done.before else ''}\nstate_hash {done.state_hash}"
