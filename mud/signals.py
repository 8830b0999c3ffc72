"""The signals that end a program: a hang-up, an interrupt, a termination, at whatever moment they come.

The first one ends what is being done in order. A shell and a terminal often send two or three at once: what comes
within `SAME` of the first is the same. Who asks again later does not want to wait, and the kernel ends the program as
it would any other; that loses no more than a kill does.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from types import FrameType

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
SAME = 1.0
"""Seconds after the first signal within which another one asks for nothing more."""


def _interrupt() -> None:
    raise KeyboardInterrupt


class Signals:
    """What this process was told.

    Args:
        now: seconds that never go back.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._since: float | None = None
        self.told: int | None = None
        """The signal that came first; None while none came."""
        self.end: Callable[[], None] = _interrupt
        """What the first signal calls; until somebody sets this, it interrupts whatever is being done."""

    def heed(self) -> None:
        """Take every ending signal from now on; a hang-up that is ignored, as nohup has it, stays ignored."""
        for number in ENDING:
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.hear)

    def hear(self, number: int, _: FrameType | None = None) -> None:
        """Take note of a signal."""
        if self._since is None:
            self.told, self._since = number, self._now()
            self.end()
        elif self._now() - self._since > SAME:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    @property
    def exit_code(self) -> int:
        """The exit code of what a signal interrupted, as a shell gives it: 128 and its number."""
        return 128 + (self.told or signal.SIGINT)


signals = Signals()
"""Those of this process."""
