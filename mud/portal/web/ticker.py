"""Tells connected pages what changes in the world around their characters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from mud.engine.engine import Step
from mud.portal.portal import Portal
from mud.portal.web.screen import Screen
from mud.portal.web.views import PageViews
from mud.supervise import supervise


class Onlooker(Protocol):
    def look(self) -> None:
        """Look at the world again, after something happened in it."""


PAUSE = 0.25  # seconds between two looks at the world
MOST_WORDS = 50  # speeches that wait for a page
SWEEP = 30.0  # seconds between two looks at who is silent


class Ticker:
    """Lets pages look again after steps of anybody, a few times a second at most.

    Args:
        sweep: called from time to time, to let go who has been silent for too long.
    """

    def __init__(self, portal: Portal, sweep: Callable[[], None]) -> None:
        self.views = PageViews(portal)
        self._portal, self._sweep = portal, sweep
        self._onlookers: set[Onlooker] = set()
        self._maps: set[Screen] = set()
        self._changed = asyncio.Event()
        portal.engine.observe(self._noticed)
        duties = {"showing what changes": self._look, "looking for who is silent": self._sweep_on}
        self._tasks = [asyncio.create_task(supervise(name, duty, portal.clock)) for name, duty in duties.items()]

    def add(self, screen: Screen, *, is_map: bool) -> None:
        self.watch(screen)
        if is_map:
            self._maps.add(screen)

    def watch(self, onlooker: Onlooker) -> None:
        """Let somebody else look again too."""
        self._onlookers.add(onlooker)

    def discard(self, onlooker: Onlooker) -> None:
        self._onlookers.discard(onlooker)
        self._maps.discard(onlooker)

    def stop(self) -> None:
        self._portal.engine.unobserve(self._noticed)
        for task in self._tasks:
            task.cancel()

    def _noticed(self, step: Step) -> None:
        self._changed.set()
        for screen in self._maps if step.events else ():
            if screen.session is not None:
                for said in self.views.said(screen.session, step):
                    screen.add("said", said, MOST_WORDS)
                for went in self.views.went(screen.session, step):
                    screen.add("went", went, MOST_WORDS)
                    screen.mark_stale("each_person", went[0])  # the page moves it by itself

    async def _look(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            for onlooker in tuple(self._onlookers):
                onlooker.look()
            await self._portal.clock.sleep(PAUSE)

    async def _sweep_on(self) -> None:
        while True:
            await self._portal.clock.sleep(SWEEP)
            self._sweep()
