"""One page that is connected to a seat: what is new for it goes out as one message at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from starlette.websockets import WebSocket

from mud.portal.portal import Portal
from mud.portal.web.panels import panels_of
from mud.portal.web.seat import Seat

TOO_SLOW, OVER = 4408, 4410  # codes that close a websocket


class Screen:
    """A connected page.

    Args:
        shown: number of the last piece of the story that the page has.
    """

    def __init__(self, portal: Portal, socket: WebSocket, seat: Seat, shown: int) -> None:
        self._portal, self._socket, self._seat, self._shown = portal, socket, seat, shown
        self._news: dict[str, Any] = {}
        self._last: dict[str, bytes] = {}
        self._awake = asyncio.Event()
        self._over = 0

    def wake(self) -> None:
        """Send what is new; cut the page off when it has not even taken what is forgotten by now."""
        if self._shown < self._seat.story.first - 1:
            self.end(TOO_SLOW)
        self._awake.set()

    def end(self, code: int = OVER) -> None:
        """Close the connection after what is new."""
        self._over = self._over or code
        self._awake.set()

    def put(self, name: str, value: object) -> None:
        """Send a value under a name, unless the page has it already."""
        form = orjson.dumps(value)
        if self._last.get(name) != form:
            self._last[name] = form
            self._news[name] = value
            self._awake.set()

    def look(self) -> None:
        """Send those panels that have changed."""
        if self._seat.session is not None:
            for name, value in panels_of(self._portal, self._seat.session.who).items():
                self.put(name, value)

    async def write(self) -> None:
        """Send what is new until the session is over."""
        while True:
            await self._awake.wait()
            self._awake.clear()
            if text := self._batch():
                await self._socket.send_text(text)
            if self._over:
                await self._socket.close(self._over)
                return

    def _batch(self) -> str:
        story = self._seat.story
        parts = [f'"{name}":{orjson.dumps(value).decode()}' for name, value in self._news.items()]
        self._news.clear()
        if self._shown < story.last:
            pieces = story.after(self._shown)
            parts.append(f'"first":{story.last - len(pieces) + 1},"story":[{",".join(pieces)}]')
            self._shown = story.last
        return "{" + ",".join(parts) + "}" if parts else ""
