"""A vault whose pages are served on a real socket, and browsers without a screen that visit it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from argon2 import PasswordHasher
from websockets.asyncio.client import ClientConnection, connect

from agents.agent import Agent
from mud.clock import Clock
from mud.engine.engine import Step
from mud.portal.authentication import Authenticator
from mud.portal.portal import Endpoint, Portal
from mud.portal.web import web
from mud.server.doors import make_portal
from mud.server.people import People
from mud.server.reloading import Reloading
from mud.server.requests import carry_out, submit
from mud.server.wiring import RealClock
from mud.world.events import Request
from mud.world.roles import Role
from tests.houses import PATIENCE, House, house

PASSWORD = "wisteria on the wall"
TOKEN = re.compile(r'name="token" content="([0-9a-f]+)"')


class Served:
    """The world behind the pages.

    Args:
        address: what a browser asks for, without a slash at the end.
        token: of the owner's address.
    """

    def __init__(self, home: House, people: People, portal: Portal, told: str) -> None:
        self.home, self.people, self.portal, self.told = home, people, portal, told
        self.address, _, self.token = told.partition("/?token=")

    @property
    def host(self) -> str:
        return self.address.removeprefix("http://")

    async def account(self, name: str, role: Role = Role.PLAYER) -> None:
        """Make an account as an owner does, whom no limit holds."""
        await self.portal.authenticator.create(name, role, PASSWORD)

    def character(self, name: str) -> str:
        return self.home.agent(name).id


class Desk:
    """A page that is connected, as a script sees it."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.parts: dict[str, Any] = {}
        self.said: list[list[Any]] = []
        self.people: dict[str, Any] = {}
        self.story: list[dict[str, Any]] = []
        self.numbers: list[int] = []
        self._number = 0

    async def send(self, **what: object) -> None:
        await self.socket.send(json.dumps(what))

    async def type(self, line: str, page: str = "a", number: int | None = None) -> None:
        """Send a line, as the next one of the page unless it has a number."""
        self._number = number or self._number + 1
        await self.send(line=line, page=page, number=self._number)

    async def next(self) -> dict[str, Any]:
        """Return the next message, having taken it in."""
        message: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE))
        pieces = message.get("story", [])
        self.story += pieces
        self.numbers += range(message.get("first", 0), message.get("first", 0) + len(pieces))
        self.said += message.get("said", [])
        for who, at in message.get("each_person", {}).items():
            self.people = {key: value for key, value in self.people.items() if key != who}
            if at is not None:
                self.people[who] = at
        self.parts |= message
        return message

    async def until(self, seen: Callable[[], object]) -> None:
        """Take messages in until something is seen."""
        while not seen():
            await self.next()

    async def hears(self, text: str) -> None:
        """Take messages in until the story holds a text."""
        await self.until(lambda: text in self.text)

    @property
    def text(self) -> str:
        return "\n".join(piece["text"] for piece in self.story)

    @property
    def typed(self) -> list[str]:
        """The own lines that the story shows."""
        return [piece["text"] for piece in self.story if piece["kind"] == "typed"]


class Browser:
    """A browser: its cookies, and the token of the page that it read last."""

    def __init__(self, world: Served) -> None:
        self.world = world
        self.client = httpx.AsyncClient(base_url=world.address, trust_env=False, headers={"accept": "text/html"})
        self.token = ""

    async def get(self, path: str) -> httpx.Response:
        answer = await self.client.get(path)
        if found := TOKEN.search(answer.text):
            self.token = found[1]
        return answer

    async def post(self, path: str, **fields: str) -> httpx.Response:
        """Send a form of the page that was read last."""
        headers = {"origin": self.world.address}
        return await self.client.post(path, data={"token": self.token, **fields}, headers=headers)

    async def come_in(self, name: str, password: str = PASSWORD, path: str = "/login") -> httpx.Response:
        """Fill in the form of the door, and read the page behind it."""
        await self.get("/login")
        answer = await self.post(path, name=name, password=password)
        await self.get("/play")
        return answer

    async def come_as_owner(self) -> httpx.Response:
        answer = await self.get(f"/?token={self.world.token}")
        await self.get("/play")
        return answer

    @asynccontextmanager
    async def desk(
        self, origin: str | None = None, token: str | None = None, path: str = "/socket", **asked: str | int
    ) -> AsyncIterator[Desk]:
        """Connect the page that was read last; `asked` is what it asks for, such as `view` and `since`."""
        query = httpx.QueryParams({"token": self.token if token is None else token, **asked})
        cookies = "; ".join(f"{name}={value}" for name, value in self.client.cookies.items())
        address = f"ws://{self.world.host}{path}?{query}"
        headers = {"cookie": cookies, "origin": origin or self.world.address}
        async with connect(address, additional_headers=headers, proxy=None, compression=None) as socket:
            yield Desk(socket)


@asynccontextmanager
async def served(folder: Path, clock: Clock | None = None) -> AsyncIterator[Served]:
    """Serve the pages of a fresh vault."""
    async with house(folder, clock or RealClock()) as home:
        parts, at_work = home.parts, set[asyncio.Task[None]]()

        async def carried_out(request: Request) -> None:
            parts.engine.answer(request, await carry_out(parts, request, list))

        def typed(who: str, line: str, role: Role) -> Step:
            step = submit(parts.engine, parts.minds, who, line, role)
            at_work.update(asyncio.create_task(carried_out(one)) for one in step.requests)
            return step

        def arrived(agent: Agent) -> None:
            pass  # nothing is indexed here

        people = People(parts, Reloading(parts, lambda text: None, None), typed, arrived)
        # As the real one, but quick.
        people.__dict__["authenticator"] = Authenticator(
            people.accounts, people.limits, people.settings, parts.clock, people.free_name,
            PasswordHasher(time_cost=1, memory_cost=8, parallelism=1),
        )  # fmt: skip
        home.engine.observe(people.sessions.observe)
        portal = make_portal(parts, people, lambda: "Ann")
        told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.ensure_future(web.serve(portal, Endpoint("127.0.0.1", 0), told.set_result))
        try:
            either: list[asyncio.Future[Any]] = [serving, told]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                serving.result()
            yield Served(home, people, portal, await told)
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving
            await asyncio.gather(*at_work)
            people.leave_all()


@asynccontextmanager
async def visiting(world: Served) -> AsyncIterator[Browser]:
    """Open a browser that nobody is signed in at."""
    browser = Browser(world)
    try:
        yield browser
    finally:
        await browser.client.aclose()
