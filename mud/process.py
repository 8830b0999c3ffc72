"""The process of the program: the signals that end it, its temporary folders and its three standard streams.

The first of SIGHUP, SIGINT and SIGTERM ends a world in order, and any other command at once. No exception is raised, as
one inside an import can be lost or break the module. Shells and terminals may send several signals at once; a later one
kills the program.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
SAME = 1.0  # seconds after the first signal in which others are ignored


class Signals:
    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._since: float | None = None
        self.end: Callable[[], bool] = lambda: False
        """Called at the first signal; returns whether the program will end by itself. Otherwise it exits at once."""

    def heed(self) -> None:
        """Install the handlers; a hang-up that is ignored, as under nohup, stays ignored."""
        for number in ENDING:
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.hear)

    def hear(self, number: int, _: FrameType | None = None) -> None:
        if self._since is None:
            self._since = self._now()
            if not self.end():
                name = signal.Signals(number).name
                with suppress(OSError):
                    os.write(2, f"loci: ended by {name}; what was done until then is kept\n".encode())
                os._exit(128 + number)
        elif self._now() - self._since > SAME:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    def ignore(self) -> None:
        """Ignore further signals while Python shuts down."""
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)


signals = Signals()


@contextmanager
def temporary_folder(prefix: str, place: Path | None = None) -> Iterator[Path]:
    """Make a temporary folder and remove it at the end, also when a signal ends the program."""
    with TemporaryDirectory(prefix=prefix, dir=place) as folder:

        def removed() -> bool:
            rmtree(folder, ignore_errors=True)
            return False

        before, signals.end = signals.end, removed
        try:
            yield Path(folder)
        finally:
            signals.end = before


def hold_streams() -> None:
    """Make stdin, stdout and stderr usable, however the program was started; call this before any file is opened.

    A closed stream becomes the null device; otherwise the next file that is opened, perhaps of the vault, would get the
    number of stderr. Errors on stderr are ignored, errors on stdout are reported at the end of the program.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(null, number)
    if null > 2:
        os.close(null)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  (it stays open)
    shown, told = (stream.encoding if stream else "utf-8" for stream in (sys.stdout, sys.stderr))
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Noting(1, "w", closefd=False)), shown, line_buffering=os.isatty(1))
    lossy: Any = _Lossy(2, "w", closefd=False)  # unbuffered, as Python's own stderr with -u
    sys.stderr = io.TextIOWrapper(lossy, told, "backslashreplace", write_through=True)


class _Noting(io.FileIO):
    trouble: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.trouble = error
            raise


class _Lossy(io.FileIO):
    def write(self, data: Any) -> int:
        with suppress(OSError):
            super().write(data)
        return len(data)


def unwritten() -> OSError | None:
    """Return the error that stdout had, if any; from then on its output is discarded."""
    trouble: OSError | None = None
    try:
        sys.stdout.flush()
    except OSError as error:
        trouble = error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.trouble if isinstance(raw, _Noting) else trouble
