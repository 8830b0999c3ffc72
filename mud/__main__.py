"""`python -m mud`: arguments, nothing else."""

from __future__ import annotations

import argparse
import io
import os
import sys
from pathlib import Path

from mud.errors import LociError
from mud.packages import check_packages
from mud.registry import plug_in_names

_PROGRAM = "python -m mud"
_RUN = "open the world and walk in (the default)"
_TAKE_A_VALUE = ("--vault", "--as", "--seconds", "--brain", "--seed", "--telnet", "--web")
"""Options of `run` before a value that is no command."""


def _off(text: str) -> str:
    if text != "off":
        raise argparse.ArgumentTypeError("only off for now; this door is not built yet")
    return text


def _parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, for `--help` and for a name that none has."""
    from mud.registry import load
    from mud.tools._tool import Tool

    parser = argparse.ArgumentParser(prog=_PROGRAM, description="Loci: a text world whose people remember.")
    tools = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    tools.add_parser("run", help=_RUN)
    for one in load("mud.tools", Tool, "command"):
        tools.add_parser(one.name, help=one.help)
    return parser


def _parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command; the others' own imports are half of its start."""
    from mud.registry import load
    from mud.tools._tool import Tool, folder

    tool = load("mud.tools", Tool, "command", [name]).get(name) if name != "run" else None
    parser = argparse.ArgumentParser(prog=f"{_PROGRAM} {name}", description=tool.help if tool else _RUN)
    parser.add_argument("--vault", type=folder, default=Path("vault"), metavar="DIR", help="the vault (default: vault)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    (tool.add_arguments if tool else _add_run)(parser)
    parser.set_defaults(run=tool.run if tool else _run)
    return parser


def _parsed(words: list[str]) -> argparse.Namespace:
    """Return the arguments of the command that stands first; options may stand between the others."""
    if words[0] not in _names():
        return _parser().parse_args(words)
    parser = _parser_of(words[0])
    try:
        return parser.parse_intermixed_args(words[1:])
    except TypeError:  # it has commands of its own, before which argparse takes options only
        return parser.parse_args(words[1:])


def _add_run(run: argparse.ArgumentParser) -> None:
    run.add_argument("--as", dest="name", default="Visitor", metavar="NAME", help="your name (default: Visitor)")
    run.add_argument("--headless", action="store_true", help="no player of your own; what happens is printed")
    run.add_argument("--telnet", type=_off, default="off", metavar="PORT/off", help="only off for now")
    run.add_argument("--web", type=_off, default="off", metavar="PORT/off", help="only off for now")
    run.add_argument("--seconds", type=float, metavar="N", help="end after N seconds")
    run.add_argument("--no-agents", action="store_true", help="nobody thinks; characters and memories are there")
    run.add_argument(
        "--brain", metavar="NAME", help="the brain of every agent, whatever agent.md says: auto, instinct or language"
    )
    run.add_argument("--seed", type=int, metavar="N", help="seed of all chance")


def _run(args: argparse.Namespace) -> int:
    from mud.app import Options, run

    if args.seconds is not None and not args.seconds > 0:
        raise LociError("--seconds takes a number above 0")
    if args.json and not args.headless:
        raise LociError("--json is for run --headless; a player is shown plain text")
    return run(
        Options(
            vault=args.vault,
            name=args.name,
            headless=args.headless,
            seconds=args.seconds,
            agents=not args.no_agents,
            brain=args.brain,
            seed=args.seed,
            json=args.json,
        )
    )


def _command_first(argv: list[str]) -> list[str]:
    """Return the arguments with the command in front: `run` when none is named, and `--vault X status` means status."""
    if argv and argv[0] in ("-h", "--help"):
        return argv
    named = _names()
    for at, word in enumerate(argv):
        if not word.startswith("-") and (at == 0 or argv[at - 1] not in _TAKE_A_VALUE):
            return [word, *argv[:at], *argv[at + 1 :]] if word in named or at == 0 else ["run", *argv]
    return ["run", *argv]


def _names() -> set[str]:
    return {*plug_in_names("mud.tools"), "run"}


def main(argv: list[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 a clear error, 2 wrong usage."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a sign that this terminal has not must not end a command
    try:
        check_packages()  # before anything is imported that needs one
        words = _command_first(argv)
        args = _parsed(words)
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except LociError as error:
        print(f"loci: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; what Python would still flush to it must not fail either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a full disk, a file that cannot be written
        print(f"loci: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
