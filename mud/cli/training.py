"""`training`: writes thoughts as training data, in the form of a chat or of a completion, from the traces."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from agents.agent import Agent
from agents.mind.training import FORMS, OUTCOMES, Exported, TrainingExample, Wanted, export_training, training_examples
from mud.cli import emit, tool
from mud.errors import LociError
from mud.server.wiring import Parts, opened
from mud.storage.files import write_atomic

HELP = "write what models were asked and replied as training data; what was told in confidence stays out"


def training_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--form", choices=FORMS, default="chat", help="messages, or a prompt and its completion")
    parser.add_argument("--agent", metavar="NAME", help="thoughts of this agent alone")
    parser.add_argument("--brain", default="", metavar="NAME", help="lines that this brain decided")
    parser.add_argument("--outcome", choices=OUTCOMES, default="", help="how the line went")
    parser.add_argument("--whispers", action="store_true", help="also what agents thought once they held a secret")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="the file to write")
    training_arguments(parser)


@tool("training", HELP, _arguments)
def training(args: argparse.Namespace) -> int:
    with opened(args.vault, writable=False) as parts:
        exported = write_training(parts, args.file, args.agent, wanted_by(args))
    if args.json:
        emit({"file": str(args.file), "count": exported.written, "private": exported.private})
    else:
        print(f"{exported.written} examples in {args.file}; {exported.private} left out as private")
    return 0


def wanted_by(args: argparse.Namespace) -> Wanted:
    return Wanted(args.form, args.brain, args.outcome, args.whispers)


def write_training(parts: Parts, file: Path, agent: str | None, wanted: Wanted) -> Exported:
    """Write the training data of one agent or of all into a file. Raises LociError; then the file is as it was."""
    minds = parts.minds
    agents = [minds.get(agent)] if agent else [minds.open(slug) for slug in sorted(minds.definitions)]
    try:
        exported = export_training([partial(_examples, one) for one in agents if not one.definition.person], wanted)
        write_atomic(file.absolute(), exported.text)
    except OSError as error:
        raise LociError(f"{file} cannot be written: {error.strerror or error}") from None
    return exported


def _examples(agent: Agent) -> Iterator[TrainingExample]:
    return training_examples(agent.name, agent.id, agent.traces, agent.memory)
