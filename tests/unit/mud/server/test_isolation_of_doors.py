"""Random evenings at real doors: telnet, a browser's websockets, MCP and the owner's own session in one world.

What is typed holds tokens, and so do the descriptions of places. Who may know a token is known when it is typed. At the
end every byte that each client received is searched: text and GMCP of telnet, all frames of the pages Play and Map, and
tools, their results and resources of MCP.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mud.commands import Outcome
from mud.portal.portal import Door, Endpoint, Portal
from mud.portal.telnet import telnet
from mud.portal.web import web
from mud.server.wiring import RealClock
from mud.world.changes import Define
from mud.world.roles import Role
from tests.examples import examples
from tests.settings import put
from tests.telnet import DO, GENEROUS, GMCP, IAC, WILL, TelnetClient, TelnetWorld
from tests.telnet import PASSWORD as TELNET_PASSWORD
from tests.unit.mud.portal.mcp.stage import playing, told
from tests.unit.mud.portal.web.stage import PASSWORD, Browser, Desk, Served, visiting
from tests.unit.mud.server.lobby import Lobby, lobby
from tests.vaults import copy_vault, without_vectors

SOON = 20.0
AGENT = "Eliza"
TOKEN = re.compile(r"zq\d+z")
LOOKS = ("look", "who", "where", "locations", "notes", "recall zq", "@archive 1-99", "@memory-status full", "@why",
         f"@archive {AGENT} 1-99", "@memory-status Bea full", "@why Ann", f"@impersonate {AGENT}", "@accounts",
         f"@possess {AGENT}", "@journal Ann")  # fmt: skip
BEGUN = ("go ", "look ", "whisper ", "notes ", "recall z", "take ", "@archive ", "say z")
"""Lines whose ends a page asks for."""


class Client(ABC):
    """Somebody at a door: lines go in, and everything that comes out is kept."""

    def __init__(self, own: str) -> None:
        self.own = own

    @abstractmethod
    async def type(self, line: str) -> None:
        """Send a line."""

    @abstractmethod
    def received(self) -> str:
        """Return everything that has come so far."""

    @abstractmethod
    async def come_in(self) -> None:
        """Come in at the door, if that is not done yet."""

    @abstractmethod
    async def leave(self) -> None:
        """Leave, if the door lets one come back."""

    async def come_again(self) -> None:
        await self.leave()
        await self.come_in()

    @abstractmethod
    async def complete(self, line: str) -> None:
        """Ask for the ends of a line, if the door offers any."""

    async def until(self, seen: re.Pattern[str]) -> None:
        """Wait until something was received."""
        async with asyncio.timeout(SOON):
            while not seen.search(self.received()):
                await self.more()

    async def more(self) -> None:
        await asyncio.sleep(0)


class LocalClient(Client):
    """The person who started the program."""

    def __init__(self, hall: Lobby) -> None:
        self._hall, self._seat = hall, hall.owner()
        super().__init__(self._seat.session.own)

    async def come_in(self) -> None:
        """Be there since the start."""

    async def leave(self) -> None:
        """Stay."""

    async def complete(self, line: str) -> None:
        """Have no ends of lines."""

    async def type(self, line: str) -> None:
        if not line.startswith("@"):  # an owner may look into any mind by asking
            await self._hall.type(self._seat, line)

    def received(self) -> str:
        return "\n".join(self._seat.shown)


class TelnetPlayer(Client):
    """A MUD client that reads GMCP."""

    def __init__(self, world: TelnetWorld, name: str) -> None:
        self._world, self._name, self._before = world, name, ""

    async def come_in(self) -> None:
        self._stack = AsyncExitStack()
        self._client: TelnetClient = await self._stack.enter_async_context(self._world.client())
        await self._client.command(WILL, GMCP)
        self._client.send(IAC, DO, GMCP)
        await self._client.login(self._name)
        self.own = self._world.people.accounts.find(self._name).character  # type: ignore[union-attr]

    async def leave(self) -> None:
        self._before = self.received()
        await self._stack.aclose()

    async def complete(self, line: str) -> None:
        """Have no ends of lines."""

    async def type(self, line: str) -> None:
        self._client.type(line)

    def received(self) -> str:
        told = "\n".join(payload.decode() for _, payload in self._client.payloads)
        return f"{self._before}\n{self._client.text}\n{told}"

    async def more(self) -> None:
        assert await self._client.read()


class WebPlayer(Client):
    """A browser with two pages: Play, where it types, and Map."""

    def __init__(self, world: Served, browser: Browser, name: str) -> None:
        self._world, self._browser, self._name = world, browser, name
        self.frames: list[str] = []
        self._came = asyncio.Event()
        self._number = 0
        self._stack = AsyncExitStack()

    async def come_in(self) -> None:
        await self._browser.come_in(self._name, PASSWORD)
        await self._connect()
        self.own = self._world.people.accounts.find(self._name).character  # type: ignore[union-attr]

    async def _connect(self) -> None:
        self._page: Desk = await self._stack.enter_async_context(self._browser.desk(view="play"))
        for desk in (self._page, await self._stack.enter_async_context(self._browser.desk(view="map"))):
            task = asyncio.ensure_future(self._read(desk))
            self._stack.callback(task.cancel)

    async def _read(self, desk: Desk) -> None:
        async for frame in desk.socket:
            self.frames.append(str(frame))
            self._came.set()

    async def leave(self) -> None:
        await self._stack.aclose()

    async def come_again(self) -> None:
        await self.leave()
        await self._connect()

    async def type(self, line: str) -> None:
        self._number += 1
        await self._page.send(line=line, page="a", number=self._number)

    async def complete(self, line: str) -> None:
        await self._page.send(complete=line)

    def received(self) -> str:
        return "\n".join(self.frames)

    async def more(self) -> None:
        self._came.clear()
        await self._came.wait()

    def charts(self) -> Iterable[set[str]]:
        """Yield the ids of the locations on each map that was sent."""
        for frame in map(json.loads, self.frames):
            if chart := frame.get("chart"):
                spots, *_ = chart
                yield {place for place, *_ in spots}


class ModelPlayer(Client):
    """A program that speaks MCP, and reads its tools and its memory whenever it may."""

    def __init__(self, world: Served, name: str) -> None:
        self._world, self._name = world, name
        self.shown: list[str] = []

    async def come_in(self) -> None:
        self._stack = AsyncExitStack()
        self._program = await self._stack.enter_async_context(playing(self._world, self._name))
        self.shown.append(told(await self._program.call("look")))
        self.own = self._world.people.accounts.find(self._name).character  # type: ignore[union-attr]

    async def leave(self) -> None:
        await self._stack.aclose()

    async def type(self, line: str) -> None:
        self.shown.append(told(await self._program.call("command", line=line)))

    async def complete(self, line: str) -> None:
        self.shown += [one.model_dump_json() for one in (await self._program.tools()).values()]
        for path in ("me", "memory", "memory/newest", "memory/summaries", "memory/1-99", "notes", "journal"):
            self.shown.append(await self._program.read(path))

    def received(self) -> str:
        return "\n".join(self.shown)

    async def more(self) -> None:
        self.shown.append(told(await self._program.call("wait", seconds=0)))


class Evening:
    """People and an agent who do things at random, and who may know what."""

    def __init__(self, hall: Lobby) -> None:
        self.hall, self.world = hall, hall.home.engine.world
        self.clients: list[Client] = []
        self.may: dict[str, set[str]] = {}
        self.places = {one.id: self.token() for one in self.world.locations()}
        """The token that each location has in its description."""

    def token(self, *who: str) -> str:
        """Return a word that only these characters may ever be shown."""
        made = f"zq{len(self.may)}z"
        self.may[made] = set(who)
        return made

    def _around(self, who: str) -> list[str]:
        here = self.world.location_of(who)
        people = self.world.people(here.id) if here is not None else []
        return [one.id for one in people if one.id not in self.world.asleep]

    def line(self, who: str, what: str, number: int) -> str:
        """Return a line, whose tokens are known from now on to those who will perceive it."""
        reason = f" | {self.token(who)}"
        here, around = self.world.location_of(who), self._around(who)
        assert here is not None
        others = [one for one in around if one != who]
        match what:
            case "say":
                return f"say {self.token(who, *around)}{reason}"
            case "emote":
                return f"emote {self.token(who, *around)}{reason}"
            case "whisper" if others:
                other = others[number % len(others)]
                return f"whisper {self.world.things[other].name} {self.token(who, other)}{reason}"
            case "go" if here.exits:
                return f"go {here.exits[number % len(here.exits)].name}{reason}"
            case "note":
                return f"note {self.token(who)} -> {self.token(who)}{reason}"
            case "recall":
                return f"recall {self.token(who)}{reason}"
            case "look":
                return LOOKS[number % len(LOOKS)]
        return f"think {self.token(who)}{reason}"

    async def act(self, client: Client, what: str, number: int) -> None:
        """Let a client do something, and wait until the world has answered it."""
        if what == "again":
            await client.come_again()
        elif what == "complete":
            await client.complete(BEGUN[number % len(BEGUN)])
        else:
            await client.type(self.line(client.own, what, number))
        await self.settle(client)

    async def settle(self, client: Client) -> None:
        """Wait until all that a client typed is answered: a thought that it typed last has come back."""
        last = self.token(client.own)
        await client.type(f"think {last}")
        await client.until(re.compile(rf"You think,\W+{last}"))
        await self.hall.answered()
        self.note_places()

    def agent_acts(self, what: str, number: int) -> None:
        own = self.hall.home.agent(AGENT).id
        self.hall.home.engine.step(own, self.line(own, what, number), Role.AGENT)

    def note_places(self) -> None:
        for client in self.clients:
            for place in self.world.visited(client.own):
                self.may[self.places[place]].add(client.own)

    async def end(self) -> dict[str, int]:
        """Search all that was received; return how many tokens each client was shown of those it may know."""
        for client in self.clients:
            await self.settle(client)
        found = {}
        for client in self.clients:
            shown = set(TOKEN.findall(client.received()))
            assert [one for one in sorted(shown) if client.own not in self.may[one]] == [], type(client).__name__
            found[type(client).__name__] = len(shown)
            if isinstance(client, WebPlayer):
                for places in client.charts():
                    assert places <= set(self.world.visited(client.own))
        return found


@asynccontextmanager
async def serving(door: Door, portal: Portal) -> AsyncIterator[str]:
    """Serve a door on a free port, and return its address."""
    told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.ensure_future(door.serve(portal, Endpoint("127.0.0.1", 0), told.set_result))
    try:
        either: list[asyncio.Future[Any]] = [task, told]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        yield await told
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def doors(folder: Path) -> AsyncIterator[Evening]:
    """Open a vault whose places have tokens in their descriptions, and let people in at all its doors."""
    put(without_vectors(copy_vault(folder)), "doors", **GENEROUS)
    async with AsyncExitStack() as stack:
        hall = await stack.enter_async_context(lobby(folder, RealClock()))
        evening = Evening(hall)
        for place, token in evening.places.items():
            thing = evening.world.things[place]
            marked = replace(thing, description=f"{thing.description} {token}")
            hall.home.engine.happen(thing, Outcome("", changes=(Define(marked),)))
        world = TelnetWorld(hall)
        world.port = int((await stack.enter_async_context(serving(telnet, world.portal))).rpartition(":")[2])
        pages = await stack.enter_async_context(serving(web, world.portal))
        served = Served(hall.home, hall.people, world.portal, pages)
        await served.account("Bea")
        await served.account("Dan")
        for name in ("Ann", "Cid"):
            hall.account(name, password=TELNET_PASSWORD)
        browser = await stack.enter_async_context(visiting(served))
        players: list[Client] = [
            TelnetPlayer(world, "Ann"),
            WebPlayer(served, browser, "Bea"),
            TelnetPlayer(world, "Cid"),
            ModelPlayer(served, "Dan"),
        ]
        for client in players:
            await client.come_in()
            stack.push_async_callback(client.leave)
        evening.clients = [*players, LocalClient(hall)]
        evening.note_places()
        yield evening


DEEDS = (
    "say",
    "emote",
    "whisper",
    "whisper",
    "go",
    "go",
    "note",
    "think",
    "recall",
    "look",
    "look",
    "complete",
    "again",
)
STEP = st.tuples(st.integers(0, 5), st.sampled_from(DEEDS), st.integers(0, 99))


async def evening_of(folder: Path, steps: Sequence[tuple[int, str, int]]) -> dict[str, int]:
    """Live through an evening; return how many tokens each client was shown of those that it may know."""
    async with doors(folder) as evening:
        for who, what, number in steps:
            if who < len(evening.clients):
                await evening.act(evening.clients[who], what, number)
            else:
                evening.agent_acts(what, number)
        return await evening.end()


@settings(max_examples=examples(18), report_multiple_bugs=False, deadline=None)
@given(st.lists(STEP, min_size=15, max_size=30))
def test_no_door_sends_anybody_what_is_anothers(steps: list[tuple[int, str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(evening_of(Path(folder), steps))


async def test_every_door_sends_what_its_person_may_know(tmp_path: Path) -> None:
    everything = [(who, what, who) for what in dict.fromkeys(DEEDS) for who in range(6)]
    found = await evening_of(tmp_path, everything)
    assert min(found.values()) > 20
