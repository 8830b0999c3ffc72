"""`remember`: appends the memories in a file of JSON lines to an agent's archive and folds what becomes due."""

from __future__ import annotations

import argparse
import asyncio
import codecs
import json
import stat
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import orjson

from agents.agent import Agent
from agents.compaction.settings import CompactionSettings
from agents.llm.profiles import LLMProfile
from agents.memory.entries import ORIGIN, RECORD_KEYS, read_record
from agents.memory.history import newest_of, numbers_of, with_digests
from agents.memory.summaries import Summary
from mud.cli import VectorProgress, agent_argument, emit, progress, tool
from mud.engine.engine import WorldSettings
from mud.errors import LociError, Problem
from mud.process import signals
from mud.registry import plug_in_names
from mud.sanitize import sanitize, visible
from mud.server.bulk import live_through, newcomer
from mud.server.wiring import Parts, opened
from mud.storage.jsonl import LONGEST_LINE
from mud.storage.settings import Value, unknown_key
from mud.world.narration import counted

BY_RULES = "extractive"


def _arguments(parser: argparse.ArgumentParser) -> None:
    agent_argument(parser)
    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="a memory a line: text, at kind actor place id")
    parser.add_argument("--create", action="store_true", help="make the agent when there is none of that name")
    parser.add_argument(
        "--resume", action="store_true", help="go on where the same file was left, after a failure or a kill"
    )
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the vectors")
    parser.add_argument(
        "--summarizer",
        choices=plug_in_names("agents.compaction.summarizers"),
        help=f"who writes the summaries: {BY_RULES}, by rules and at once, as without this; or the settings' model",
    )


@tool("remember", "append memories to an agent's life in bulk, folding as it goes", _arguments)
def remember(args: argparse.Namespace) -> int:
    with _open(args.file) as file:
        given = _Given(file, args.file.name)
        with opened(args.vault, writable=True) as parts:
            if not given.count and args.create and parts.minds.find(args.agent) is None:
                raise LociError(f"there is nothing to remember in {given.name}, and nobody was made")
            settings = _settings(parts, args.agent)
            agent, record = asyncio.run(_remember(parts, args, settings, given))
    for warning in agent.memory.warnings if not record["error"] else ():
        progress(warning)
    if args.json:
        emit(record)
    elif not given.count:
        print(f"There is nothing to remember in {given.name}.")
    elif not record["error"]:
        lived, folds = counted(record["count"], "memory", "memories"), counted(record["compactions"], "fold")
        print(f"{agent.name}: {lived}, {folds}{_written(record)}, {record['seconds']} s")
    if record["error"]:
        raise LociError(record["error"])
    return 0


def _written(record: Mapping[str, Any]) -> str:
    if record["summarizer"] == BY_RULES or not record["summaries"]:
        return ""
    by_rules = record["summaries"].get(BY_RULES, 0)
    by_model = sum(record["summaries"].values()) - by_rules
    who = f" by {record['model']}" if record["model"] else ""
    return f" ({counted(by_model, 'summary', 'summaries')}{who}, {by_rules} by rules)"


def _open(path: Path) -> BinaryIO:
    """Open a file that can be read twice, since it may not fit into RAM; a pipe is copied to a temporary file."""
    try:
        mode, waiting = path.stat().st_mode, f"waiting for the memories that come through {visible(str(path))}"
        if stat.S_ISFIFO(mode):
            progress(waiting)  # opening a pipe waits for a writer
        file = path.open("rb")
        if stat.S_ISREG(mode):
            return file
        with file:
            if file.isatty():
                progress(waiting)
            elif not stat.S_ISFIFO(mode):
                raise LociError(f"{visible(str(path))} is no ordinary file; expected a file or a pipe")
            copy = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  (the caller closes it)
            try:
                copy.writelines(_bounded(file, path.name))
            except BaseException:
                copy.close()
                raise
            return copy
    except OSError as error:
        raise LociError(f"{path} cannot be read: {error.strerror or error}") from None


