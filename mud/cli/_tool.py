"""What a command of the command line is, and how it prints."""

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
    """A command of the command line.

    Args:
        name: what is typed.
        help: one sentence.
        add_arguments: adds its own arguments to its parser; `--vault` and `--json` are there already.
        run: does it and returns the exit code.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Run


def tool(name: str, help: str, add_arguments: Callable[[argparse.ArgumentParser], None]) -> Callable[[Run], Tool]:
    """Make a function a command of the command line."""
    return lambda run: Tool(name, help, add_arguments, run)


def folder(text: str) -> Path:
    """Return the folder that an argument names.

    Raises:
        LociError: it names none; an empty variable of a shell must not mean the folder that one happens to be in.
    """
    if not text.strip():
        raise LociError("--vault takes a folder, and was given nothing")
    return Path(text)


def agent_argument(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names an agent."""
    parser.add_argument("agent", metavar="AGENT", help="name, slug or id of the agent, in any case")


def tell_links(vault: Path) -> None:
    """Tell on stderr which links are followed out of a vault; that is no mistake."""
    if notice := links_out(vault):
        print(f"loci: {notice}", file=sys.stderr)


def shown(problem: Problem) -> dict[str, Any]:
    """Return a problem as `--json` shows it."""
    return asdict(problem) | {"file": visible(problem.file), "message": visible(problem.message)}


def emit(record: Mapping[str, Any]) -> None:
    """Print one JSON object on a line of its own."""
    print(json.dumps(record, ensure_ascii=False), flush=True)


def progress(text: str) -> None:
    """Say on stderr how far a long command is."""
    print(text, file=sys.stderr, flush=True)


class VectorProgress:
    """Says on stderr how many documents have their vectors, at every tenth of them; nothing where all have theirs."""

    def __init__(self) -> None:
        self._said = -1

    def __call__(self, done: int, total: int) -> None:
        """Take note; say it when another tenth is done."""
        tenth = 10 * done // max(1, total)
        news = tenth > self._said and (self._said >= 0 or done < total)
        self._said = max(self._said, tenth)
        if news:
            progress(f"vectors: {done} of {total}")
