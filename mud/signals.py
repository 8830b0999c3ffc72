"""Handling of the signals that end a program: SIGHUP, SIGINT, SIGTERM.

The first one ends a world in order, and any other command at once. No exception is raised, as one inside an import can
be lost or break the module. Shells and terminals may send several signals at once; a later one kills the program.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from types import FrameType

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
SAME = 1.0
"""Seconds after the first signal in which others are ignored."""


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
