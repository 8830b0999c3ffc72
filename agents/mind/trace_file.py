"""Storage of one agent's traces: JSON lines in files named by their first step; the oldest files are deleted.

Traces are expendable: one that cannot be written is dropped, and a broken line is skipped. No file stays open and only
the newest file's name is remembered, so the files can be removed at any time.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

from agents.mind.traces import Head, Trace, head_of, to_json
from mud.storage.paths import make_folder, open_own, read_bytes, remove

log = logging.getLogger(__name__)

FILES = 4
"""Number of files that share the room; the oldest is deleted as a whole."""


class TraceFile:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._failing = False
        self._newest: Path | None = None
        """The file written last; saves listing the folder for every trace."""

    def keep(self, trace: Trace, room: int) -> None:
        """Append a trace and delete the oldest files when more than `room` bytes are used. Never raises.

        A trace larger than the whole room is cut. A failure is logged once.
        """
        if room <= 0:
            return
        try:
            self._write(trace, room)
            self._failing = False
        except OSError as error:
            if not self._failing:
                log.warning("the traces of %s cannot be kept: %s", self._folder.name, error)
            self._failing = True

    def _write(self, trace: Trace, room: int) -> None:
        data = _line(trace)
        longest = len(data)
        while len(data) > room and (longest := longest // 2):
            data = _line(trace, longest)
        if len(data) > room:
            return  # too large even when cut
        if self._newest is not None and _append(self._newest, data, room // FILES):
            return
        files = self._files()
        sizes = [path.stat().st_size for path in files]
        if files and _append(files[-1], data, room // FILES):
            self._newest = files[-1]
            return
        make_folder(self._folder, above=True)
        for path in files:  # before the new file is created: on a full disk this frees the space for it
            if sum(sizes) + max(room // FILES, len(data)) <= room:
                break
            remove(path)
            sizes.pop(0)
        self._newest = self._folder / f"{trace.step:010d}.jsonl"
        _append(self._newest, data)

    def heads(self, who: str, through: int | None = None) -> Iterator[Head]:
        """Yield the heads of submitted lines of a character, newest first, up to step `through`; reads files lazily."""
        for path in reversed(self._files()):
            if through is not None and int(path.stem) > through:
                continue
            try:
                lines = read_bytes(path).split(b"\n")
            except OSError as error:
                log.warning("traces of %s cannot be read: %s", self._folder.name, error)
                continue
            for raw in reversed(lines):
                head = head_of(raw)
                if head is not None and head.line is not None and head.who == who:
                    yield head

    def find(self, who: str, step: int) -> Head | None:
        """Return the head of a step's trace; None when it is not kept."""
        for head in self.heads(who, step):
            if head.step <= step:
                return head if head.step == step else None
        return None

    def _files(self) -> list[Path]:
        try:
            names = sorted(name for name in os.listdir(self._folder) if name[:-6].isdecimal() and name[-6:] == ".jsonl")  # noqa: PTH208
        except OSError:
            return []
        return [self._folder / name for name in names]


def _line(trace: Trace, longest: int | None = None) -> bytes:
    return to_json(trace, longest).encode("utf-8", "backslashreplace") + b"\n"


def _append(path: Path, data: bytes, most: int | None = None) -> bool:
    """Append a line to a file, on a line of its own even after a torn one, all or nothing.

    Return False when the file would exceed `most` bytes or is missing. With None the file is created, without limit.
    """
    try:
        descriptor = open_own(path, os.O_RDWR | os.O_APPEND | (os.O_CREAT if most is None else 0))
    except FileNotFoundError:
        if most is None:
            raise
        return False
    try:
        size = os.fstat(descriptor).st_size
        if most is not None and size + len(data) > most:
            return False
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            data = b"\n" + data
        written = os.write(descriptor, data)
        if written != len(data):
            os.ftruncate(descriptor, size)
            raise OSError(f"only {written} of {len(data)} bytes could be written")
        return True
    finally:
        os.close(descriptor)
