"""A running world that people come into as doors let them, in process and without sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from argon2 import PasswordHasher

from mud.clock import Clock
from mud.engine.engine import Step
from mud.portal.authentication import Authenticator
from mud.portal.session import Message, Session
from mud.server.people import People, look_through
from mud.server.reloading import Reloading
from mud.server.requests import carry_out, submit
from mud.storage.accounts import Account
from mud.world.events import Request
from mud.world.roles import Role
from tests.houses import House, house

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""What is hashed for a test need not resist anybody; the real one takes a third of a second."""
HOME = "192.0.2.1"


class Seat:
    """A session at a door, and all that it showed."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.ended = 0
        self.session: Session

    @property
    def shown(self) -> list[str]:
        return [message.text for message in self.messages]

    @property
    def last(self) -> str:
        return self.messages[-1].text

    def end(self) -> None:
        self.ended += 1


class Lobby:
    """The people of a house, with all that `run` does for them."""

    def __init__(self, home: House) -> None:
        self.home, self.parts, self.told = home, home.parts, list[str]()
        self.reloading = Reloading(home.parts, self.told.append)
        self.people = People(home.parts, self.reloading, self._submit, lambda agent: None)
        self.accounts, people = self.people.accounts, self.people
        people.authenticator = Authenticator(
            people.accounts, people.limits, people.settings, home.parts.clock, people.free_name, QUICK
        )
        self.asked: set[asyncio.Task[None]] = set()
        home.engine.observe(self.people.news.observe)
        home.engine.observe(self.people.sessions.observe)

    def _submit(self, who: str, line: str, role: Role) -> Step:
        step = submit(self.home.engine, self.home.minds, who, line, role)
        for request in step.requests:
            task = asyncio.ensure_future(self._carry_out(request))
            self.asked.add(task)
            task.add_done_callback(self.asked.discard)
        return step

    async def _carry_out(self, request: Request) -> None:
        self.home.engine.answer(request, await carry_out(self.parts, request, list, self.people))
        look_through(self.people.sessions, self.parts.minds.resting)

    async def answered(self) -> None:
        """Wait until every request has its answer or waits for a line."""
        while any(not task.done() for task in self.asked) and not any(one.asks for one in self.people.sessions):
            await asyncio.wait(self.asked, timeout=0.01)

    def account(self, name: str, role: Role = Role.PLAYER, password: str = "") -> Account:
        """Make an account as it is after a registration."""
        account = Account(name, role, QUICK.hash(password) if password else "")
        self.accounts.write(account)
        return account

    def enter(self, name: str, role: Role = Role.PLAYER, door: str = "telnet", address: str = HOME) -> Seat:
        """Let somebody in who has an account, made when there is none; a guest is called Guest."""
        account = None if name == "Guest" else self.accounts.find(name) or self.account(name, role)
        seat = Seat()
        return self._sit(seat, self.people.enter(account, seat.messages.append, door, address))

    def owner(self, name: str = "Olive", *, news: bool = False) -> Seat:
        """Let the person in who started the program."""
        seat = Seat()
        return self._sit(seat, self.people.enter_local(name, seat.messages.append, news=news))

    def _sit(self, seat: Seat, session: Session) -> Seat:
        seat.session, session.on_end = session, seat.end
        return seat

    async def type(self, seat: Seat, *lines: str) -> list[str]:
        """Type lines, the next one when the one before is answered, and return what was shown meanwhile."""
        begun = len(seat.messages)
        for line in lines:
            seat.session.type(line)
            if seat.session.over:
                self.people.leave(seat.session)
            await self.answered()
        return seat.shown[begun:]


@asynccontextmanager
async def lobby(folder: Path, clock: Clock | None = None) -> AsyncIterator[Lobby]:
    """Open a world for people."""
    async with house(folder, clock) as home:
        opened = Lobby(home)
        try:
            yield opened
        finally:
            for session in opened.people.sessions:
                session.ask_no_more()
            await asyncio.gather(*opened.asked)
            await opened.reloading.stop()
