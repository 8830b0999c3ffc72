"""Tells connected pages that the world has changed, a few times a second at most."""

from __future__ import annotations

import asyncio

from mud.engine.engine import Step
from mud.portal.portal import Portal
from mud.portal.web.screen import Screen

PAUSE = 0.25  # seconds between two looks at the world


class Ticker:
    """Lets screens look again after steps of anybody."""

    def __init__(self, portal: Portal) -> None:
        self.screens: set[Screen] = set()
        self._portal = portal
        self._changed = asyncio.Event()
        portal.engine.observe(self._noticed)
        self._task = asyncio.create_task(self._run(), name="web panels")

    def stop(self) -> None:
        self._portal.engine.unobserve(self._noticed)
        self._task.cancel()

    def _noticed(self, step: Step) -> None:
        self._changed.set()

    async def _run(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            for screen in tuple(self.screens):
                screen.look()
            await self._portal.clock.sleep(PAUSE)
