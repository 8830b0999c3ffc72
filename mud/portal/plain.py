"""The way in for a pipe: one line in, its replies out, in order, without prompts or decoration."""

from __future__ import annotations

import asyncio
import os
import select
import sys
import termios
import threading
from collections.abc import Callable

from mud.portal.session import Session

LONGEST = 400_000  # bytes of a line that are kept; the rest is dropped, and the engine refuses such a line
CHUNK = 65_536
AHEAD = 64  # lines read ahead of the current one; then a fast pipe waits, so that memory is not filled


def show_plain(text: str) -> None:
    """Print a text at once; characters that the output's encoding lacks become question marks."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), flush=True)


def cut_lines(chunks: Callable[[], bytes], take: Callable[[str], None]) -> None:
    """Read bytes until there are none and pass each line to `take`, with invalid UTF-8 replaced."""
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
    """Reads the lines of a file descriptor in a thread, because not every event loop can wait for a file or a terminal.

    It reads at most `AHEAD` lines ahead. `close` stops the thread even while it waits, so that no line is taken from
    the next reader of the descriptor, which stays open. Needs a running event loop.
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
            self._lines.put_nowait(None)  # later calls return None too
        else:
            self._room.release()
        return line

    def close(self) -> None:
        """Stop reading. May be called twice."""
        if self._closed:
            return
        self._closed = True
        self._room.release()
        os.write(self._alarm, b"!")
        # May time out when another process took the bytes between poll and read; then the thread ends with this one.
        self._thread.join(timeout=1.0)
        os.close(self._wake)
        os.close(self._alarm)

    def _read(self) -> None:
        try:
            cut_lines(self._chunk, self._take)
        except OSError:
            pass  # the descriptor is gone, such as a terminal that was hung up: treated as the end of the input
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
            self._closed = True  # the loop has ended without `close`


async def run_plain(session: Session, answered: Callable[[], asyncio.Event], fd: int) -> None:
    """Run a session until its end or `quit`; `answered` returns the event that is set after each answered request."""
    reader = LineReader(fd)

    def private(begins: bool) -> None:
        set_echo(fd, on=not begins)
        answered().set()  # the next line is no longer waited with

    session.on_private, session.on_question = private, lambda asked: answered().set()
    try:
        while not session.over and (line := await reader.next()) is not None:
            session.type(line)
            while session.waiting:
                event = answered()
                event.clear()
                await event.wait()
            await asyncio.sleep(0)  # lets agents and events run between two lines of a fast pipe
    finally:
        session.ask_no_more()  # a terminal shows what is typed again
        reader.close()


def set_echo(fd: int, *, on: bool) -> None:
    """Have a terminal show what is typed, or not; a pipe has nothing to show it with."""
    try:
        mode = termios.tcgetattr(fd)
        mode[3] = mode[3] | termios.ECHO if on else mode[3] & ~termios.ECHO
        termios.tcsetattr(fd, termios.TCSADRAIN, mode)
    except termios.error:
        return
