"""Append-only files of JSON lines: what was acknowledged survives a kill; what a kill tore is not mistaken for it.

A line is whole when its newline is there. A writer sets a torn last line aside into a file beside and says so; a reader
repairs nothing and leaves it out. A broken line in the middle is handed out as broken, never fatal, never skipped.
"""

from __future__ import annotations

import errno
import json
import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from mud.sanitize import sanitize_json
from mud.storage.files import encode, sync_folder, write_new
from mud.storage.paths import TooLong, check_held, check_size, make_folder, open_own, open_to_read, remove

log = logging.getLogger(__name__)

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes that a line may have; a longer one is broken, and none is written. A step before a thousand witnesses has 4."""

_BLOCK = 1 << 16
"""Bytes read at once when looking for a newline."""
_SHOWN = 1 << 10
"""Bytes that are shown of a line that is too long."""


class JsonlLine(NamedTuple):
    """One line of a file.

    Args:
        number: counted from 1, from where reading began; empty lines count too.
        offset: of its first byte in the file.
        data: the JSON object in it, sanitized; None when it is broken, that is no JSON object or no UTF-8.
        raw: the line as text, without its newline; bytes that are no UTF-8 are shown as U+FFFD.
    """

    number: int
    offset: int
    data: dict[str, Any] | None
    raw: str


def read_jsonl(path: Path, start: int = 0) -> Iterator[JsonlLine]:
    """Yield the lines of a file; a last line without newline and empty lines are left out.

    Args:
        path: the file. It may grow meanwhile.
        start: offset in bytes where a line begins.

    Raises:
        OSError: when it cannot be read.
    """
    descriptor = open_to_read(path)
    with os.fdopen(descriptor, "rb") as file:
        check_size(descriptor, path)
        file.seek(start)
        offset, number = start, 0
        while raw := file.readline(LONGEST_LINE):
            begun, offset, number = offset, offset + len(raw), number + 1
            more = raw
            while more and not more.endswith(b"\n"):
                more = file.readline(_BLOCK)  # nothing of a line that is too long is kept but its beginning
                offset += len(more)
            if more and raw.strip():
                yield (
                    _line(number, begun, raw[:-1])
                    if more is raw
                    else JsonlLine(number, begun, None, _shown(raw[:_SHOWN]))
                )


def _line(number: int, offset: int, raw: bytes) -> JsonlLine:
    try:
        text = raw.decode("utf-8")
        data = sanitize_json(raw, json.loads(text))
    except (ValueError, RecursionError):
        return JsonlLine(number, offset, None, _shown(raw))
    return JsonlLine(number, offset, data if isinstance(data, dict) else None, text)


def _shown(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


class JsonlWriter:
    """Appends lines to one file, each call with one write.

    When another program replaced, removed or changed the file meanwhile, the writer goes on in the file that has the
    name now, after the same care as at the start.

    Args:
        path: the file; it and its folder are made when missing.

    Raises:
        OSError: when it cannot be opened or its torn last line cannot be set aside.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = str(path)  # asked for with every line; a path object takes as long as the question
        self.message: str | None = None
        """What was set aside when the file was opened last, as a sentence; None when it was in order."""
        self._size = 0
        self._file = (0, 0)
        """Device and inode of the open file."""
        self._descriptor: int | None = self._open()

    @property
    def size(self) -> int:
        """Bytes in the file, as far as this writer knows."""
        return self._size

    def append(self, lines: Sequence[str]) -> None:
        """Write lines with one `write`; when this returns they survive the end of this process, however it ends.

        Args:
            lines: JSON texts without newline.

        Raises:
            OSError: when not all could be written, or one is too long to be read again; then none is in the file.
            ValueError: when a line holds a newline, or the writer is closed.
        """
        text = "\n".join((*lines, ""))
        if text.count("\n") != len(lines):
            raise ValueError("a JSON line must not hold a newline")
        descriptor = self._current()
        data = encode(text)
        if len(data) > LONGEST_LINE and any(len(encode(line)) >= LONGEST_LINE for line in lines):
            raise TooLong(self._name, f"a line is too long; expected at most {LONGEST_LINE:,} bytes")
        try:
            written = os.write(descriptor, data)
        except OSError:
            self._cut_back(descriptor)
            raise
        if written != len(data):
            self._cut_back(descriptor)
            raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes could be written", str(self._path))
        self._size += written

    def sync(self) -> None:
        """Make everything appended so far survive a power cut."""
        if self._descriptor is not None:
            getattr(os, "fdatasync", os.fsync)(self._descriptor)

    def close(self) -> None:
        """Close the file; doing so twice is allowed."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> JsonlWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        """Let go of the file of a writer that nobody closed."""
        if getattr(self, "_descriptor", None) is not None:
            self.close()

    def _open(self) -> int:
        make_folder(self._path.parent)  # not those above it: whoever took them away took the file along
        is_new = not self._path.exists()
        descriptor = open_own(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            size, opened = self._repair(descriptor), os.fstat(descriptor)
            if is_new:
                sync_folder(self._path.parent)
        except BaseException:
            os.close(descriptor)
            raise
        # Only now: by these an append knows its file, which is still the old one when this fails.
        self._size, self._file = size, (opened.st_dev, opened.st_ino)
        return descriptor

    def _current(self) -> int:
        """Return the descriptor of the file that has the name now, with nothing in it that this writer did not see."""
        if self._descriptor is None:
            raise ValueError(f"{self._path.name} is closed")
        check_held(self._name)
        try:
            named = os.lstat(self._name)
        except FileNotFoundError:
            named = None
        if named is None or (named.st_dev, named.st_ino) != self._file or named.st_size != self._size:
            old, self._descriptor = self._descriptor, self._open()
            os.close(old)
            log.warning("%s was changed by another program and is opened again", self._path)
        return self._descriptor

    def _repair(self, descriptor: int) -> int:
        """Set a torn last line aside and return the size of what is whole."""
        check_size(descriptor, self._path)
        size = os.fstat(descriptor).st_size
        whole = _whole_size(descriptor, size)
        self.message = None
        if whole < size:
            aside = self._set_aside(os.pread(descriptor, size - whole, whole))
            os.ftruncate(descriptor, whole)
            os.fsync(descriptor)
            self.message = (
                f"{self._path.name}: the last line was torn ({size - whole} bytes); it is kept in {aside.name}"
            )
            log.warning("%s", self.message)
        return whole

    def _set_aside(self, torn: bytes) -> Path:
        """Write a torn line into a new file beside, for good, and return its path."""
        number = 1
        while True:
            path = self._path.with_name(f"{self._path.name}.torn-{number}")
            try:
                write_new(path, torn)
            except FileExistsError:
                number += 1
                continue
            except OSError:
                remove(path)
                raise
            sync_folder(path.parent)
            return path

    def _cut_back(self, descriptor: int) -> None:
        """Take a partly written line out again; should that fail, the next append finds it and sets it aside."""
        try:
            os.ftruncate(descriptor, self._size)
        except OSError as error:
            log.error("%s: a partly written line could not be taken out: %s", self._path.name, error)


def _whole_size(descriptor: int, size: int) -> int:
    """Return the offset after the last newline of a file."""
    end = size
    while end > 0:
        start = max(0, end - _BLOCK)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0
