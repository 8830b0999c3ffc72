"""Restarting failed tasks, giving up work in threads, and timeouts by a clock.

`asyncio.TaskGroup` ends all tasks when one fails; a world must survive the failure of one.
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

FIRST_PAUSE = 0.5  # seconds before the first restart; doubled for each further one
LONGEST_PAUSE = 60.0  # seconds
CALM = 300.0  # seconds without a failure after which the pause starts again at `FIRST_PAUSE`


async def supervise(name: str, run: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Run `run` until it returns; after an exception log it and run again after a pause."""
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
    """Run work in a thread and stop it when the caller is cancelled.

    The work must often call the function that it is given, which then raises. A thread cannot be killed, and the
    program waits for its threads at the end.
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
    """Await a call for some seconds of the clock. Raises TimeoutError after the call was cancelled and has ended."""
    task = asyncio.ensure_future(call)
    try:
        await asyncio.sleep(0)  # waiting moves a virtual clock, so only calls that are not done yet start a timer
        if not task.done() and not await done_within(seconds, task, clock):
            raise TimeoutError
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not log it when this task was cancelled


async def done_within(seconds: float, work: asyncio.Future[Any], clock: Clock) -> bool:
    """Wait until work is done or the time is over; return whether it is done. It is not cancelled."""
    timer = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait([work, timer], return_when=asyncio.FIRST_COMPLETED)
    finally:
        timer.cancel()
        await asyncio.wait([timer])
    return work.done()
