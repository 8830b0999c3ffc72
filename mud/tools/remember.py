"""`remember`: give an agent memories in bulk, from a file of JSON lines, folding as it goes."""

from __future__ import annotations

import argparse
import asyncio
import codecs
import json
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from agents.agent import Agent
from agents.memory.entries import RECORD_KEYS, check_record
from mud.build import Parts, opened
from mud.bulk import live_through, newcomer
from mud.engine import WorldSettings
from mud.errors import LociError, Problem, VaultProblem
from mud.storage.settings import unknown_key
from mud.tools._tool import VectorProgress, agent_argument, emit, progress, tool
from mud.world.narration import counted


def _arguments(parser: argparse.ArgumentParser) -> None:
    agent_argument(parser)
    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="a memory a line: text, at kind actor place")
    parser.add_argument("--create", action="store_true", help="make the agent when there is none of that name")
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the vectors")


@tool("remember", "append memories to an agent's life in bulk, folding as it goes", _arguments)
def remember(args: argparse.Namespace) -> int:
    """Append every memory of the file, or none when a line is wrong."""
    with _open(args.file) as file:
        count = _check(file, args.file.name)
        with opened(args.vault, writable=True) as parts:
            if not count and args.create and parts.minds.find(args.agent) is None:
                raise LociError(f"there is nothing to remember in {args.file.name}, and nobody was made")
            agent = _agent(parts, args.agent, create=args.create)
            started = time.perf_counter()
            record = asyncio.run(_remember(parts, agent, _records(file), wait=not args.no_wait))
            record["seconds"] = round(time.perf_counter() - started, 3)
    for warning in agent.memory.warnings:
        progress(warning)
    if args.json:
        emit(record)
    elif not count:
        print(f"There is nothing to remember in {args.file.name}.")
    else:
        lived, folds = counted(record["count"], "memory", "memories"), counted(record["compactions"], "fold")
        print(f"{agent.name}: {lived}, {folds}, {record['seconds']} s")
    return 0


def _open(path: Path) -> BinaryIO:
    """Open a file to be read twice, as it may be longer than what fits into RAM; a pipe is copied first.

    Raises:
        LociError: it cannot be read.
    """
    try:
        file = path.open("rb")
        if file.seekable():
            return file
        with file:
            copy = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  (whoever asked closes it)
            shutil.copyfileobj(file, copy)
            return copy
    except OSError as error:
        raise LociError(f"{path} cannot be read: {error.strerror or error}") from None


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank, with their numbers; other line ends may stand raw inside a text."""
    file.seek(0)
    for number, line in enumerate(file, 1):
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if not line.isspace() and line:
            yield number, line


def _check(file: BinaryIO, name: str) -> int:
    """Make sure that every line of a file is a memory, and return how many there are.

    A key that nothing reads is told once, where it stands first: lines may come from elsewhere and have more.

    Raises:
        LociError: it is not UTF-8.
        VaultProblem: every line that is wrong.
    """
    problems: list[Problem] = []
    ignored: dict[str, int] = {}
    count = 0
    for number, line in _lines(file):
        count += 1
        try:
            record = _record(line)
            check_record(record)
            for key in record.keys() - RECORD_KEYS:
                ignored.setdefault(key, number)
        except UnicodeDecodeError:
            raise LociError(f"{name} cannot be read: it is not UTF-8") from None
        except (json.JSONDecodeError, RecursionError):  # Python's own words count lines and columns in this one line
            problems.append(Problem(name, number, "", f"line {number} is not valid JSON"))
        except ValueError as error:
            problems.append(Problem(name, number, "", str(error)))
    if problems:
        raise VaultProblem(problems)
    for key, number in sorted(ignored.items(), key=lambda one: (one[1], one[0])):
        progress(f"passed over: {Problem(name, number, key, unknown_key(key, RECORD_KEYS))}")
    return count


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = orjson.loads(line)
    except ValueError:  # Python's own takes what orjson does not
        record = json.loads(line.decode("utf-8"))
    if not isinstance(record, dict):
        raise ValueError('expected an object, such as {"text": "..."}')
    return record


def _records(file: BinaryIO) -> Iterator[dict[str, Any]]:
    for _, line in _lines(file):
        yield _record(line)


def _agent(parts: Parts, name: str, *, create: bool) -> Agent:
    if parts.minds.find(name) is None and create:
        return newcomer(parts, name, parts.configuration.get(WorldSettings).start_location)
    return parts.minds.get(name)


async def _remember(parts: Parts, agent: Agent, records: Iterable[dict[str, Any]], *, wait: bool) -> dict[str, Any]:
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
        "first": first if memory.total >= first else None,
        "last": memory.total if memory.total >= first else None,
        "count": memory.total - first + 1,
        "compactions": memory.compactions - before,
    }
