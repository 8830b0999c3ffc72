"""Waiting for something no longer than a clock allows, and leaving nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from mud.clock import Clock

T = TypeVar("T")


async def timeout(seconds: float, call: Coroutine[Any, Any, T], clock: Clock) -> T:
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
