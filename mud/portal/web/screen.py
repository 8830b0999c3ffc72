"""One page that is connected to a play session: what is new for it goes out as one message at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from starlette.websockets import WebSocket

from mud.portal.portal import Portal
from mud.portal.session import Session
from mud.portal.web.play_session import PlaySession, to_json

TOO_SLOW, OVER = 4408, 4410  # codes that close a websocket
REST = 0.02
"""Seconds between two messages to a page that awaits no answer: what happens meanwhile goes out together."""

View = Callable[[Session], Mapping[str, object]]
"""Returns the parts of a page besides the story; what begins with `each_` is sent entry by entry."""


class Screen:
    """A connected page.

    Args:
        view: returns what the page shows besides the story.
        shown: number of the last piece of the story that the page has.
    """

    def __init__(self, portal: Portal, socket: WebSocket, play: PlaySession, view: View, shown: int) -> None:
        self._portal, self._socket, self._play, self._view = portal, socket, play, view
        self._shown = max(shown, play.story.first - 1)
        self._waiting = 0
        self._news: dict[str, Any] = {}
        self._last: dict[str, object] = {}
        self._awake, self._cut = asyncio.Event(), asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._sent_at = 0.0
        self._alarm: asyncio.TimerHandle | None = None
        self._over = 0

    @property
    def session(self) -> Session | None:
        return self._play.session

    def wake(self, more: int = 0, *, at_once: bool = False) -> None:
        """Send what is new, after a rest unless somebody waits for it; `more` characters of the story have come.

        A page that is too slow to take them is cut off.
        """
        self._waiting += more
        if self._shown < self._play.story.first - 1 or self._portal.limits.too_slow(self._waiting):
            self.end(TOO_SLOW)
        rest = 0.0 if at_once else self._sent_at + REST - self._loop.time()
        if rest <= 0:
            self._awake.set()
        elif self._alarm is None and not self._awake.is_set():
            self._alarm = self._loop.call_later(rest, self._awake.set)

    def end(self, code: int = OVER) -> None:
        """Close the connection after what is new."""
        self._over = self._over or code
        self._awake.set()
        if self.cut_off:
            self._cut.set()

    @property
    def cut_off(self) -> bool:
        """Whether nothing more is sent, as the page does not take it."""
        return self._over == TOO_SLOW

    async def until_cut_off(self) -> None:
        """Wait until the page is cut off; writing to it may wait for ever."""
        await self._cut.wait()

    def put(self, name: str, value: object) -> None:
        """Send a value under a name, unless the page has it already."""
        if name not in self._last or self._last[name] != value:
            self._last[name] = value
            self._news[name] = value
            self.wake()

    def answer(self, name: str, value: object) -> None:
        """Send a value that somebody waits for, also when it is the same as the last one."""
        self._news[name] = value
        self.wake(at_once=True)

    def put_each(self, name: str, values: Mapping[str, object]) -> None:
        """Send those entries of a mapping that have changed, and None for those that are gone."""
        known = self._last.setdefault(name, {})
        assert isinstance(known, dict)
        changed = {key: value for key, value in values.items() if known.get(key) != value}
        changed |= dict.fromkeys(known.keys() - values.keys())
        if changed:
            self._last[name] = dict(values)
            self._news[name] = self._news.get(name, {}) | changed
            self.wake()

    def mark_stale(self, name: str, key: str) -> None:
        """Have an entry of a mapping sent at the next look, whatever it is then."""
        known = self._last.get(name)
        if isinstance(known, dict) and key in known:
            known[key] = None

    def add(self, name: str, value: object, most: int) -> None:
        """Send a value in a list, of which only so many wait."""
        waiting = self._news.setdefault(name, [])
        if len(waiting) < most:
            waiting.append(value)
            self.wake()

    def look(self) -> None:
        """Send what has changed besides the story."""
        if self.session is None or self._over:
            return
        for name, value in self._view(self.session).items():
            if name.startswith("each_") and isinstance(value, Mapping):
                self.put_each(name, value)
            else:
                self.put(name, value)

    async def write(self) -> None:
        """Send what is new until the session is over."""
        while True:
            await self._awake.wait()
            self._awake.clear()
            if self._alarm is not None:
                self._alarm.cancel()
                self._alarm = None
            if self.cut_off:
                return
            if text := self._batch():
                await self._socket.send_text(text)
                self._sent_at = self._loop.time()
            if self._over and not self.cut_off:
                await self._socket.close(self._over)
                return

    def _batch(self) -> str:
        story, self._waiting = self._play.story, 0
        parts = [f'"{name}":{to_json(value)}' for name, value in self._news.items()]
        self._news.clear()
        if self._shown < story.last:
            pieces = story.after(self._shown)
            parts.append(f'"first":{story.last - len(pieces) + 1},"story":[{",".join(pieces)}]')
            self._shown = story.last
        return "{" + ",".join(parts) + "}" if parts else ""
