"""The ledger: every step of the world in order, one JSON line each.

A line holds the input, its changes and its memories; `Engine` writes it before the step is applied and told. Recovery
applies these and never runs a command again. The files are `log/ledger-<first step>.jsonl`, each with `PER_FILE` steps.
"""

from __future__ import annotations

import errno
import json
import logging
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from mud.errors import Problem
from mud.storage.jsonl import JsonlLine, JsonlWriter, read_jsonl
from mud.storage.paths import make_folder, matching, read_end
from mud.storage.world_files import HIGHEST as HIGHEST_STEP

log = logging.getLogger(__name__)

PER_FILE = 10_000
_NAME = re.compile(r"^ledger-(\d{10,16})\.jsonl$")
NO_STEP = "this line is no step and is passed over; expected one JSON object with the number of a step"
_UNTYPED = '"line":null'
"""Part of a step without input; texts cannot contain it, as their quotation marks are escaped."""
_NO_NUMBER = ("null", "NaN", "Infinity")
"""How orjson and `json` write numbers that are not finite; few lines contain any of these."""


def misnamed(vault: Path) -> list[Problem]:
    """Return files whose name has an invalid step number; they are not read."""
    numbers = ((path.name, path.stem.partition("-")[2]) for path in matching(vault / "log", "ledger-*.jsonl"))
    wrong = sorted(name for name, number in numbers if number.isdecimal() and not _is_number(name, number))
    message = f"its number is none that a step may have; expected 10 to 16 digits, {HIGHEST_STEP:,} at most"
    return [Problem(f"log/{name}", 0, "", message) for name in wrong]


def _is_number(name: str, number: str) -> bool:
    return _NAME.match(name) is not None and int(number) <= HIGHEST_STEP


