"""Tasks that are started again when they fail."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from itertools import pairwise
from threading import Event

import pytest

from mud.clock import VirtualClock
from mud.supervise import CALM, LONGEST_PAUSE, in_thread, supervise


async def test_a_failing_task_is_reported_and_started_again_later_each_time(caplog: pytest.LogCaptureFixture) -> None:
    clock = VirtualClock()
    starts: list[float] = []

    async def run() -> None:
        starts.append(clock.monotonic())
        if len(starts) < 5:
            raise RuntimeError("the disk is on fire")

    with caplog.at_level(logging.ERROR):
        await supervise("the watcher", run, clock)
    assert starts == [0.0, 0.5, 1.5, 3.5, 7.5]
    assert "the watcher failed (the disk is on fire); it starts again in 0.5 s" in caplog.text


async def test_the_pause_has_a_limit_and_a_calm_run_makes_it_short_again(caplog: pytest.LogCaptureFixture) -> None:
    clock = VirtualClock()
    starts: list[float] = []

    async def run() -> None:
        starts.append(clock.monotonic())
        if len(starts) == 13:
            return
        if len(starts) == 11:
            await clock.sleep(CALM + 1)
        raise RuntimeError("again")

    with caplog.at_level(logging.CRITICAL):
        await supervise("the watcher", run, clock)
    pauses = [later - earlier for earlier, later in pairwise(starts)]
    assert max(pauses[:10]) == LONGEST_PAUSE
    assert pauses[10] == CALM + 1 + 0.5
    assert pauses[11] == 1.0


async def test_a_cancelled_task_ends_and_is_not_started_again() -> None:
    clock = VirtualClock()
    starts = 0

    async def run() -> None:
        nonlocal starts
        starts += 1
        await asyncio.Event().wait()

    task = asyncio.create_task(supervise("the watcher", run, clock))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert starts == 1


async def test_work_aside_is_given_up_when_nobody_waits_for_it() -> None:
    begun, ended = Event(), Event()

    def work(between: Callable[[], None]) -> None:
        begun.set()
        try:
            while True:
                between()
        finally:
            ended.set()

    task = asyncio.create_task(in_thread(work))
    assert await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, 60)


async def test_work_aside_returns_what_it_found() -> None:
    assert await in_thread(lambda between: [between, 7][-1]) == 7
