"""Minds in a process of their own on this machine, so that what they do takes no time of the world's.

It is started by the first `open`, and by the first one after it died. It ends with its parent.
"""

from __future__ import annotations

import asyncio
import importlib
import itertools
import math
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from agents.hosts import Answer, HostKind, HostOfMinds, HostPlace, Kept, Lease, MindTurn, Status
from agents.memory.entries import Hit
from mud.errors import LociError, Refusal, Unavailable

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Ignored by the child, as a terminal sends them to the whole process group; the parent ends its child itself."""
SIZE = 8
"""Bytes before each message, for its length."""
LONGEST = 120.0
"""Seconds that one call may take before the child counts as hung; a first one opens the vault and loads brains."""
ENDING = 10.0
"""Seconds that a child gets to finish folds and close its files; then it is killed."""
PROGRAM = "import sys; n, *sys.path = sys.argv[1:]; from agents.hosts.process import main; main(int(n))"

Opened = Callable[[str], AbstractAsyncContextManager[HostOfMinds]]
"""Opens a host under a name for the process, to serve it; can be pickled."""


# -- in the child -----------------------------------------------------------------------------------------------------


def main(number: int) -> None:
    """The child's program: open the host that the first message in a socket names, and answer the others."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)
    asyncio.run(_serve(socket.socket(fileno=number)))


def hosted(vault: Path, maker: str, *names: str | Path) -> AbstractAsyncContextManager[HostOfMinds]:
    """Open minds in this process; for `maker`, and what else it is given, see `HostPlace`."""
    module, _, function = maker.partition(":")
    make: Callable[..., AbstractAsyncContextManager[HostOfMinds]] = getattr(importlib.import_module(module), function)
    return make(vault, *names)


async def _serve(parent: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=parent)
    under_way: set[asyncio.Task[None]] = set()
    opened: Opened = pickle.loads(await _message(reader))
    async with opened(f"process-{os.getpid()}") as host:
        with suppress(asyncio.IncompleteReadError, OSError):
            while True:  # until the parent ends
                task = asyncio.create_task(_answer(host, writer, *pickle.loads(await _message(reader))))
                under_way.add(task)
                task.add_done_callback(under_way.discard)


async def _answer(
    host: HostOfMinds, writer: asyncio.StreamWriter, number: int, method: str, args: tuple[Any, ...]
) -> None:
    result, error = None, None
    try:
        result = await getattr(host, method)(*args)
    except LociError as refused:
        error = refused if isinstance(refused, Refusal) else Unavailable(str(refused))
    except Exception as failed:  # for the log of the parent
        error = Unavailable(f"{type(failed).__name__}: {failed}")
    _send(writer, (number, result, error))


def _send(writer: asyncio.StreamWriter, message: object) -> None:
    data = pickle.dumps(message)
    writer.write(len(data).to_bytes(SIZE) + data)


async def _message(reader: asyncio.StreamReader) -> bytes:
    return await reader.readexactly(int.from_bytes(await reader.readexactly(SIZE)))


# -- in the parent ----------------------------------------------------------------------------------------------------


class ProcessHost:
    """The minds of one child process. `opened`: what it serves, if not the minds of the place."""

    def __init__(self, place: HostPlace, opened: Opened | None = None, longest: float = LONGEST) -> None:
        self._longest = longest
        self._opened = opened or partial(hosted, place.vault, place.maker)
        self._numbers = itertools.count()
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Any]] = {}

    @property
    def pid(self) -> int | None:
        """The child's process; None before the first `open`."""
        return self._process.pid if self._process is not None else None

    async def open(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        if self._listening is None or self._listening.done():
            await self._start()
        kept: Sequence[Kept] = await self._ask("open", minds)
        return kept

    async def tick(self, turns: Sequence[MindTurn], patience: float = math.inf) -> Answer:
        answer: Answer = await self._ask("tick", turns, patience)
        return answer

    async def recall(self, who: str, epoch: int, query: str, k: int = 5) -> Sequence[Hit]:
        hits: Sequence[Hit] = await self._ask("recall", who, epoch, query, k)
        return hits

    async def status(self) -> Status:
        status: Status = await self._ask("status")
        return status

    async def close(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        kept: Sequence[Kept] = await self._ask("close", minds)
        return kept

    async def end(self) -> None:
        if self._process is None:
            return
        try:
            async with asyncio.timeout(ENDING):
                await self._ask("end")
                await self._over()
        except (LociError, TimeoutError):
            pass  # what it had not confirmed is in the ledger
        finally:
            self._process.kill()
            self._process.wait()
            if self._listening is not None:
                await asyncio.wait([self._listening])

    async def _over(self) -> None:
        """Wait until the child has cleared up and ended, as it does when nothing more is asked of it."""
        if self._writer is not None and self._listening is not None:
            self._writer.write_eof()
            await asyncio.wait([self._listening])

    async def _start(self) -> None:
        try:
            reader, self._writer = await asyncio.open_connection(sock=self._spawn())
        except OSError as error:
            raise Unavailable(f"the process for minds did not start: {error}") from error
        _send(self._writer, self._opened)
        self._listening = asyncio.create_task(self._listen(reader, self._writer))

    def _spawn(self) -> socket.socket:
        if self._process is not None:
            self._process.wait()
        mine, its = socket.socketpair()
        # Inherited, so that no interrupt reaches the child before it ignores signals.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(its.fileno()), *sys.path],
                pass_fds=[its.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
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
                    number, result, error = pickle.loads(await _message(reader))
                    waiting = self._waiting.pop(number, None)
                    if waiting is not None and not waiting.done():
                        _settle(waiting, result, error)
        finally:
            writer.close()
            waiting_still, self._waiting = self._waiting, {}
            for waiting in waiting_still.values():
                if not waiting.done():
                    waiting.set_exception(Unavailable("the process for minds has ended"))

    async def _ask(self, method: str, *args: object) -> Any:
        if self._writer is None or self._listening is None or self._listening.done():
            raise Unavailable("the process for minds has ended")
        number = next(self._numbers)
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        _send(self._writer, (number, method, args))
        try:
            async with asyncio.timeout(self._longest):
                return await waiting
        except TimeoutError:
            if self._process is not None:
                self._process.kill()  # it hangs; the next `open` starts another
            raise Unavailable(f"the process for minds did not answer in {self._longest:.0f} s") from None
        finally:
            self._waiting.pop(number, None)


def _settle(waiting: asyncio.Future[Any], result: object, error: LociError | None) -> None:
    if error is not None:
        waiting.set_exception(error)
    else:
        waiting.set_result(result)


PROCESS = HostKind("process", "In a process of their own on this machine.", ProcessHost, apart=True)
