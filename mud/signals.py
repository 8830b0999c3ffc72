"""The signals that end a program: a hang-up, an interrupt, a termination, at whatever moment they come.

The first one ends a world in order, and any other command at once: what it did is written, as a kill could come too.
Nothing is raised for it: thrown into an import, an exception is lost or breaks what is being loaded. A shell and a
terminal often send two or three signals at once: what comes within `SAME` of the first is the same. Who asks again
later does not want to wait, and the kernel ends the program.
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
"""Seconds after the first signal within which another one asks for nothing more."""


class Signals:
    """What this process was told.

    Args:
        now: seconds that never go back.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._since: float | None = None
        self.end: Callable[[], bool] = lambda: False
        """What the first signal calls; it returns whether the program ends by itself now. Else it ends at once, with
        the exit code that a shell gives for the signal."""

    def heed(self) -> None:
        """Take every ending signal from now on; a hang-up that is ignored, as nohup has it, stays ignored."""
        for number in ENDING:
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.hear)

    def hear(self, number: int, _: FrameType | None = None) -> None:
        """Take note of a signal."""
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
        """Take none any more: all is done, and Python clears up for a moment."""
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)


signals = Signals()
"""Those of this process."""


@contextmanager
def temporary_folder(prefix: str, place: Path | None = None) -> Iterator[Path]:
    """Make a folder, and remove it with all that is in it at the end, also when a signal is the end.

    Args:
        prefix: what its name begins with.
        place: where it is made; None for where temporary files go.
    """
    with TemporaryDirectory(prefix=prefix, dir=place) as folder:

        def removed() -> bool:
            rmtree(folder, ignore_errors=True)
            return False

        before, signals.end = signals.end, removed
        try:
            yield Path(folder)
        finally:
            signals.end = before
