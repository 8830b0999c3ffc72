"""A world with its telnet door open on a free port, and clients that speak telnet over real sockets."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mud.clock import Clock
from mud.portal.portal import Door, Endpoint, Portal
from mud.portal.telnet import telnet
from mud.server.doors import make_portal
from mud.server.wiring import RealClock
from mud.storage.settings import Scalar
from tests.settings import put
from tests.unit.mud.server.lobby import Lobby, lobby
from tests.vaults import copy_vault, without_vectors

IAC, DONT, DO, WONT, WILL, SB, GA, SE, EOR_MARK = 255, 254, 253, 252, 251, 250, 249, 240, 239
ECHO, TTYPE, EOR, NAWS, CHARSET, MSSP, MCCP2, GMCP = 1, 24, 25, 31, 42, 70, 86, 201
PASSWORD = "correct horse"
SOON = 20.0
"""Seconds after which a test gives up on what should have come; never waited for when it comes."""
_COMMAND = re.compile(
    rb"\xff(?:\xfa(?P<option>.)(?P<payload>(?:[^\xff]|\xff\xff)*)\xff\xf0|(?P<verb>[\xfb-\xfe])(?P<asked>.)|(?P<short>[\xf0-\xf9\xef]))",
    re.DOTALL,
)
GENEROUS: dict[str, Scalar] = {
    "guests": True, "guests_per_address": 10_000, "guests_per_day": 10_000, "connections_per_address": 10_000,
    "lines_per_second": 100_000.0, "address_lines_per_second": 100_000.0, "line_burst": 100_000,
}  # fmt: skip


class TelnetWorld:
    """A vault whose telnet door is open."""

    def __init__(self, hall: Lobby) -> None:
        self.home, self.parts, self.engine, self.people = hall.home, hall.parts, hall.home.engine, hall.people
        self.portal: Portal = make_portal(hall.parts, hall.people, lambda: "Visitor")
        self.account = hall.account
        self.port = 0

    def names(self) -> list[str]:
        """Return the names of everybody who is led from a keyboard."""
        things = (self.engine.world.get(one.own) for one in self.people.sessions)
        return sorted(thing.name for thing in things if thing is not None)

    @asynccontextmanager
    async def client(self, *, tls: bool = False, window: int = 0) -> AsyncIterator[TelnetClient]:
        """Connect a client that answers nothing by itself, and disconnect it at the end.

        Args:
            tls: encrypt, whatever the certificate.
            window: bytes that the system reads ahead for it; 0 for what is usual.
        """
        context = None
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = socket.socket()
        connection.setblocking(False)
        if window:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", self.port))
        name = "localhost" if tls else None
        reader, writer = await asyncio.open_connection(sock=connection, ssl=context, server_hostname=name)
        client = TelnetClient(reader, writer)
        try:
            yield client
        finally:
            await client.disconnect()

    @asynccontextmanager
    async def guest(self) -> AsyncIterator[TelnetClient]:
        """Connect somebody and let them in as a guest."""
        async with self.client() as client:
            await client.read_until("Name: ")
            client.type("guest")
            await client.read_until("> ")
            yield client

    @asynccontextmanager
    async def player(self, name: str, *, tls: bool = False, window: int = 0) -> AsyncIterator[TelnetClient]:
        """Connect somebody and let them in with an account of that name, which is made when there is none."""
        if self.people.accounts.find(name) is None:
            self.account(name, password=PASSWORD)
        async with self.client(tls=tls, window=window) as client:
            await client.login(name)
            yield client


class TelnetClient:
    """A client: what it has read is kept, without the commands, which are kept apart."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self.writer = reader, writer
        self._rest = b""
        self._inflate: zlib._Decompress | None = None
        self.text = ""
        """All text that has come so far."""
        self.commands: list[tuple[int, ...]] = []
        self.payloads: list[tuple[int, bytes]] = []
        self._seen = 0

    def send(self, *data: bytes | int) -> None:
        """Send bytes as they are; numbers are single bytes."""
        self.writer.write(b"".join(bytes([one]) if isinstance(one, int) else one for one in data))

    def type(self, line: str) -> None:
        self.send(line.encode() + b"\r\n")

    async def login(self, name: str) -> None:
        await self.read_until("Name: ")
        self.type(name)
        await self.read_until("Password: ")
        self.type(PASSWORD)
        await self.read_until("> ")

    async def read(self) -> bool:
        """Take what comes next; return whether anything came before the end."""
        data = await asyncio.wait_for(self._reader.read(1 << 16), SOON)
        inflate = self._inflate
        if inflate is not None:
            self._take(inflate.decompress(data))
            if inflate.eof:
                self._inflate = None
                self._take(inflate.unused_data)
        else:
            self._take(data)
        return bool(data)

    def _take(self, data: bytes) -> None:
        data, self._rest = self._rest + data, b""
        while (found := _COMMAND.search(data)) is not None:
            self.text += data[: found.start()].decode("utf-8", "replace")
            data = data[found.end() :]
            if found["option"] is not None:
                self.payloads.append((found["option"][0], found["payload"].replace(b"\xff\xff", b"\xff")))
                if found["option"][0] == MCCP2:
                    self._inflate = zlib.decompressobj()
                    data = self._inflate.decompress(data)
            else:
                self.commands.append(tuple(found[0][1:]))
        if (at := data.find(b"\xff")) >= 0:
            data, self._rest = data[:at], data[at:]
        self.text += data.decode("utf-8", "replace")

    async def read_until(self, text: str) -> str:
        """Read until a text has come since the last one that was read for; return what came up to it."""
        while (at := self.text.find(text, self._seen)) < 0:
            assert await self.read(), f"the connection ended before {text!r} came: {self.text[self._seen :]!r}"
        came, self._seen = self.text[self._seen : at + len(text)], at + len(text)
        return came

    async def command(self, *command: int) -> None:
        """Read until a command has come, such as `WILL, ECHO`; it is taken."""
        while command not in self.commands:
            assert await self.read(), f"the connection ended before {command} came: {self.commands}"
        self.commands.remove(command)

    async def payload(self, option: int, begin: bytes = b"") -> bytes:
        """Read until a subnegotiation has come that begins like this; it is taken and returned."""
        while not (found := [one for one in self.payloads if one[0] == option and one[1].startswith(begin)]):
            assert await self.read(), f"the connection ended before {begin!r} came: {self.payloads}"
        self.payloads.remove(found[0])
        return found[0][1]

    async def say(self, line: str, until: str) -> str:
        """Type a line and read until its reply."""
        self.type(line)
        return await self.read_until(until)

    async def rest(self) -> str:
        """Return all that comes until the connection ends."""
        try:
            while await self.read():
                pass
        except ConnectionError:  # it was cut off
            pass
        return self.text[self._seen :]

    async def disconnect(self) -> None:
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except (ConnectionError, ssl.SSLError):  # it was cut off
            pass


@asynccontextmanager
async def telnet_world(
    folder: Path, clock: Clock | None = None, opening: Door = telnet, **settings: Scalar
) -> AsyncIterator[TelnetWorld]:
    """Open a fresh copy of the shipped vault, and its telnet door, with limits that no test reaches unless told."""
    if not (folder / "vault").is_dir():
        put(without_vectors(copy_vault(folder)), "doors", **GENEROUS)
    put(folder / "vault", "doors", **settings)
    async with lobby(folder, clock or RealClock()) as hall:
        world = TelnetWorld(hall)
        opened: asyncio.Queue[str] = asyncio.Queue()
        serving = asyncio.ensure_future(opening.serve(world.portal, Endpoint("127.0.0.1", 0), opened.put_nowait))
        address = asyncio.create_task(opened.get())
        try:
            await asyncio.wait([serving, address], return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                serving.result()
            world.port = int(address.result().rpartition(":")[2])
            yield world
        finally:
            address.cancel()
            serving.cancel()
            await asyncio.gather(serving, address, return_exceptions=True)
            world.people.leave_all()
