"""Thoughts as training data, in the form of a chat or of a completion, from the traces: `export --training`."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from agents.mind.training import FORMS, OUTCOMES, Source, TrainingExport, Wanted, export_training, training_examples
from mud.cli import emit
from mud.errors import LociError
from mud.sanitize import visible
from mud.server.wiring import Parts, opened
from mud.storage.files import write_atomic
from mud.world.narration import counted


def training_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which thoughts are written, and how."""
    parser.add_argument("--form", choices=FORMS, default=FORMS[0], help="messages, or a prompt and its completion")
    parser.add_argument("--agent", metavar="NAME", help="thoughts of this agent alone")
    parser.add_argument("--brain", default="", metavar="NAME", help="lines that this brain decided")
    parser.add_argument("--outcome", choices=OUTCOMES, default="", help="how the line went")
    parser.add_argument("--whispers", action="store_true", help="also what agents thought once they held a secret")


def write_training(args: argparse.Namespace, file: Path) -> int:
    """Write the training data that `training_arguments` asked for, and print how much it was; return the exit code.

    Raises LociError; then the file is as it was.
    """
    wanted = Wanted(args.form, args.brain, args.outcome, args.whispers)
    with opened(args.vault, writable=False) as parts:
        exported = _write(parts, file, args.agent, wanted)
    if args.json:
        emit({"file": str(file), "count": exported.written, "private": exported.private})
    else:
        print(f"{visible(str(file))}: {counted(exported.written, 'thought')}; left out as private: {exported.private}")
    return 0


def _write(parts: Parts, file: Path, agent: str | None, wanted: Wanted) -> TrainingExport:
    minds, last = parts.minds, parts.engine.number
    agents = [minds.get(agent)] if agent else [minds.open(slug) for slug in sorted(minds.definitions)]
    sources: list[Source] = [
        partial(training_examples, one.name, one.id, one.traces, one.memory, last)
        for one in agents
        if not one.definition.person
    ]
    try:
        exported = export_training(sources, wanted)
        write_atomic(file.absolute(), exported.text)
    except OSError as error:
        raise LociError(f"{file} cannot be written: {error.strerror or error}") from None
    return exported
