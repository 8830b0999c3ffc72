"""The folds under way in one vault: begun when they are due, asked about again when one ends, given up at the end.

Due is asked after every memory by who remembers it; here it is asked again after every fold, and after the pause of one
that failed, so that nothing that is due waits for the next memory. One automatic fold per agent at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from agents.agent import Agent
from mud.clock import Clock
from mud.supervise import done_within

log = logging.getLogger(__name__)

T = TypeVar("T")


class FoldTasks:
    """Begins, follows up and ends folds.

    Args:
        clock: the time.
        fold: folds what is due of an agent.
        there: gives the opened agent in a folder; whoever is let go is not asked about again.
    """

    def __init__(
        self, clock: Clock, fold: Callable[[Agent], Coroutine[Any, Any, None]], there: Callable[[str], Agent | None]
    ) -> None:
        self._clock, self._fold, self._there = clock, fold, there
        self._tasks: dict[asyncio.Task[Any], str] = {}
        self._pauses: dict[asyncio.Task[None], str] = {}
        """Those who wait until a fold that failed is tried again, at most one in each folder."""
        self._ending = False

    def begin(self, agent: Agent) -> None:
        """Begin what is due, unless a fold is under way; a tool without a loop folds by itself, by rules."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        if not agent.relieve() and not self._ending and agent.slug not in self._tasks.values():
            self._track(agent, loop.create_task(self._by_itself(agent)))

    async def tracked(self, agent: Agent, work: Coroutine[Any, Any, T]) -> T:
        """Do what folds an agent's memories; it gets a while at the end, and is cancelled then."""
        task = asyncio.ensure_future(work)
        self._track(agent, task)
        return await task

    async def _by_itself(self, agent: Agent) -> bool:
        """Fold what is due and return whether that came to its end."""
        try:
            await self._fold(agent)
        except Exception:  # nobody awaits it; the next memory asks again
            log.exception("[Memory] %s: what is due could not be folded", agent.name)
            return False
        return True

    def _track(self, agent: Agent, task: asyncio.Task[Any]) -> None:
        self._tasks[task] = agent.slug
        task.add_done_callback(lambda done: self._ended(agent, done))

    def _ended(self, agent: Agent, task: asyncio.Task[Any]) -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and (task.exception() is not None or task.result() is not False):
            self._ask_again(agent)

    def _ask_again(self, agent: Agent) -> None:
        """Begin what is due by now, or wait until it may be tried again."""
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
        """Wait until no fold is under way, however long that takes."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    async def drop(self, slug: str) -> None:
        """Give up the folds of one folder that are under way; the watermark stays where it was."""
        await _cancelled([task for task, owner in (*self._tasks.items(), *self._pauses.items()) if owner == slug])

    async def finish(self, grace: float) -> set[str]:
        """Give the folds under way a while and cancel the rest; none begins meanwhile.

        Args:
            grace: seconds.

        Returns:
            The folders of those that were cancelled.
        """
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
