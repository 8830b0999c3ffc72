"""The folds under way: started when due, retried after a failure, ended within a grace period at shutdown."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from agents.agent import Agent
from mud.clock import Clock
from mud.supervise import done_within

log = logging.getLogger(__name__)

T = TypeVar("T")


class FoldTasks:
    """Starts, tracks and ends folds.

    `fold` folds what is due; `there` returns the opened agent of a folder, as closed ones are not checked again.
    """

    def __init__(
        self, clock: Clock, fold: Callable[[Agent], Coroutine[Any, Any, None]], there: Callable[[str], Agent | None]
    ) -> None:
        self._clock, self._fold, self._there = clock, fold, there
        self._tasks: dict[asyncio.Task[Any], str] = {}
        self._running: Counter[str] = Counter()
        """The number of tasks by folder."""
        self._pauses: dict[asyncio.Task[None], str] = {}
        """Waits before a failed fold is retried, at most one per folder."""
        self._ending = False

    def begin(self, agent: Agent) -> None:
        """Start what is due unless a fold is running. Without an event loop it does nothing: tools fold by rules."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        if not agent.relieve() and not self._ending and not self.has(agent):
            self._track(agent, loop.create_task(self._by_itself(agent)))

    def has(self, agent: Agent) -> bool:
        return self._running[agent.slug] > 0

    async def tracked(self, agent: Agent, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine that folds; at shutdown it gets a grace period and is then cancelled."""
        task = asyncio.ensure_future(work)
        self._track(agent, task)
        return await task

    async def _by_itself(self, agent: Agent) -> bool:
        """Fold what is due; return whether it finished without an error."""
        try:
            await self._fold(agent)
        except Exception:  # nobody awaits it; the next entry checks again
            log.exception("[Memory] %s: what is due could not be folded", agent.name)
            return False
        return True

    def _track(self, agent: Agent, task: asyncio.Task[Any]) -> None:
        self._tasks[task] = agent.slug
        self._running[agent.slug] += 1
        task.add_done_callback(lambda done: self._ended(agent, done))

    def _ended(self, agent: Agent, task: asyncio.Task[Any]) -> None:
        self._tasks.pop(task, None)
        self._running[agent.slug] -= 1
        if not task.cancelled() and (task.exception() is not None or task.result() is not False):
            self._ask_again(agent)

    def _ask_again(self, agent: Agent) -> None:
        """Start what is due now, or wait until it may be retried."""
        if self._ending or self._there(agent.slug) is not agent:
            return
        if agent.compactor.due():
            self.begin(agent)
        elif (pause := agent.compactor.pause) > 0 and agent.slug not in self._pauses.values():
            waiting = asyncio.ensure_future(self._clock.sleep(pause))
            self._pauses[waiting] = agent.slug
            waiting.add_done_callback(lambda done: self._paused(agent, done))

    def _paused(self, agent: Agent, waiting: asyncio.Task[None]) -> None:
        self._pauses.pop(waiting, None)
        if not waiting.cancelled():
            self._ask_again(agent)

    async def settle(self) -> None:
        """Wait until no fold is running, however long that takes."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    async def drop(self, slug: str) -> None:
        """Cancel the folds of one folder; the watermark stays."""
        await _cancelled([task for task, owner in (*self._tasks.items(), *self._pauses.items()) if owner == slug])

    async def finish(self, grace: float) -> set[str]:
        """Give running folds `grace` seconds, cancel the rest and return their folders; none starts meanwhile."""
        self._ending = True
        try:
            await _cancelled(list(self._pauses))
            folding = dict(self._tasks)
            if folding:
                await done_within(grace, asyncio.gather(*folding, return_exceptions=True), self._clock)
            late = {slug for task, slug in folding.items() if not task.done()}
            await _cancelled(list(folding))
            return late
        finally:
            self._ending = False


async def _cancelled(tasks: list[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
