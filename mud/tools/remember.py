"""`remember`: give an agent memories in bulk, from a file of JSON lines, folding as it goes."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agents.agent import Agent
from agents.memory.entries import entry_from_record
from mud.build import Parts, opened
from mud.bulk import live_through, newcomer
from mud.engine import WorldSettings
from mud.errors import LociError, Problem, VaultProblem
from mud.tools._tool import VectorProgress, agent_argument, emit, progress, tool


def _arguments(parser: argparse.ArgumentParser) -> None:
    agent_argument(parser)
    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="a memory a line: text, at kind actor place")
    parser.add_argument("--create", action="store_true", help="make the agent when there is none of that name")
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the vectors")


@tool("remember", "append memories to an agent's life in bulk, folding as it goes", _arguments)
def remember(args: argparse.Namespace) -> int:
    """Append every memory of the file, or none when a line is wrong."""
    records = list(_read(args.file))
    with opened(args.vault, writable=True) as parts:
        agent = _agent(parts, args.agent, create=args.create)
        started = time.perf_counter()
        record = asyncio.run(_remember(parts, agent, records, wait=not args.no_wait))
        record["seconds"] = round(time.perf_counter() - started, 3)
    if args.json:
        emit(record)
    else:
        print(f"{agent.name}: {record['count']} memories, {record['compactions']} folds, {record['seconds']} s")
    return 0


def _read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file, after all of them have been checked.

    Raises:
        LociError: the file cannot be read.
        VaultProblem: every line that is wrong.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # other line ends may stand raw inside a text
    except (OSError, UnicodeDecodeError) as error:
        raise LociError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from None
    problems: list[Problem] = []
    records: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise ValueError('expected an object, such as {"text": "..."}')
            entry_from_record(record, 1, "2026-01-01T00:00:00.000Z", 0)
            records.append(record)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(path.name, number, "", str(error)))
    if problems:
        raise VaultProblem(problems)
    yield from records


def _agent(parts: Parts, name: str, *, create: bool) -> Agent:
    if parts.minds.find(name) is None and create:
        return newcomer(parts, name, parts.configuration.get(WorldSettings).start_location)
    return parts.minds.get(name)


async def _remember(parts: Parts, agent: Agent, records: list[dict[str, Any]], *, wait: bool) -> dict[str, Any]:
    """Append, fold whatever falls due, and index."""
    memory, before = agent.memory, agent.memory.compactions
    first = memory.total + 1
    await parts.recall.start(vectors=wait)
    try:
        await live_through(parts, agent, records)
        if wait and not await parts.recall.complete(VectorProgress()):
            progress(f"the vectors are missing: {parts.recall.trouble or 'they are switched off'}")
    finally:
        await parts.recall.stop()
    return {
        "first": first if records else None,
        "last": memory.total if records else None,
        "count": memory.total - first + 1,
        "compactions": memory.compactions - before,
    }
