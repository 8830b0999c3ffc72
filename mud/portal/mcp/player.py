"""A character that a program leads: its session in the world, which outlives single requests."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from mud.portal.mcp.tools import PossibleTool, Surroundings, as_tools, possible_tools, surroundings
from mud.portal.phrases import LEFT_OUT, STILL
from mud.portal.portal import Portal
from mud.portal.session import Message, Session
from mud.storage.accounts import Account
from mud.supervise import timeout
from mud.world.roles import Role

DOOR = "mcp"
MOST_MESSAGES, MOST_CHARACTERS = 400, 200_000
"""What a character perceived that is kept until its program asks; then the oldest is left out."""
OWN = ("reply", "refusal", "question")
"""Kinds of message that answer a line."""


class Answered(NamedTuple):
    """What came of a line; `failed` when it was refused."""

    reply: str
    failed: bool = False


class Player:
    """What a program plays in that brings the token of an account.

    Args:
        changed: called when other tools may be possible than before.
    """

    def __init__(self, portal: Portal, account: Account, changed: Callable[[Player], None]) -> None:
        self.account = account
        self.address = ""
        self.requests = 0
        """Requests that are open now."""
        self._portal, self._changed = portal, changed
        self._session: Session | None = None
        self._heard = deque[Message]()
        self._size = self._left_out = 0
        self._replies: list[Message] | None = None
        self._news, self._answered = asyncio.Event(), asyncio.Event()
        self._turn = asyncio.Lock()
        self._seen: tuple[Surroundings, Role] | None = None
        self._typed = self._used = portal.clock.monotonic()

    def enter(self) -> Session:
        """Return the session in the world, entered when there is none. Raises LociError and OSError."""
        if self._session is None:
            session = self._portal.enter(self.account, self._show, DOOR, self.address)
            session.ask_no_more()  # a program answers no question for a password
            session.on_end, session.on_ready = self._ended, self._answered.set
            self._session, self._typed = session, self._portal.clock.monotonic()
        return self._session

    @property
    def plays(self) -> bool:
        """Whether the character is in the world."""
        return self._session is not None

    @contextmanager
    def request(self, account: Account, address: str) -> Iterator[None]:
        """Count a request for the length of the block, made with the account as it is today."""
        self.account, self.address = account, address
        self.requests += 1
        try:
            yield
        finally:
            self.requests -= 1
            self._used = self._portal.clock.monotonic()

    async def type(self, line: str) -> Answered:
        """Carry out a line as one that a person typed, and return its answer. Raises LociError and OSError."""
        await self._pause()
        async with self._turn:
            session = self.enter()
            self._typed = self._portal.clock.monotonic()
            replies = self._replies = []
            try:
                begun = asyncio.Event()
                session.type(line, taken=lambda hidden: begun.set())
                await self._until_answered(session, begun)
            except asyncio.CancelledError:
                self._keep(replies)
                raise
            finally:
                self._replies = None
            if not replies and session.waiting:
                replies = [Message(self._portal.say(STILL), "notice")]
        return Answered("\n".join(one.text for one in replies), any(one.kind == "refusal" for one in replies))

    async def _pause(self) -> None:
        """Wait when lines come too fast."""
        if pause := self._portal.limits.line(self.address, self.account.name):
            await self._portal.clock.sleep(pause)

    async def _until_answered(self, session: Session, begun: asyncio.Event) -> None:
        """Wait until a line has begun, those before it being answered, and has its answer; or as long as `wait` may."""

        async def ready() -> None:
            while (session.waiting or not begun.is_set()) and not session.over:
                self._answered.clear()
                await self._answered.wait()

        await self._within(self._portal.settings().mcp_wait_seconds, ready)

    async def _within(self, seconds: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await timeout(seconds, work(), self._portal.clock)
        except TimeoutError:
            pass  # whoever called looks at what there is

    async def wait(self, seconds: float) -> None:
        """Wait until the character has perceived something since the last `take`, or for some seconds."""
        await self._pause()
        session = self.enter()

        async def news() -> None:
            while not self._heard and not session.over:
                self._news.clear()
                await self._news.wait()

        await self._within(min(seconds, self._portal.settings().mcp_wait_seconds), news)

    def take(self) -> list[str]:
        """Return what the character perceived since the last time, oldest first."""
        texts = [one.text for one in self._heard]
        if self._left_out:
            texts.insert(0, self._portal.say(LEFT_OUT, count=self._left_out))
        self._heard.clear()
        self._size = self._left_out = 0
        return texts

    async def tools(self) -> list[PossibleTool]:
        """Return the tools that are possible now. Raises LociError and OSError."""
        await self._pause()
        engine, session = self._portal.engine, self.enter()
        who, role = session.who, session.role
        around = surroundings(engine.world, who)
        self._seen = around, role
        commands, say = as_tools(engine.commands, role), self._portal.say
        return possible_tools(commands, around.names, lambda line: engine.would(who, line, role), say)

    def look(self) -> None:
        """Say so when what is around changed since the tools were listed, or since that was said last."""
        session = self._session
        if session is None or self._seen is None:
            return
        seen = surroundings(self._portal.engine.world, session.who), session.role
        if seen != self._seen:
            self._seen = seen
            self._changed(self)

    def leave_when_silent(self, why: str) -> None:
        """End the session of a program that types nothing for too long, or is gone."""
        clock, settings = self._portal.clock, self._portal.settings()
        gone = not self.requests and clock.monotonic() - self._used >= settings.mcp_stay_minutes * 60
        if self._session is not None and (gone or self._portal.limits.idle(self._typed)):
            self._session.end("" if gone else why)

    def leave(self) -> None:
        """Take the character away."""
        if self._session is not None:
            self._portal.leave(self._session)

    def _ended(self) -> None:
        session, self._session, self._seen = self._session, None, None
        self._answered.set()
        self._news.set()
        if session is not None:
            self._portal.leave(session)

    def _show(self, message: Message) -> None:
        if self._replies is not None and message.kind in OWN:
            self._replies.append(message)
        else:
            self._keep([message])

    def _keep(self, messages: list[Message]) -> None:
        self._heard += messages
        self._size += sum(len(one.text) for one in messages)
        while self._heard and (len(self._heard) > MOST_MESSAGES or self._size > MOST_CHARACTERS):
            self._size -= len(self._heard.popleft().text)
            self._left_out += 1
        self._news.set()
