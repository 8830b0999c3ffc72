"""Minds in a process of their own on this machine, so that what they do takes no time of the world's.

It is started by the first `open`, and by the first one after it died. It ends with its parent.
"""

from __future__ import annotations

import asyncio
import importlib
import math
import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

from agents.hosts import Answer, HostKind, HostOfMinds, HostPlace, Kept, Lease, MindTurn, Status
from agents.memory.entries import Hit
from mud.child_process import LONGEST, ChildProcess, framed, ignore_signals, read_message
from mud.errors import LociError, Refusal, Unavailable

NAME = "the process for minds"
ENDING = 10.0
"""Seconds that a child gets to finish folds and close its files; then it is killed."""

Opened = Callable[[str], AbstractAsyncContextManager[HostOfMinds]]
"""Opens a host under a name for the process, to serve it; can be pickled."""


# -- in the child -----------------------------------------------------------------------------------------------------


def main(descriptor: str) -> None:
    """The child's program: open the host that the first request in a socket names, and answer the others."""
    ignore_signals()
    asyncio.run(_serve(socket.socket(fileno=int(descriptor))))


def hosted(vault: Path, maker: str, *names: str | Path) -> AbstractAsyncContextManager[HostOfMinds]:
    """Open minds in this process; for `maker`, and what else it is given, see `HostPlace`."""
    module, _, function = maker.partition(":")
    make: Callable[..., AbstractAsyncContextManager[HostOfMinds]] = getattr(importlib.import_module(module), function)
    return make(vault, *names)


async def _serve(parent: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=parent)
    under_way: set[asyncio.Task[None]] = set()
    number, (opened,) = await read_message(reader)
    async with AsyncExitStack() as stack:
        host, error = await _outcome(lambda: stack.enter_async_context(opened(f"process-{os.getpid()}")))
        writer.write(framed((number, (None, error))))
        with suppress(asyncio.IncompleteReadError, OSError):
            while host is not None:  # until the parent ends
                task = asyncio.create_task(_answer(host, writer, *await read_message(reader)))
                under_way.add(task)
                task.add_done_callback(under_way.discard)


async def _answer(host: HostOfMinds, writer: asyncio.StreamWriter, number: int, request: tuple[Any, ...]) -> None:
    method, *args = request
    writer.write(framed((number, await _outcome(lambda: getattr(host, method)(*args)))))


async def _outcome(work: Callable[[], Awaitable[Any]]) -> tuple[Any, LociError | None]:
    """Return what work returns, and the error that it raises, as the parent can unpickle it."""
    try:
        return await work(), None
    except LociError as refused:
        return None, refused if isinstance(refused, Refusal) else Unavailable(str(refused))
    except Exception as failed:  # for the log of the parent
        return None, Unavailable(f"{type(failed).__name__}: {failed}")


# -- in the parent ----------------------------------------------------------------------------------------------------


class ProcessHost:
    """The minds of one child process. `opened`: what it serves, if not the minds of the place."""

    def __init__(self, place: HostPlace, opened: Opened | None = None, longest: float = LONGEST) -> None:
        self._opened = opened or partial(hosted, place.vault, place.maker)
        self._child = ChildProcess(NAME, Unavailable, longest)

    @property
    def pid(self) -> int | None:
        """The child's process; None before the first `open`."""
        return self._child.pid

    async def open(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        if not self._child.runs:
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
        if self._child.pid is None:
            return
        try:
            async with asyncio.timeout(ENDING):
                await self._ask("end")
                await self._child.finish()
        except (LociError, TimeoutError):
            pass  # what it had not confirmed is in the ledger
        finally:
            await self._child.end()

    async def _start(self) -> None:
        try:
            await self._child.start(__name__)
            await self._ask(self._opened)
        except OSError as error:
            raise Unavailable(f"{NAME} did not start: {error}") from error
        except LociError:
            await self._child.end()  # so that the next `open` starts another
            raise

    async def _ask(self, *request: object) -> Any:
        result, error = await self._child.ask(*request)
        if error is not None:
            raise error
        return result


PROCESS = HostKind("process", "In a process of their own on this machine.", ProcessHost, apart=True)
