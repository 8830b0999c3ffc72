"""How the full screen is written to a terminal, which may be slow, stopped or gone while the world goes on."""

from __future__ import annotations

import termios
from queue import Full
from typing import Any

from textual.drivers.linux_driver import LinuxDriver

LAST = 1.0  # seconds that the last of the screen may take at the end


class PatientDriver(LinuxDriver):
    """A driver that never waits for its terminal: what does not fit is left out, and the screen drawn anew later."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file: Any = _Unfailing(self._file)
        self.behind = False
        """Whether something was left out."""

    def write(self, data: str) -> None:
        if self._writer_thread is None:
            return
        try:
            self._writer_thread._queue.put_nowait(data)
        except Full:
            self.behind = True

    @property
    def caught_up(self) -> bool:
        """Whether all that was not left out is written."""
        return self._writer_thread is not None and self._writer_thread._queue.empty()

    @property
    def gone(self) -> bool:
        """Whether there is no terminal any more."""
        try:
            termios.tcgetattr(self.fileno)
        except termios.error:
            return True
        return False

    def close(self) -> None:
        """End the thread that writes, but wait no longer for its terminal than a moment."""
        if self._writer_thread is None:
            return
        try:
            self._writer_thread._queue.put(None, timeout=LAST)
        except Full:
            return  # the terminal is stopped; the thread ends with the program
        self._writer_thread.join(LAST)


class _Unfailing:
    """A terminal's stream, to which nothing is written any more once that fails, as after a hang-up."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._failed = stream, False

    def write(self, text: str) -> None:
        self._attempt(self._stream.write, text)

    def flush(self) -> None:
        self._attempt(self._stream.flush)

    def fileno(self) -> int:
        """Return the descriptor of the terminal."""
        return int(self._stream.fileno())

    def _attempt(self, work: Any, *args: str) -> None:
        if not self._failed:
            try:
                work(*args)
            except OSError:
                self._failed = True
