"""A person's session in the world with its story, which outlive the connections of the browser."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import orjson

from mud.portal.portal import Portal
from mud.portal.session import Message, Session, tells_password
from mud.sanitize import sanitize

if TYPE_CHECKING:
    from mud.portal.web.screen import Screen

MOST_MESSAGES, MOST_CHARACTERS = 400, 400_000
"""The newest part of the story that is kept for those that come back, and for slow readers."""
GRACE = 60.0
"""Seconds that a character stays awake after its last page was closed."""
MOST_PAGES = 64  # pages of one browser whose sent lines are told apart
OWN = ("reply", "refusal", "question")
"""Kinds of message that somebody waits for."""


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


class SentLine(NamedTuple):
    """A line as a page sends it; `private` when it was typed as an answer to a private question."""

    line: str
    page: str
    number: int
    private: bool


class PlaySession:
    """What somebody plays in at the pages, with the story that it showed.

    Args:
        enter: lets the person in who comes from an address; raises LociError and OSError.
        left: called when the session is over.
    """

    def __init__(
        self,
        portal: Portal,
        enter: Callable[[Callable[[Message], None], str], Session],
        left: Callable[[], None] = lambda: None,
    ) -> None:
        self.story = Story()
        self.session: Session | None = None
        self.screens: set[Screen] = set()
        self._portal, self._enter, self._left = portal, enter, left
        self._numbers: dict[str, int] = {}
        """Number of the last line of each page."""
        self._typed = 0.0
        self._leaving: asyncio.Task[None] | None = None

    @property
    def taken(self) -> bool:
        """Whether the character is led from here."""
        return self.session is not None

    def attach(self, screen: Screen, address: str) -> Session:
        """Add a page, and let the character in if it is not there. Raises LociError and OSError."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        if self.session is None:
            session = self._enter(self._show, address)
            session.on_end, session.on_private, session.on_question = self._ended, self._ask_privately, self._ask
            self.session = session
            self._typed = self._portal.clock.monotonic()
        self.screens.add(screen)
        return self.session

    def detach(self, screen: Screen) -> None:
        """Take a page away. The character of the last one leaves a little later, as most people come back at once."""
        self.screens.discard(screen)
        if not self.screens and self.session is not None and self._leaving is None:
            self._leaving = asyncio.create_task(self._leave_later())

    async def _leave_later(self) -> None:
        await self._portal.clock.sleep(GRACE)
        self._leaving = None
        self.leave()

    def leave(self) -> None:
        """Take the character away."""
        if self.session is not None:
            self._portal.leave(self.session)

    def leave_when_idle(self, why: str) -> None:
        """End the session of a person who has typed nothing for too long."""
        if self.session is not None and self._portal.limits.idle(self._typed):
            self.session.end(why)

    def type(self, typed: SentLine) -> None:
        """Submit a line once, however often a page sends it: the numbers of a page only rise.

        A private line for which nobody asks any more is dropped.
        """
        line, page, number, private = typed
        if self.session is None or number <= self.taken_of(page):
            return
        self._numbers.pop(page, None)
        self._numbers[page] = number
        if len(self._numbers) > MOST_PAGES:
            del self._numbers[next(iter(self._numbers))]
        self._typed = self._portal.clock.monotonic()

        def taken(hidden: bool) -> None:
            shown = "" if hidden or tells_password(line) else sanitize(line)
            piece = {"kind": "typed", "text": shown, "page": page, "number": number}
            self._add(to_json(piece), awaited=True)

        self.session.type(line, private=private, taken=taken)

    def taken_of(self, page: str) -> int:
        """Return the number of the last line that a page sent."""
        return self._numbers.get(page, 0)

    def _show(self, message: Message) -> None:
        self._add(as_json(message), awaited=message.kind in OWN)

    def _add(self, piece: str, *, awaited: bool) -> None:
        self.story.add(piece)
        for screen in tuple(self.screens):
            screen.wake(len(piece), at_once=awaited)

    def _ask_privately(self, private: bool) -> None:
        for screen in self.screens:
            screen.put("private", private)

    def _ask(self, asked: bool) -> None:
        for screen in self.screens:
            screen.put("asked", asked)

    def _ended(self) -> None:
        session, self.session = self.session, None
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        for screen in tuple(self.screens):
            screen.end()
        if session is not None:
            self._portal.leave(session)
        self._left()


def to_json(value: object) -> str:
    """Return JSON; named tuples become lists."""
    return orjson.dumps(value, default=tuple).decode()


@lru_cache(maxsize=8)  # the same message goes to all who perceive it
def as_json(message: Message) -> str:
    """Return a message as JSON: kind, text and marks."""
    piece: dict[str, object] = {"kind": message.kind, "text": message.text}
    if message.marks:
        piece["marks"] = message.marks
    return to_json(piece)
