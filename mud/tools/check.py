"""`check`: every mistake in the vault, with file, line and key."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict

from agents.memory.scan import damaged
from mud.build import Parts, opened, vault_in
from mud.errors import Problem, VaultProblem
from mud.links import leads_elsewhere
from mud.phrases import check_texts
from mud.storage.texts import TextStore
from mud.tools._tool import emit, tool


def _no_arguments(parser: argparse.ArgumentParser) -> None:
    """`check` takes the vault and nothing else."""


@tool("check", "say what is wrong in the vault, file by file; exit 1 if anything is", _no_arguments)
def check(args: argparse.Namespace) -> int:
    """Print every problem; nothing when there is none."""
    vault = vault_in(args.vault)
    try:
        with opened(vault, writable=False) as parts:
            problems = [*parts.problems, *check_texts(parts.texts), *_archives(parts)]
    except VaultProblem as wrong:
        texts = TextStore(vault / "text")
        texts.load()
        problems = [*wrong.problems, *check_texts(texts)]
    known = {problem.file for problem in problems}
    problems += [one for one in leads_elsewhere(vault) if one.file not in known]
    for problem in problems:
        _print(problem, json=args.json)
    return 1 if problems else 0


def _archives(parts: Parts) -> Iterator[Problem]:
    """Yield the lines of archives that cannot be read; what they held is lost, and their neighbours are not."""
    for slug in sorted(parts.minds.definitions):
        try:
            for file, line in damaged(parts.vault / "agents" / slug / "archive"):
                yield Problem(f"agents/{slug}/archive/{file}", line, "", "this line cannot be read")
        except OSError as error:
            yield Problem(f"agents/{slug}/archive", 0, "", f"it cannot be read: {error.strerror or error}")


def _print(problem: Problem, *, json: bool) -> None:
    if json:
        emit(asdict(problem))
    else:
        print(problem)
