"""A person's seat in the world: its session and its story, which outlive the connections of the browser."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import orjson

from mud.portal.portal import Portal
from mud.portal.session import Message, Session

if TYPE_CHECKING:
    from mud.portal.web.screen import Screen

MOST_MESSAGES, MOST_CHARACTERS = 400, 400_000
"""The newest part of the story that is kept for those that come back, and for slow readers."""
GRACE = 60.0
"""Seconds that a character stays awake after its last page was closed."""
MOST_PAGES = 8  # pages of one browser whose sent lines are told apart


class Story:
    """What somebody was shown, as numbered pieces of JSON; only the newest are kept."""

    def __init__(self) -> None:
        self.name = secrets.token_urlsafe(8)
        """Tells this story from that of an earlier sign-in, whose numbers mean nothing here."""
        self.last = 0
        self._pieces: deque[str] = deque()
        self._size = 0

    @property
    def first(self) -> int:
        """Number of the oldest piece that is kept."""
        return self.last - len(self._pieces) + 1

    def add(self, piece: str) -> None:
        self.last += 1
        self._pieces.append(piece)
        self._size += len(piece)
        while len(self._pieces) > MOST_MESSAGES or (self._size > MOST_CHARACTERS and len(self._pieces) > 1):
            self._size -= len(self._pieces.popleft())

    def after(self, number: int) -> list[str]:
        """Return the pieces that follow a number."""
        count = min(self.last - number, len(self._pieces))
        return [self._pieces[at] for at in range(len(self._pieces) - count, len(self._pieces))]


class Seat:
    """Somebody's place in the world.

    Args:
        enter: lets the person in; raises LociError and OSError.
    """

    def __init__(self, portal: Portal, enter: Callable[[Callable[[Message], None]], Session]) -> None:
        self.story = Story()
        self.session: Session | None = None
        self.screens: set[Screen] = set()
        self._portal, self._enter = portal, enter
        self._numbers: dict[str, int] = {}
        self._leaving: asyncio.TimerHandle | None = None

    @property
    def taken(self) -> bool:
        """Whether the character is led from here."""
        return self.session is not None

    def sit(self, screen: Screen) -> None:
        """Add a page, and let the character in if it is not there. Raises LociError and OSError."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        if self.session is None:
            session = self._enter(self._show)
            session.on_end = self._ended
            self.session = session
        self.screens.add(screen)

    def rise(self, screen: Screen) -> None:
        """Take a page away. The character of the last one leaves a little later, as most come back at once."""
        self.screens.discard(screen)
        if not self.screens and self.session is not None and self._leaving is None:
            self._leaving = asyncio.get_running_loop().call_later(GRACE, self.leave)

    def leave(self) -> None:
        """End the session."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        if self.session is not None:
            self._portal.leave(self.session)

    def type(self, line: str, page: str, number: int) -> None:
        """Submit a line once, however often a page sends it: its numbers only rise."""
        if self.session is None or number <= self._numbers.get(page, 0):
            return
        self._numbers.pop(page, None)
        self._numbers[page] = number
        if len(self._numbers) > MOST_PAGES:
            del self._numbers[next(iter(self._numbers))]
        self._add(orjson.dumps({"kind": "typed", "text": line, "page": page, "number": number}).decode())
        self.session.type(line)

    def _show(self, message: Message) -> None:
        self._add(as_json(message))

    def _add(self, piece: str) -> None:
        self.story.add(piece)
        for screen in tuple(self.screens):
            screen.wake()

    def _ended(self) -> None:
        session, self.session = self.session, None
        if session is not None:
            self._portal.leave(session)
        for screen in tuple(self.screens):
            screen.end()


def as_json(message: Message) -> str:
    """Return a message as JSON: kind, text and marks."""
    piece: dict[str, object] = {"kind": message.kind, "text": message.text}
    if message.marks:
        piece["marks"] = [tuple(one) for one in message.marks]
    return orjson.dumps(piece).decode()