def _bounded(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield lines split at `\\n` only, since other line ends may be part of a text; too long a line is an error."""
    for number in count(1):
        line = file.readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            why = f"line {number} is too long; expected at most {LONGEST_LINE:,} bytes"
            raise LociError(f"{visible(name)} cannot be read: {why}")
        if not line:
            return
        yield line


def _lines(file: BinaryIO, name: str) -> Iterator[tuple[int, bytes]]:
    file.seek(0)
    for number, line in enumerate(_bounded(file, name), 1):
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if not line.isspace() and line:
            yield number, line


class _Progress(NamedTuple):
    """How far a file was taken: `lines` from its start became the memories `first` to `last`."""

    lines: int
    first: int
    last: int

    def told(self, given: _Given) -> str:
        memories = f"memory {self.last}" if self.first == self.last else f"memories {self.first}-{self.last}"
        lines = f"{self.lines} of the {counted(given.count, 'line')}"
        return f"{lines} of {visible(given.name)} are remembered, as {memories}"


class _Given:
    """The valid lines of a file, one memory each; invalid lines raise one LociError that names them all.

    A key that nothing reads is reported once.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self.name = file, name
        self.count = 0
        self.named = False  # whether any line has an `id`
        self.known = 0  # lines skipped because a memory with their id exists
        problems: list[Problem] = []
        ignored: dict[str, int] = {}
        for number, line in _lines(file, name):
            self.count += 1
            try:
                record = _record(line)
                read_record(record)
                self.named = self.named or bool(record.get("id"))
                for key in record.keys() - RECORD_KEYS:
                    ignored.setdefault(key, number)
            except UnicodeDecodeError:
                raise LociError(f"{name} cannot be read: it is not UTF-8") from None
            except RecursionError:
                problems.append(Problem(name, number, "", "this is nested too deep"))
            except json.JSONDecodeError:  # Python's message would count lines and columns within this line
                problems.append(Problem(name, number, "", "this is not valid JSON"))
            except ValueError as error:
                problems.append(Problem(name, number, "", str(error)))
        if problems:
            raise LociError("\n".join([*map(str, problems), f"nothing of {visible(name)} was remembered"]))
        for key, number in sorted(ignored.items(), key=lambda one: (one[1], one[0])):
            progress(f"passed over: {Problem(name, number, key, unknown_key(key, RECORD_KEYS))}")

    def taken(self, archive: Path) -> _Progress | None:
        """Return how far the file was taken the last time; None if it never was."""
        places = {digest: place for place, (digest, _) in enumerate(self._marked(), 1)}
        found = newest_of(archive, places)
        if found is None:
            return None
        lines = places[found[0]]
        begun = newest_of(archive, {digest: 1 for digest, _ in islice(self._marked(), 1)})
        return _Progress(lines, min(begun[1], found[1]) if begun else found[1], found[1])

    def records(self, after: int, ids: set[str]) -> Iterator[dict[str, Any]]:
        """Yield the memories after the first `after` lines, with their origin. `ids` are skipped, and grow."""
        for digest, line in islice(self._marked(), after, None):
            record = _checked_record(line) | {ORIGIN: digest}
            id = sanitize(record.get("id") or "")
            if id and id in ids:
                self.known += 1
                continue
            ids.add(id)
            yield record

    def _marked(self) -> Iterator[tuple[str, bytes]]:
        return with_digests(line for _, line in _lines(self._file, self.name))


def _record(line: bytes) -> dict[str, Any]:
    record = _JSON.decode(line.decode("utf-8"))
    if not isinstance(record, dict):
        raise ValueError('expected an object, such as {"text": "..."}')
    return record


def _checked_record(line: bytes) -> dict[str, Any]:
    """Parse a line that `_record` has parsed before; orjson is quicker and refuses some of what json takes."""
    try:
        record: dict[str, Any] = orjson.loads(line)
        return record
    except orjson.JSONDecodeError:
        return _record(line)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} stands twice; expected once")
    return made


def _whole(digits: str) -> int:
    if (many := len(digits.lstrip("-"))) > _MOST_DIGITS:  # Python refuses to parse thousands of digits, as that is slow
        raise ValueError(f"a number has {many:,} digits; expected at most {_MOST_DIGITS}")
    return int(digits)


_MOST_DIGITS = 300
_JSON = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole)
"""Not orjson, which silently takes the last value of a duplicate key."""


def _settings(parts: Parts, name: str) -> CompactionSettings:
    agent = parts.minds.find(name)
    return agent.settings() if agent is not None else parts.configuration.get(CompactionSettings)


async def _remember(
    parts: Parts, args: argparse.Namespace, settings: CompactionSettings, given: _Given
) -> tuple[Agent, dict[str, Any]]:
    asks = args.summarizer not in (None, BY_RULES)
    try:
        writes = await _model(parts, settings.profile) if asks and given.count else "rules"
        if args.create and parts.minds.find(args.agent) is None:
            agent = newcomer(parts, args.agent, location=parts.configuration.get(WorldSettings).start_location)
        else:
            agent = parts.minds.get(args.agent)
        if given.count:
            progress(f"summaries are written by {writes}")
        if args.summarizer is not None:
            _choose(agent, args.summarizer)
        started = time.perf_counter()
        record = await _live(parts, agent, given, args, asks=asks)
        return agent, record | {"seconds": round(time.perf_counter() - started, 3)}
    finally:
        await parts.queue.close(0)


