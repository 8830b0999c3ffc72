"""Long answers at doors of lines, a screenful at a time. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

LOWEST = 6
"""Rows of a window in which pages make sense."""
NO_MORE = "q"


class Pages:
    """What is held back of long answers until the person asks for more.

    Args:
        write: takes what is to be shown, in whole lines.
        rows: returns the rows of the person's window; None when it is unknown or all is to be shown at once.
    """

    def __init__(self, write: Callable[[bytes], None], rows: Callable[[], int | None]) -> None:
        self._write, self._rows = write, rows
        self._held = deque[bytes]()

    @property
    def held(self) -> bool:
        """Whether there is more to be shown."""
        return bool(self._held)

    def show(self, data: bytes) -> None:
        """Show an answer as far as it fits; what comes while there is more goes behind that."""
        waits = self.held
        self._held += data.splitlines(keepends=True)
        if not waits:
            self._turn()

    def take(self, line: str) -> bool:
        """Take what was typed while there is more, and return whether that was all it meant.

        An empty line shows the next page and `q` drops the rest, as does every other line, which is then to be carried
        out.
        """
        if not self.held:
            return False
        word = line.strip().casefold()
        if word:
            self._held.clear()
            return word == NO_MORE
        self._turn()
        return True

    def finish(self) -> None:
        """Show all that is held."""
        held = b"".join(self._held)
        self._held.clear()
        if held:
            self._write(held)

    def _turn(self) -> None:
        """Show the next page, which leaves a row for the question whether there shall be more."""
        rows = self._rows()
        most = len(self._held) if rows is None or rows < LOWEST else rows - 1
        self._write(b"".join(self._held.popleft() for _ in range(min(most, len(self._held)))))
