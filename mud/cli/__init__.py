"""The command line, one file per command (but for `run`, which is `mud.server.app` itself).

To add one, write a module here with a function `@tool("name", "help", add_arguments)` that takes the parsed arguments,
prints to stdout what was asked for (with `--json` one object a line), and returns the exit code. Progress and logs go
to stderr; a `LociError` that it raises becomes one clear line and exit code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from mud.errors import LociError, Problem
from mud.sanitize import visible
from mud.server.links import links_out

Run = Callable[[argparse.Namespace], int]


class Tool(NamedTuple):
    """A command.

    Args:
        run: returns the exit code.
        of_a_vault: its parser has `--vault`, as every parser has `--json`.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Run
    of_a_vault: bool = True


def tool(
    name: str,
    help: str,
    add_arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
    *,
    of_a_vault: bool = True,
) -> Callable[[Run], Tool]:
    return lambda run: Tool(name, help, add_arguments, run, of_a_vault)


def folder(text: str) -> Path:
    """Return the folder that an argument names; an empty one is an error, since it must not mean the current folder."""
    if not text.strip():
        raise LociError("--vault takes a folder, and was given nothing")
    return Path(text)


def agent_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="AGENT", help="name, slug or id of the agent, in any case")


def tell_links(vault: Path) -> None:
    """Print on stderr which links are followed out of a vault."""
    if notice := links_out(vault):
        print(f"loci: {notice}", file=sys.stderr)


def shown(problem: Problem) -> dict[str, Any]:
    return asdict(problem) | {"file": visible(problem.file), "message": visible(problem.message)}


def emit(record: Mapping[str, Any]) -> None:
    print(json.dumps(record, ensure_ascii=False), flush=True)


def progress(text: str) -> None:
    """Print on stderr how far a long command is."""
    print(text, file=sys.stderr, flush=True)


class VectorProgress:
    """Prints on stderr at every tenth how many documents have vectors; nothing if all had theirs at the start."""

    def __init__(self) -> None:
        self._said = -1

    def __call__(self, done: int, total: int) -> None:
        tenth = 10 * done // max(1, total)
        news = tenth > self._said and (self._said >= 0 or done < total)
        self._said = max(self._said, tenth)
        if news:
            progress(f"vectors: {done} of {total}")