async def _model(parts: Parts, profile: str) -> str:
    """Return a phrase that names the model which writes the summaries; raise a LociError if it does not answer."""
    found = parts.configuration.get_named(LLMProfile, profile)
    if not await parts.queue.alive(profile):
        why = "; ".join(parts.queue.silent([profile])) or "its server does not answer"
        then = f"nothing was remembered, and --summarizer {BY_RULES} does without"
        raise LociError(f"no model writes summaries: config/llm/{profile}: {why}; {then}")
    return f"the model {found.model or 'of the server'} (config/llm/{profile}), and by rules where it fails"


def _choose(agent: Agent, summarizer: str) -> None:
    """Use a summarizer for this run only, whatever the settings say."""
    definition = agent.definition
    chosen = {"summarizer": Value("summarizer", summarizer, "the command line", 0)}
    agent.definition = replace(definition, overrides={**definition.overrides, **chosen})


def _after(given: _Given, archive: Path, *, resume: bool) -> int:
    """Report how far the file was taken already, and return after which of its lines to begin."""
    taken = given.taken(archive) if given.count else None
    if taken is None:
        if resume and given.count:
            nothing = f"nothing of {visible(given.name)} is remembered"
            if newest_of(archive) is not None:  # the file may have changed since it was taken
                raise LociError(f"{nothing} as it is now, but other lines are; without --resume it is taken whole")
            progress(f"{nothing} yet; it is taken from its first line")
        return 0
    goes_on = "it is gone on from there" if resume else "they come once more; --resume goes on from there instead"
    progress(f"{taken.told(given)}; {goes_on}")
    return taken.lines if resume else 0


async def _live(parts: Parts, agent: Agent, given: _Given, args: argparse.Namespace, *, asks: bool) -> dict[str, Any]:
    memory, before = agent.memory, agent.memory.compactions
    archive, first, made = agent.folder / "archive", memory.total + 1, list[Summary]()
    after = _after(given, archive, resume=args.resume)
    records = given.records(after, set(numbers_of(archive)) if given.named else set())

    async def fold(one: Agent) -> None:
        commits = await one.compactor.fold_due() if asks else one.compactor.fold_due_now()
        made.extend(summary for commit in commits for summary in commit.made)

    def ended() -> bool:
        """At a signal, print what was taken; the program ends."""
        progress(_newly_taken(given, archive, first, after)[1])
        return False

    error, wait = "", not args.no_wait
    await parts.recall.start(vectors=wait)
    signals.end = ended
    try:
        await fold(agent)  # an earlier run may have ended between writing and folding
        await live_through(parts, agent, records, fold=fold)
        if wait and not await parts.recall.complete(VectorProgress()):
            progress(f"the vectors are missing: {parts.recall.trouble or 'they are switched off'}")
    except (LociError, OSError) as why:
        error = f"{_newly_taken(given, archive, first, after)[1]}: {why}"
    finally:
        await parts.recall.stop()
    if given.known:
        progress(f"{counted(given.known, 'line')} passed over: memories of the same id are there already")
    return {
        "first": first if memory.total >= first else None,
        "last": memory.total if memory.total >= first else None,
        "count": memory.total - first + 1,
        "compactions": memory.compactions - before,
        "summarizer": "model" if asks else BY_RULES,
        "model": next((summary.model for summary in reversed(made) if summary.model), None),
        "summaries": dict(Counter(summary.method for summary in made)),
        "lines": given.count,
        "taken": _newly_taken(given, archive, first, after)[0] if error else given.count,
        "resumed_after": after,
        "known": given.known,
        "error": error or None,
    }


def _newly_taken(given: _Given, archive: Path, first: int, after: int) -> tuple[int, str]:
    """Return how many lines are in the archive after a failure, and a sentence that says so.

    `first` is the number of the first memory to append, `after` the number of lines taken before.
    """
    taken = given.taken(archive)
    if taken is None or (taken.last < first and not after):
        return 0, f"nothing of {visible(given.name)} was remembered"
    return taken.lines, f"{taken.told(given)}, and --resume goes on from there"
