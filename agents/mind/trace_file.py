"""Where the traces of one agent are kept: JSON lines in files named by their first step, the oldest going first.

A trace is worth less than anything else of a life: one that cannot be written is lost and nothing else is; a broken
line is passed over. Nothing is held open, and of the files only the newest's name is remembered, so that somebody may
take them away at any time.
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
"""Files that what is kept is spread over: so many traces go at once when there is no more room."""


class TraceFile:
    """The traces of one agent.

    Args:
        folder: `vault/log/traces/<slug>`; made when the first is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._failing = False
        self._newest: Path | None = None
        """The file that was written last; with it there is no need to look through the folder for every trace."""

    def keep(self, trace: Trace, room: int) -> None:
        """Write a trace behind the others, and take away the oldest that there is no more room for.

        Of one that is larger than all the room, long texts are cut until it fits.

        Never raises: when it cannot be written, the log says so once.

        Args:
            trace: the trace.
            room: bytes that all of them may take; 0 or less keeps none.
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
            return  # not even its least has room
        if self._newest is not None and _append(self._newest, data, room // FILES):
            return
        files = self._files()
        sizes = [path.stat().st_size for path in files]
        if files and _append(files[-1], data, room // FILES):
            self._newest = files[-1]
            return
        make_folder(self._folder, above=True)
        for path in files:  # before the new one is begun: a full disk must not keep what would make room
            if sum(sizes) + max(room // FILES, len(data)) <= room:
                break
            remove(path)
            sizes.pop(0)
        self._newest = self._folder / f"{trace.step:010d}.jsonl"
        _append(self._newest, data)

    def heads(self, who: str, through: int | None = None) -> Iterator[Head]:
        """Yield the beginnings of the lines, newest first, without turns that passed; a file is read when it is needed.

        Args:
            who: id of the character; whoever had the folder before is left out.
            through: number of the newest step that is wanted; None for the newest there is.
        """
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
        """Return the line that is a step of the ledger; None when it is not kept."""
        for head in self.heads(who, step):
            if head.step <= step:
                return head if head.step == step else None
        return None

    def _files(self) -> list[Path]:
        """Return the files, oldest first."""
        try:
            names = sorted(name for name in os.listdir(self._folder) if name[:-6].isdecimal() and name[-6:] == ".jsonl")  # noqa: PTH208
        except OSError:
            return []
        return [self._folder / name for name in names]


def _line(trace: Trace, longest: int | None = None) -> bytes:
    """Return the line of a trace, with its newline."""
    return to_json(trace, longest).encode("utf-8", "backslashreplace") + b"\n"


def _append(path: Path, data: bytes, most: int | None = None) -> bool:
    """Write a line behind what is in a file, on a line of its own whatever a kill has torn; all of it or nothing.

    Args:
        path: the file.
        data: the line, with its newline.
        most: bytes that the file may have then, if it is there; None to begin one that is not, whatever the line takes.

    Returns:
        Whether it was written: it is not when there is no such file, or no room in it.

    Raises:
        OSError: when it cannot be written.
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
