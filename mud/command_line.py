"""The command line: arguments and error messages. All commands but `run` are in `mud.cli`."""

from __future__ import annotations

import argparse
import errno
import io
import logging
import os
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from mud.errors import LociError
from mud.process import unwritten
from mud.registry import plug_in_names
from mud.sanitize import VisibleFormatter, visible

_PROGRAM = "python -m mud"
NO_THREAD = "can't start new thread"
_RUN = "open the world and walk in (the default)"
DOORS = {"telnet": "off", "telnet_tls": "off", "web": "8000 at a terminal, else off"}
"""Ways in over the network, and the ports that they have when none is given."""
_DOOR_OPTIONS = {door: f"--{door.replace('_', '-')}" for door in DOORS}
_TAKE_A_VALUE = ("--vault", "--allow-env", "--as", "--seconds", "--brain", "--seed", "--minds", *_DOOR_OPTIONS.values())
"""Options of `run` with a value, which must not be taken for a command."""


def _port(text: str) -> int:
    """Return the number of a port; 0 for `off`."""
    if text == "off":
        return 0
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; expected a number from 1 to 65535, or off")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, for `--help` and unknown commands."""
    from mud.cli import Tool
    from mud.registry import load

    parser = argparse.ArgumentParser(prog=_PROGRAM, description="Loci: a text world whose people remember.")
    tools = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    tools.add_parser("run", help=_RUN)
    for one in load("mud.cli", Tool, "command"):
        tools.add_parser(one.name, help=one.help)
    return parser


def _parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command. Importing all of them would double the time of the start."""
    from mud.cli import Tool, folder
    from mud.registry import load

    tool = load("mud.cli", Tool, "command", [name.replace("-", "_")]).get(name) if name != "run" else None
    parser = argparse.ArgumentParser(prog=f"{_PROGRAM} {name}", description=tool.help if tool else _RUN)
    if tool is None or tool.of_a_vault:
        its = "the vault (default: vault)"
        parser.add_argument("--vault", type=folder, default=Path("vault"), metavar="DIR", help=its)
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument(
        "--allow-env",
        action="append",
        default=[],
        metavar="NAME",
        help="an environment variable that the vault may use as a key (api_key_env); may be given several times",
    )
    (tool.add_arguments if tool else _add_run)(parser)
    parser.set_defaults(run=tool.run if tool else _run)
    return parser


def _parsed(words: list[str]) -> argparse.Namespace:
    """Parse the arguments of the first word's command; options may stand between the others."""
    if words[0] not in _names():
        return _parser().parse_args(words)
    return _parser_of(words[0]).parse_intermixed_args(words[1:])


def _add_run(run: argparse.ArgumentParser) -> None:
    run.add_argument("--as", dest="name", metavar="NAME", help="your name (a terminal asks, else it is Visitor)")
    run.add_argument("--headless", action="store_true", help="no player of your own; what happens is printed")
    run.add_argument(
        "--plain",
        action=argparse.BooleanOptionalAction,
        help="line by line also on a terminal, or never there; a pipe always is",
    )
    for door, option in _DOOR_OPTIONS.items():
        shown = f"port for {option[2:]} (default: {DOORS[door]})"
        run.add_argument(option, type=_port, metavar="PORT/off", help=shown)
    run.add_argument("--seconds", type=float, metavar="N", help="end after N seconds")
    run.add_argument("--no-agents", action="store_true", help="nobody thinks; characters and memories are there")
    run.add_argument(
        "--brain",
        metavar="NAME",
        help="the brain of every agent, whatever agent.md says: auto, instinct, language, remote",
    )
    run.add_argument("--seed", type=int, metavar="N", help="seed of all chance")
    run.add_argument("--exact", action="store_true", help="agents live turn by turn also where nobody can see them")
    run.add_argument(
        "--minds",
        metavar="NAME",
        help="where minds live; see docs/hosts.md (default: as config/hosts.md says)",
    )


def _run(args: argparse.Namespace) -> int:
    from mud.server.app import Options, run

    if args.seconds is not None and not args.seconds > 0:
        raise LociError("--seconds takes a number above 0")
    if args.json and not args.headless:
        raise LociError("--json is for run --headless; a player is shown plain text")
    agents = not args.no_agents
    ports = {door: port for door in DOORS if (port := getattr(args, door)) is not None}
    how = (args.headless, args.seconds, agents, args.brain, args.seed, args.json, args.plain, ports)
    return run(Options(args.vault, args.name, *how, exact=args.exact, minds=args.minds))


