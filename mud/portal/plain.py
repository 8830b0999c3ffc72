"""The way in for a pipe: one line in, its replies out, in order. Nothing is ever asked, and nothing is decorated."""

from __future__ import annotations

import asyncio
import os
import select
import sys
import threading
from collections.abc import Callable

from mud.portal.session import Session

LONGEST = 400_000
"""Bytes of a line that are kept; the rest of a longer one is thrown away, and the engine refuses what was kept."""
CHUNK = 65_536
AHEAD = 64
"""Lines read ahead of the one that is being carried out; a fast pipe waits then and does not fill memory."""


def show_plain(text: str) -> None:
    """Print a text at once; what the output's encoding has no sign for becomes a question mark."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), flush=True)


def cut_lines(chunks: Callable[[], bytes], take: Callable[[str], None]) -> None:
    """Read bytes until there are none and hand over each line as text.

    Args:
        chunks: returns some bytes, or none at the end.
        take: gets each line without its end; what is not UTF-8 arrives as replacement characters.
    """
    line = bytearray()
    while data := chunks():
        *whole, rest = data.split(b"\n")
        for piece in whole:
            line += piece[: LONGEST - len(line)]
            take(_text(line))
            line.clear()
        line += rest[: LONGEST - len(line)]
    if line:
        take(_text(line))


def _text(line: bytearray) -> str:
    return line.decode("utf-8", "replace").removesuffix("\r")


class LineReader:
    """Reads the lines of a file descriptor in a thread, because not every loop can wait for a file or a terminal.

    It reads at most `AHEAD` lines ahead, and its thread ends when `close` is called, even in the midst of waiting, so
    that no line is taken from whoever reads the descriptor next. Needs a running event loop.

    Args:
        fd: where lines come from; it is not closed.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._room = threading.Semaphore(AHEAD)
        self._closed = False
        self._wake, self._alarm = os.pipe()
        self._thread = threading.Thread(target=self._read, name=f"lines of {fd}", daemon=True)
        self._thread.start()

    async def next(self) -> str | None:
        """Return the next line; None at the end of the input."""
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)  # whoever asks again hears the same
        else:
            self._room.release()
        return line

    def close(self) -> None:
        """Read no further. Doing so twice is allowed."""
        if self._closed:
            return
        self._closed = True
        self._room.release()
        os.write(self._alarm, b"!")
        # At once, unless another process took the bytes between poll and read; then the thread ends with this one.
        self._thread.join(timeout=1.0)
        os.close(self._wake)
        os.close(self._alarm)

    def _read(self) -> None:
        try:
            cut_lines(self._chunk, self._take)
        except OSError:
            # The descriptor is gone, a terminal that was hung up for instance: the end of the input like any other.
            pass
        if not self._closed:
            self._hand_over(None)

    def _chunk(self) -> bytes:
        """Wait for bytes and return them; none at the end and when the reader is closed."""
        if self._closed:
            return b""
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        ready = dict(poll.poll())
        return b"" if self._closed or self._wake in ready else os.read(self._fd, CHUNK)

    def _take(self, line: str) -> None:
        if not self._closed:
            self._room.acquire()
        if not self._closed:
            self._hand_over(line)

    def _hand_over(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:
            # The loop has ended without `close`: nobody is left to read.
            self._closed = True


async def run_plain(session: Session, answered: Callable[[], asyncio.Event], fd: int) -> None:
    """Carry on a session over a file descriptor until it ends or the person quits.

    Args:
        session: the person's session.
        answered: returns the event that is set whenever a request was answered.
        fd: where lines come from.
    """
    reader = LineReader(fd)
    try:
        while not session.over and (line := await reader.next()) is not None:
            session.type(line)
            while session.waiting:
                event = answered()
                event.clear()
                await event.wait()
            # Let agents and events have their turn between two lines of a fast pipe.
            await asyncio.sleep(0)
    finally:
        reader.close()
