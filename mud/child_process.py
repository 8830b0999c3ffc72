"""Child processes of our own that answer requests over a socket pair, each a pickle that its length goes before.

An executor's threads in the parent would fail with little memory, and print it. A child ends with its parent.
"""

from __future__ import annotations

import asyncio
import itertools
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from mud.errors import LociError

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Ignored by a child, as a terminal sends them to the whole process group; the parent ends its child itself."""
SIZE = 8
"""Bytes before each message, for its length."""
LEAVING = 2.0
"""Seconds to wait for a child to end that was killed, or whose end of the socket is closed."""
LONGEST = 120.0
"""Seconds that one answer may take before a child counts as hung; the first one has it load much."""


def ignore_signals() -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def framed(message: object) -> bytes:
    data = pickle.dumps(message)
    return len(data).to_bytes(SIZE) + data


async def read_message(reader: asyncio.StreamReader) -> Any:
    return pickle.loads(await reader.readexactly(int.from_bytes(await reader.readexactly(SIZE))))


class ChildProcess:
    """A child that is sent `(number, request)` and sends `(number, answer)` back. Once ended, it may be started anew.

    Args:
        name: what errors call it.
        error: the error that there is no answer; the child may then be gone.
        longest: seconds for an answer, after which the child is killed.
    """

    def __init__(self, name: str, error: Callable[[str], LociError], longest: float = LONGEST) -> None:
        self._name, self._error, self._longest = name, error, longest
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._gone = "has not started"

    @property
    def pid(self) -> int | None:
        """The last child's process; None before the first."""
        return self._process.pid if self._process is not None else None

    @property
    def runs(self) -> bool:
        return self._listening is not None and not self._listening.done()

    async def start(self, module: str, *args: str, inherit: Sequence[int] = ()) -> None:
        """Start a child. Raises OSError.

        Args:
            module: its `main` is called with the descriptor of its socket and `args`, all of them text.
            inherit: descriptors that the child gets too.
        """
        reader, self._writer = await asyncio.open_connection(sock=self._spawn(module, args, inherit))
        self._listening = asyncio.create_task(self._listen(reader, self._writer))

    def _spawn(self, module: str, args: Sequence[str], inherit: Sequence[int]) -> socket.socket:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        end = 2 + len(args)
        program = f"import sys; args, sys.path = sys.argv[1:{end}], sys.argv[{end}:]; from {module} import main; "
        mine, its = socket.socketpair()
        # Inherited, so that no interrupt reaches the child before it ignores signals.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", f"{program}main(*args)", str(its.fileno()), *args, *sys.path],
                pass_fds=[its.fileno(), *inherit],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except BaseException:
            mine.close()
            raise
        finally:
            its.close()
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return mine

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Give each answer to who waits for it, until the child ends."""
        try:
            with suppress(asyncio.IncompleteReadError, OSError):
                while True:
                    number, answer = await read_message(reader)
                    waiting = self._waiting.get(number)
                    if waiting is not None and not waiting.done():
                        waiting.set_result(answer)
        finally:
            writer.close()
            self._gone = f"ended unexpectedly{self._how()}"
            for waiting in [one for one in self._waiting.values() if not one.done()]:
                waiting.set_exception(self._error(f"{self._name} {self._gone}"))

    def _how(self) -> str:
        assert self._process is not None
        try:
            code = self._process.wait(LEAVING)  # no time at all: its memory was freed before its end of the socket
        except subprocess.TimeoutExpired:
            self.kill()
            return ""
        return f" ({signal.Signals(-code).name if code < 0 else f'exit status {code}'})"

    async def ask(self, *request: object) -> Any:
        """Return the child's answer. A request that cannot be pickled is not sent, and raises what pickle raises."""
        number = next(self._numbers)
        message = framed((number, request))
        if self._writer is None or not self.runs:
            raise self._error(f"{self._name} {self._gone}")
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._writer.write(message)
        try:
            async with asyncio.timeout(self._longest):
                return await waiting
        except TimeoutError:
            self.kill()
            raise self._error(f"{self._name} did not answer in {self._longest:.0f} s") from None
        finally:
            del self._waiting[number]

    async def finish(self) -> None:
        """Wait until the child has ended by itself, as it does when nothing more can be asked of it."""
        if self._writer is not None and self._listening is not None:
            self._writer.write_eof()
            await asyncio.wait([self._listening])

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    async def end(self) -> None:
        """Kill the child, and wait until it has ended, at most `LEAVING`."""
        self.kill()
        if self._listening is not None and not self._listening.done():
            await asyncio.wait([self._listening], timeout=LEAVING)
        elif self._process is not None:  # whoever started it was cancelled meanwhile
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(LEAVING)
        if self._writer is not None:
            self._writer.close()
