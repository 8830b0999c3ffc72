"""Append-only files of JSON lines that survive a kill.

A writer moves an incomplete last line to a file beside; a reader skips it. Other broken lines are returned as broken.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from mud.sanitize import sanitize_json
from mud.storage.files import encode, sync_folder, write_new
from mud.storage.paths import TooLong, check_fences, check_held, check_size, make_folder, open_own, open_to_read, remove

log = logging.getLogger(__name__)

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes; longer lines are broken, and never written. A step with a thousand witnesses has 4 MB."""

_BLOCK = 1 << 16  # bytes
_SHOWN = 1 << 10  # bytes of a line that are shown when it is too long


class JsonlLine(NamedTuple):
    """One line of a file; `data` is None for a broken one, `number` counts all lines from where reading began."""

    number: int
    offset: int
    data: dict[str, Any] | None
    raw: str


def read_jsonl(path: Path, start: int = 0) -> Iterator[JsonlLine]:
    """Yield the lines from an offset on; empty lines and an incomplete last line are left out. The file may grow."""
    descriptor = open_to_read(path, own=True)
    with os.fdopen(descriptor, "rb") as file:
        check_size(descriptor, path)
        file.seek(start)
        offset, number = start, 0
        while raw := file.readline(LONGEST_LINE):
            begun, offset, number = offset, offset + len(raw), number + 1
            more = raw
            while more and not more.endswith(b"\n"):
                more = file.readline(_BLOCK)  # only the beginning of a line that is too long is kept
                offset += len(more)
            if more and raw.strip():
                whole = more is raw
                yield _line(number, begun, raw[:-1]) if whole else JsonlLine(number, begun, None, _shown(raw[:_SHOWN]))


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
    """Appends lines to one file, which is made with its folder when missing; each call is one write.

    If another program replaced, removed or changed the file, the writer opens and repairs it again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = str(path)  # used for every line, where a path object would double the time
        self.message: str | None = None
        """What was repaired when the file was last opened, as a sentence; None for nothing."""
        self._size = 0
        self._file = (0, 0)
        self._closing = threading.Lock()  # held for moments: another thread may sync
        self.unsynced = True
        """Whether the disk may lack lines: at first those of a writer before, which may have been killed."""
        self._unnamed = False
        """Whether a power cut may still take the file's name."""
        self._descriptor: int | None = self._open()

    @property
    def size(self) -> int:
        return self._size

    def append(self, lines: Sequence[str]) -> None:
        """Write lines of JSON at once; they survive the end of this process, but not a power cut before `sync`.

        Raises OSError when not all could be written; then none is in the file.
        """
        text = "\n".join((*lines, ""))
        if text.count("\n") != len(lines):
            raise ValueError("a JSON line must not hold a newline")
        check_fences(self._name)
        descriptor = self._current()
        data = encode(text)
        if len(data) > LONGEST_LINE and any(len(encode(line)) >= LONGEST_LINE for line in lines):
            raise TooLong(self._name, f"a line is too long; expected at most {LONGEST_LINE:,} bytes")
        try:
            written = os.write(descriptor, data)
        except OSError:
            self._cut_back(descriptor)
            raise
        self.unsynced = True
        if written != len(data):
            self._cut_back(descriptor)
            raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes could be written", str(self._path))
        self._size += written

    def sync(self) -> None:
        """Wait until the disk has all lines; may run in a thread, also while the file is closed."""
        if not self.unsynced:
            return
        with self._closing:
            if self._descriptor is None:
                return
            own = os.dup(self._descriptor)
        # First, as another thread may append meanwhile.
        self.unsynced, unnamed, self._unnamed = False, self._unnamed, False
        try:
            getattr(os, "fdatasync", os.fsync)(own)
            if unnamed:
                sync_folder(self._path.parent)
        except OSError:
            self.unsynced, self._unnamed = True, unnamed
            raise
        finally:
            os.close(own)

    def close(self) -> None:
        with self._closing:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def __enter__(self) -> JsonlWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_descriptor", None) is not None:
            self.close()

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            descriptor = open_own(self._name, flags)
        except FileNotFoundError:
            make_folder(self._path.parent)  # not those above it: if they were removed, so was the file
            descriptor = open_own(self._name, flags)
        try:
            size, opened = self._repair(descriptor), os.fstat(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        # Only now: after a failure an append must still compare with the old file.
        self._size, self._file = size, (opened.st_dev, opened.st_ino)
        self._unnamed = self._unnamed or not size
        return descriptor

    def _current(self) -> int:
        """Return the descriptor of the file with this name, opened again if another program changed it."""
        if self._descriptor is None:
            raise ValueError(f"{self._path.name} is closed")
        try:
            named = os.lstat(self._name)
        except (FileNotFoundError, NotADirectoryError):
            named = None
        if named is None or (named.st_dev, named.st_ino) != self._file or named.st_size != self._size:
            check_held(self._name)  # else the file is where it was, and so is the vault
            new = self._open()
            with self._closing:
                old, self._descriptor = self._descriptor, new
            os.close(old)
            log.warning("%s was changed by another program and is opened again", self._path)
        return self._descriptor

    def _repair(self, descriptor: int) -> int:
        """Move an incomplete last line to another file; return the size of the rest."""
        check_size(descriptor, self._path)
        size = os.fstat(descriptor).st_size
        whole = _whole_size(descriptor, size)
        self.message = None
        if whole < size:
            aside = self._set_aside(os.pread(descriptor, size - whole, whole))
            os.ftruncate(descriptor, whole)
            os.fsync(descriptor)
            torn = f"the last line was torn ({size - whole} bytes)"
            self.message = f"{self._path.name}: {torn}; it is kept in {aside.name}"
            log.info("%s", self.message)
        return whole

    def _set_aside(self, torn: bytes) -> Path:
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
        """Remove a partly written line; if that fails, the next append repairs the file."""
        try:
            os.ftruncate(descriptor, self._size)
        except OSError as error:
            log.error("%s: a partly written line could not be taken out: %s", self._path.name, error)


def _whole_size(descriptor: int, size: int) -> int:
    end = size
    if size and os.pread(descriptor, 1, size - 1) == b"\n":
        return size
    while end > 0:
        start = max(0, end - _BLOCK)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0
