"""Every step of the world in order, one JSON line each: what was answered can be found here after any crash.

A line holds what was typed, the changes it made and the memories it left. Recovery applies these; it never runs a
command again. Kept in `log/ledger-<first step>.jsonl`, a new file every `PER_FILE` steps.
"""

from __future__ import annotations

import errno
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from mud.errors import Problem
from mud.storage.jsonl import JsonlLine, JsonlWriter, read_jsonl
from mud.storage.paths import make_folder
from mud.storage.world_state import HIGHEST as HIGHEST_STEP

PER_FILE = 10_000
_NAME = re.compile(r"^ledger-(\d{10,16})\.jsonl$")
_UNTYPED = '"line":null'
"""How it stands there that nobody typed a line; no text holds it, as its quotation marks are escaped."""
_NO_NUMBER = ("null", "NaN", "Infinity")
"""What a number that is none is written as, by orjson and by Python's own; most lines hold nothing like it."""


def misnamed(vault: Path) -> list[Problem]:
    """Return the files of a vault's ledger whose number is none that a step may have: nothing in them is read."""
    numbers = ((path.name, path.stem.partition("-")[2]) for path in (vault / "log").glob("ledger-*.jsonl"))
    wrong = sorted(name for name, number in numbers if number.isdecimal() and not _is_number(name, number))
    message = f"its number is none that a step may have; expected 10 to 16 digits, {HIGHEST_STEP:,} at most"
    return [Problem(f"log/{name}", 0, "", message) for name in wrong]


def _is_number(name: str, number: str) -> bool:
    return _NAME.match(name) is not None and int(number) <= HIGHEST_STEP


class Ledger:
    """The ledger of one vault.

    Args:
        folder: `vault/log`.
        per_file: steps in a file before the next one begins.
    """

    def __init__(self, folder: Path, per_file: int = PER_FILE) -> None:
        self._folder = folder
        self._per_file = per_file
        self._writer: JsonlWriter | None = None
        self._first = 0
        self.last = 0

    def open(self) -> list[str]:
        """Find the end of the ledger and make it ready for writing.

        Returns:
            What had to be put right, in words: a torn last line set aside.

        Raises:
            OSError: when the folder cannot be written.
        """
        make_folder(self._folder, above=True)
        files = self._files()
        if not files:
            return []
        self._first, path = files[-1]
        self._writer = JsonlWriter(path)
        self.last = self._first - 1
        for line in read_jsonl(path):
            self.last = max(self.last, _step_of(line) or 0)
        return [self._writer.message] if self._writer.message else []

    def _files(self) -> list[tuple[int, Path]]:
        found = ((_NAME.match(path.name), path) for path in self._folder.glob("ledger-*.jsonl"))
        return sorted((int(name[1]), path) for name, path in found if name)

    def append(self, step: int, record: dict[str, Any]) -> None:
        """Write one step, in one write, before anything is told of it.

        Raises:
            OSError: when it could not be written, or holds a number that is none; then nothing of it was.
        """
        line = _encoded({"step": step, **record})
        told = line.replace(_UNTYPED, "")
        if any(mark in told for mark in _NO_NUMBER) and not _is_sound(record):
            raise OSError(errno.EINVAL, "a number of this step is not finite")
        if self._writer is None or step - self._first >= self._per_file:
            self._turn_page(step)
        assert self._writer is not None
        self._writer.append([line])
        self.last = step

    def _turn_page(self, first: int) -> None:
        if self._writer is not None:
            self._writer.sync()
        fresh = JsonlWriter(self._folder / f"ledger-{first:010d}.jsonl")
        if self._writer is not None:
            self._writer.close()
        self._writer, self._first = fresh, first

    def sync(self) -> None:
        """Force what was written onto the disk, for power loss; a kill needs no such thing. May run in a thread.

        Raises:
            OSError: when the disk says no.
        """
        writer = self._writer
        if writer is None:
            return
        try:
            writer.sync()
        except OSError:
            if writer is self._writer:
                raise
            # The page was turned meanwhile, which synced the old file and closed it.

    def close(self) -> None:
        """Sync and close.

        Raises:
            OSError: when the disk did not confirm it; closed it is all the same.
        """
        writer, self._writer = self._writer, None
        if writer is not None:
            with writer:
                writer.sync()

    def after(self, step: int) -> Iterator[dict[str, Any]]:
        """Yield the records of every step after this one, in order. A line that is no step is passed over."""
        for _, _, record in self.lines(step):
            if record is not None and record["step"] > step:
                yield record

    def lines(self, step: int = 0) -> Iterator[tuple[str, int, dict[str, Any] | None]]:
        """Yield the lines of every file that may hold a later step: file, line, and the record; None for no step.

        Raises:
            OSError: when a file cannot be read.
        """
        files = self._files()
        for at, (_, path) in enumerate(files):
            if at + 1 < len(files) and files[at + 1][0] <= step + 1:
                continue
            for line in read_jsonl(path):
                yield path.name, line.number, line.data if _step_of(line) is not None else None


def _is_sound(value: object) -> bool:
    """Return whether every number in a record is one; asked when its line holds what such a one is written as."""
    if isinstance(value, dict):
        return all(map(_is_sound, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_sound, value))
    return not isinstance(value, float) or math.isfinite(value)


def _encoded(record: dict[str, Any]) -> str:
    """Return a record as one line of JSON, without its newline."""
    try:
        return orjson.dumps(record).decode()
    except TypeError:  # half of a surrogate pair, or a number beyond 64 bits: Python's own takes what orjson does not
        return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _step_of(line: JsonlLine) -> int | None:
    """Return the number of the step that a line holds; None when it holds none."""
    number = line.data.get("step") if line.data is not None else None
    return number if isinstance(number, int) and not isinstance(number, bool) and 0 < number <= HIGHEST_STEP else None