def _command_first(argv: list[str]) -> list[str]:
    """Move the command to the front, as in `--vault X status`; without a command it is `run`."""
    if argv and argv[0] in ("-h", "--help"):
        return argv
    named = _names()
    for at, word in enumerate(argv):
        if not word.startswith("-") and (at == 0 or argv[at - 1] not in _TAKE_A_VALUE):
            return [word, *argv[:at], *argv[at + 1 :]] if word in named or at == 0 else ["run", *argv]
    return ["run", *argv]


def _names() -> set[str]:
    return {*(name.replace("_", "-") for name in plug_in_names("mud.cli")), "run"}


def main(argv: list[str]) -> int:
    """Run one command; return 0 for success, 1 for an error, 2 for wrong usage."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for characters that the terminal lacks
    if logging.lastResort is not None:  # for commands without a log
        logging.lastResort.setFormatter(VisibleFormatter())
    code, wrong = 1, ""
    try:
        check_room()
        check_packages()  # before any import that needs one
        args = _parsed(_command_first(argv))
        if args.allow_env:
            from agents.llm.profiles import allow

            allow(args.allow_env)
        code = args.run(args)
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BrokenPipeError:
        code = 0  # the reader of the output has gone
    except (LociError, OSError, MemoryError, RuntimeError) as error:
        wrong = _sentence(error)
    unshown = unwritten()
    if unshown is not None:
        gone = unshown.errno in (errno.EPIPE, errno.EIO)  # the reader of a pipe or a terminal has gone
        code, wrong = (0, "") if gone else (1, f"stdout does not take what is shown: {_sentence(unshown)}")
    if wrong:
        for line in wrong.split("\n"):
            print(f"loci: {visible(line)}", file=sys.stderr)
    return code


def _sentence(error: Exception) -> str:
    """Return the message for an error that ended a command; raises unknown RuntimeErrors again."""
    match error:
        case MemoryError():
            return "there is too little memory for this (ulimit -v)"
        case OSError():
            why = error.strerror or str(error)
            limit = " (ulimit -n)" if error.errno == errno.EMFILE else ""
            return f"{error.filename}: {why}{limit}" if error.filename else why + limit
        case RuntimeError() if str(error) == NO_THREAD:
            return "the system starts no further thread: there is too little memory, or too many run (ulimit -u)"
        case RuntimeError():
            raise error
    return str(error)


_AS_NAMED = [
    "httpx", "orjson", "chromadb", "asyncinotify", "numpy", "tokenizers", "onnx", "onnxruntime", "prompt_toolkit",
    "cryptography", "starlette", "telnetlib3", "textual", "uvicorn", "websockets",
]  # fmt: skip
NEEDED = {
    "pyyaml": "yaml", "python-frontmatter": "frontmatter", "argon2-cffi": "argon2",
    "prometheus-client": "prometheus_client", "opentelemetry-sdk": "opentelemetry",
    "opentelemetry-exporter-otlp-proto-grpc": "opentelemetry", **{name: name for name in _AS_NAMED},
}  # fmt: skip
"""The packages in pyproject.toml, with their import names."""


ROOM = 16  # files that must be free to open; an event loop alone needs several


def check_room() -> None:
    """Check that `ROOM` more files can be opened. Raises LociError."""
    with ExitStack() as opened:
        try:
            for _ in range(ROOM):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            raise LociError(f"{error.strerror}: expected room for {ROOM} more (ulimit -n)") from None


def check_packages() -> None:
    """Check that all packages can be imported, and that `agents` is not another one's. Raises LociError."""
    if sys.flags.optimize > 1:
        raise LociError(
            "Python was told to drop docstrings (-OO, PYTHONOPTIMIZE=2), which are Loci's help; use -O at most"
        )
    missing = [name for name, module in NEEDED.items() if find_spec(module) is None]
    if missing:
        raise LociError(
            f"{sys.executable} lacks packages that Loci needs ({', '.join(missing)}); "
            "make run installs them once, into .venv; then start it with .venv/bin/python -m mud"
        )
    ours = Path(__file__).resolve().parent.parent / "agents"
    spec = find_spec("agents")
    found = Path(spec.origin or "").resolve().parent if spec is not None else None
    if found != ours:
        raise LociError(
            f"Python found another package called agents, in {found}; Loci's own is {ours}. "
            "Start it with python -m mud from its own folder, without -P and PYTHONSAFEPATH."
        )
