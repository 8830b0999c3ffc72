"""Keep long-lived tasks alive: one that fails is reported and started again, later each time it fails again; long work
aside, which ends when nobody waits for it any more; and waiting no longer than a clock allows.

`asyncio.TaskGroup` ends everything when one member raises; a world must not end because a watcher did.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from threading import Event
from typing import Any, TypeVar

from mud.clock import Clock

log = logging.getLogger(__name__)

Result = TypeVar("Result")

FIRST_PAUSE = 0.5
"""Seconds before the first restart; doubled at each further one."""
LONGEST_PAUSE = 60.0
"""Seconds between restarts at most."""
CALM = 300.0
"""A task that ran this many seconds without failing starts again from `FIRST_PAUSE`."""


async def supervise(name: str, run: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Run `run` until it returns; when it raises, log why and run it again after a pause.

    Args:
        name: what the task is called in the log.
        run: makes a fresh run of the task each time.
        clock: measures the pauses.
    """
    pause = FIRST_PAUSE
    while True:
        started = clock.monotonic()
        try:
            await run()
            return
        except Exception as error:
            if clock.monotonic() - started > CALM:
                pause = FIRST_PAUSE
            log.exception("%s failed (%s); it starts again in %.1f s", name, error, pause)
        await clock.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 2)


async def in_thread(work: Callable[[Callable[[], None]], Result]) -> Result:
    """Do work in a thread and return its result; it is given up when whoever waits for it is cancelled.

    A thread cannot be ended from outside, and a program waits for those that it has when it ends.

    Args:
        work: is given what it has to call again and again; that raises once nobody waits.
    """
    given_up = Event()

    def between() -> None:
        if given_up.is_set():
            raise asyncio.CancelledError

    try:
        return await asyncio.to_thread(work, between)
    finally:
        given_up.set()


async def timeout(seconds: float, call: Coroutine[Any, Any, Result], clock: Clock) -> Result:
    """Await a call for so many seconds of the clock at most.

    Raises:
        TimeoutError: the time is up; the call has been cancelled and is over.
    """
    task = asyncio.ensure_future(call)
    try:
        await asyncio.sleep(0)  # a virtual clock jumps when waited on: only those who must wait start one
        if not task.done() and not await done_within(seconds, task, clock):
            raise TimeoutError
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not report a loss when we were cancelled meanwhile


async def done_within(seconds: float, work: asyncio.Future[Any], clock: Clock) -> bool:
    """Wait until work is done or the time is up; say whether it is done. It is not cancelled."""
    timer = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait([work, timer], return_when=asyncio.FIRST_COMPLETED)
    finally:
        timer.cancel()
        await asyncio.wait([timer])
    return work.done()
