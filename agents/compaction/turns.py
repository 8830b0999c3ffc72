"""When folds by rules are made: one at a time, between other work, and later while many talk.

Each blocks the event loop for some milliseconds, and all who witnessed the same are due in the same moment.
"""

from __future__ import annotations

import asyncio
from collections import deque
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
LONGEST, SHARE = 0.04, 1.0
"""Seconds of folds between two looks at other work at most, and how many times as long as that they may take."""


class FoldTurns:
    """Gives the folds of many memories their turns. `count` is told of new memories, in a world that runs."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._gives = False
        """Whether turns are given with each round of the event loop, as somebody waits."""
        self._given, self._folded, self._took = 0.0, 0.0, 0.0
        """When turns were last given, the seconds of folds since then, and those of the last one."""
        self._behind: dict[Memory, None] = {}  # whose files are brought up to date once it is quiet
        self._catching_up: asyncio.Task[None] | None = None
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

    def catch_up_later(self, memory: Memory) -> None:
        """Bring the files of a memory up to date once it is quiet, also when none of its folds is due again."""
        self._behind[memory] = None
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = asyncio.get_running_loop().create_task(self._catch_up())

    async def _catch_up(self) -> None:
        while self._behind:
            await self.quiet(lambda: True)
            async with self.turn():
                memory = next(iter(self._behind))
                del self._behind[memory]
                memory.catch_up()

    async def stop(self) -> None:
        """Bring no more files up to date; a memory does so itself when it is closed."""
        if self._catching_up is not None:
            self._catching_up.cancel()
            await asyncio.gather(self._catching_up, return_exceptions=True)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the turn of one fold, which must not await anything. The first one of several has it at once."""
        loop = asyncio.get_running_loop()
        if not self._gives:
            self._gives, self._given, self._folded = True, self._clock.monotonic(), 0.0
            loop.call_soon(self._give)
        else:
            mine: asyncio.Future[None] = loop.create_future()
            self._waiting.append(mine)
            await mine
        before = self._clock.monotonic()
        try:
            yield
        finally:
            self._took = self._clock.monotonic() - before
            self._folded += self._took

    def _give(self) -> None:
        """Give one turn, or as many as fit into the time that other work may be kept waiting."""
        now = self._clock.monotonic()
        others = now - self._given - self._folded
        left = min(LONGEST, SHARE * others)
        self._given, self._folded = now, 0.0
        while self._waiting:
            left -= self._took
            if not (mine := self._waiting.popleft()).done():
                mine.set_result(None)
                if left < self._took or self._took <= 0:
                    break
        self._gives = bool(self._waiting)
        if self._gives:
            asyncio.get_running_loop().call_soon(self._give)


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

    def end(self) -> None:
        """Have the files brought up to date once it is quiet."""
        if self.memory.behind:
            self.turns.catch_up_later(self.memory)
