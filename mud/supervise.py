"""Keep long-lived tasks alive: one that fails is reported and started again, later each time it fails again; and long
work aside, which ends when nobody waits for it any more.

`asyncio.TaskGroup` ends everything when one member raises; a world must not end because a watcher did.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from threading import Event
from typing import TypeVar

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
