"""When folds by rules are made: one at a time, between other work, and later while many talk.

Each blocks the event loop for some milliseconds, and all who witnessed the same are due in the same moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from agents.memory.memory import Memory
from mud.clock import Clock

MANY = 200
"""Memories, of everybody together, within `WINDOW` from which on folds wait."""
WINDOW = 0.5
PUT_OFF, AT_ONCE = 640, 512
"""Unfolded memories up to which folds wait while many talk, and the most memories of one fold from then on."""
LOOK_AGAIN = 0.25
"""Seconds between two looks whether many still talk."""
LONGEST = 0.015
"""Seconds of folds in a row; a prompt or a line of a player waits no longer than that and one fold more."""


class FoldTurns:
    """Gives the folds of many memories their turns. `count` is told of new memories, in a world that runs."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._lock = clock, asyncio.Lock()
        self._credit = 0.0
        """Seconds left for folds until other work comes in between: as many as that had before."""
        self._began, self._counted, self._many = float("-inf"), 0, False
        """The start of the current window, the memories in it, and whether there were many in the one before."""

    def count(self, memories: int) -> None:
        """Take note of new memories."""
        now = self._clock.monotonic()
        if now - self._began >= WINDOW:
            self._many = self._counted >= MANY and now - self._began < 2 * WINDOW
            self._began, self._counted = now, 0
        self._counted += memories

    async def quiet(self, may_wait: Callable[[], bool]) -> None:
        """Wait while many talk and `may_wait` says so."""
        while self.many_talk() and may_wait():
            await self._clock.sleep(LOOK_AGAIN)

    def many_talk(self) -> bool:
        """Return whether so many memories come in that folds should wait."""
        recent = self._clock.monotonic() - self._began < 2 * WINDOW
        return recent and (self._many or self._counted >= MANY)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the turn of one fold, and end it."""
        async with self._lock:
            if self._credit <= 0:
                before = self._clock.monotonic()
                await asyncio.sleep(0)
                self._credit = min(LONGEST, self._clock.monotonic() - before)
            before = self._clock.monotonic()
            try:
                yield
            finally:
                self._credit -= self._clock.monotonic() - before


class FoldPace(NamedTuple):
    """The pace of the folds of one memory; while many talk they wait if `may_wait`, and its files stay behind."""

    memory: Memory
    turns: FoldTurns
    may_wait: Callable[[], bool]

    @property
    def _many_wait(self) -> bool:
        return self.memory.total - self.memory.watermark > PUT_OFF

    async def wait(self) -> None:
        await self.turns.quiet(lambda: self.may_wait() and not self._many_wait)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        async with self.turns.turn():
            if self.turns.many_talk():
                self.memory.stay_behind()
            yield

    def at_least(self) -> int:
        """Return `AT_ONCE` when many memories wait since many talked, else 0.

        Otherwise a second of talk would become several summaries, and folds would take as long as the talk.
        """
        return AT_ONCE if self.memory.behind and self._many_wait else 0

    async def end(self) -> None:
        """Once it is quiet, bring the files up to date."""
        await self.wait()
        if self.memory.behind and not self.turns.many_talk():
            async with self.turns.turn():
                self.memory.catch_up()