class Ledger:
    def __init__(self, folder: Path, per_file: int = PER_FILE) -> None:
        self._folder = folder
        self._per_file = per_file
        self._writer: JsonlWriter | None = None
        self._first = 0
        self.last = 0
        self.wrong: list[Problem] = []
        self.keep_world: Callable[[], None] | None = None
        """Keeps the world as it is before the first step after an opening; called until it raises no OSError."""

    def open(self) -> list[str]:
        """Find the end of the ledger and prepare for writing; return repairs as sentences, such as a torn last line.

        Lines of the last file that hold no step are in `wrong` then.
        """
        make_folder(self._folder, above=True)
        files = self._files()
        if not files:
            return []
        self._first, path = files[-1]
        self._writer = JsonlWriter(path)
        self.last = self._first - 1
        for line in read_jsonl(path):
            step = _step_of(line)
            self.last = max(self.last, step or 0)
            if step is None:
                self.wrong.append(Problem(f"{self._folder.name}/{path.name}", line.number, "", NO_STEP))
        return [self._writer.message] if self._writer.message else []

    def _files(self) -> list[tuple[int, Path]]:
        found = ((_NAME.match(path.name), path) for path in matching(self._folder, "ledger-*.jsonl"))
        return sorted((int(name[1]), path) for name, path in found if name)

    def append(self, step: int, record: dict[str, Any]) -> None:
        """Write one step, before observers see it. Raises OSError, also for numbers that are not finite."""
        line = _encoded({"step": step, **record})
        told = line.replace(_UNTYPED, "")
        if any(mark in told for mark in _NO_NUMBER) and not _is_sound(record):
            raise OSError(errno.EINVAL, "a number of this step is not finite")
        if self.keep_world is not None:
            self.begin()
        if self._writer is None or step - self._first >= self._per_file:
            self._turn_page(step)
        assert self._writer is not None
        self._writer.append([line])
        self.last = step

    def begin(self) -> None:
        """Have the world kept that the next step finds, unless that was done; a failure is logged."""
        if self.keep_world is None:
            return
        try:
            self.keep_world()
        except OSError as error:
            log.warning("the world before the next step cannot be kept, so it cannot be played again: %s", error)
        else:
            self.keep_world = None

    def _turn_page(self, first: int) -> None:
        if self._writer is not None:
            self._writer.sync()
        fresh = JsonlWriter(self._folder / f"ledger-{first:010d}.jsonl")
        if self._writer is not None:
            self._writer.close()
        self._writer, self._first = fresh, first

    def sync(self) -> None:
        """Sync to disk, against power loss; a kill loses nothing without it. May run in a thread."""
        writer = self._writer
        if writer is None:
            return
        try:
            writer.sync()
        except OSError:
            if writer is self._writer:
                raise
            # A new file was begun meanwhile, which synced and closed this one.

    def close(self) -> None:
        """Sync and close; closed even after an OSError."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with writer:
                writer.sync()

    def after(self, step: int) -> Iterator[dict[str, Any]]:
        """Yield the records of all later steps in order; lines that hold no step are skipped."""
        for _, _, record in self.lines(step):
            if record is not None and record["step"] > step:
                yield record

    def sleeps(self, who: str, most: int) -> list[tuple[str, str | None]]:
        """Return when a character fell asleep and when that ended, oldest first; None: it still sleeps.

        Only the last `most` bytes are read, and of these only the lines that say so. May run in a thread. Raises
        OSError.
        """
        marks = [f'{{"{change}":"{who}"'.encode() for change in ("asleep", "awake", "leave")]
        found: list[tuple[str, str | None]] = []
        for data in reversed(list(self._ends(most))):
            for raw in data.split(b"\n"):
                if any(mark in raw for mark in marks):
                    _note_sleep(found, raw, who)
        return found

    def _ends(self, most: int) -> Iterator[bytes]:
        """Yield the files from the last one back, as far as they are among the last `most` bytes."""
        for _, path in reversed(self._files()):
            if most <= 0:
                return
            data = read_end(path, most)
            most -= len(data)
            yield data

    def newest(self, most: int) -> list[dict[str, Any]]:
        """Return the records in the last `most` bytes of the last file."""
        files = self._files()
        if not files:
            return []
        path = files[-1][1]
        found = read_jsonl(path, max(0, path.stat().st_size - most))  # it may begin in the middle of a line
        return [line.data for line in found if line.data is not None and _step_of(line) is not None]

    def lines(self, step: int = 0) -> Iterator[tuple[str, int, dict[str, Any] | None]]:
        """Yield file name, line number and record, or None for no step, from all files that may hold later steps."""
        files = self._files()
        for at, (_, path) in enumerate(files):
            if at + 1 < len(files) and files[at + 1][0] <= step + 1:
                continue
            for line in read_jsonl(path):
                yield path.name, line.number, line.data if _step_of(line) is not None else None


def _note_sleep(found: list[tuple[str, str | None]], raw: bytes, who: str) -> None:
    """Add the sleep that begins with a step, or end the last one."""
    try:
        line = orjson.loads(raw)
        at, changes = str(line["at"]), [change for change in line["changes"] if who in change.values()]
    except (ValueError, TypeError, KeyError, AttributeError):  # a torn or edited line
        return
    for change in changes:
        asleep, open_ended = change.get("asleep") == who, bool(found) and found[-1][1] is None
        if asleep and not open_ended:
            found.append((at, None))
        elif open_ended and who in (change.get("awake"), change.get("leave")):
            found[-1] = found[-1][0], at


def _is_sound(value: object) -> bool:
    """Return whether all numbers in a record are finite."""
    if isinstance(value, dict):
        return all(map(_is_sound, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_sound, value))
    return not isinstance(value, float) or math.isfinite(value)


def _encoded(record: dict[str, Any]) -> str:
    try:
        return orjson.dumps(record).decode()
    except TypeError:  # for half surrogate pairs and numbers beyond 64 bits, which orjson refuses
        return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _step_of(line: JsonlLine) -> int | None:
    number = line.data.get("step") if line.data is not None else None
    return number if isinstance(number, int) and not isinstance(number, bool) and 0 < number <= HIGHEST_STEP else None
