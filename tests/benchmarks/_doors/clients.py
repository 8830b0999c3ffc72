"""Clients over real sockets that cost little: they negotiate nothing, and look only for their own echo."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from websockets.asyncio.client import ClientConnection, connect

from mud.errors import LociError
from tests.benchmarks._doors.world import PASSWORD, PATIENCE

ECHO = b'You say, "'
HEARD = b' says, "'


class TelnetClient(asyncio.Protocol):
    """A raw client. `heard` counts what others were heard to say."""

    def __init__(self) -> None:
        self.heard = 0
        self._rest = b""
        self._mark = b"\n"
        self._seen: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        whole, newline, rest = data.rpartition(b"\n")
        if not newline:
            self._rest += data
            return
        lines, self._rest = self._rest + whole, rest
        self.heard += lines.count(HEARD)
        if self._seen is not None and self._mark in lines:
            self._seen.set_result(None)
            self._seen = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._seen is not None:
            self._seen.set_exception(LociError(f"a client was cut off; the last it saw was {self._rest!r}"))
            self._seen = None

    async def ask(self, line: str, mark: bytes = ECHO) -> None:
        """Type a line, and wait for a line that holds the mark."""
        self._mark, self._seen = mark, asyncio.get_running_loop().create_future()
        self._transport.write(line.encode() + b"\r\n")
        await self._seen

    def close(self) -> None:
        self._transport.abort()


async def log_in(port: int, name: str) -> TelnetClient:
    """Come in over telnet."""
    _, client = await asyncio.get_running_loop().create_connection(TelnetClient, "127.0.0.1", port)
    await asyncio.wait_for(client.ask(f"{name}\r\n{PASSWORD}", b"Exits:"), PATIENCE)
    return client


class WebClient:
    """A page that plays, as owner."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0

    async def ask(self, line: str, mark: str = ECHO.decode()) -> None:
        """Type a line, and wait for a message that holds the mark."""
        self._number += 1
        await self._socket.send(json.dumps({"line": line, "page": "bench", "number": self._number}))
        quoted = json.dumps(mark)[1:-1]
        while quoted not in str(await self._socket.recv()):
            pass


@asynccontextmanager
async def web_owner(address: str, token: str) -> AsyncIterator[WebClient]:
    """Come in over the websocket with the token of the start."""
    async with httpx.AsyncClient(base_url=address, trust_env=False, follow_redirects=True) as browser:
        page = (await browser.get("/", params={"token": token})).text
        own = re.search(r'name="token" content="(\w+)"', page)
        assert own is not None
        cookies = "; ".join(f"{one.name}={one.value}" for one in browser.cookies.jar)
    where = f"{address.replace('http', 'ws')}socket?token={own[1]}"
    headers = {"Cookie": cookies}
    async with connect(where, origin=address.rstrip("/"), additional_headers=headers, compression=None) as socket:  # type: ignore[arg-type]
        yield WebClient(socket)
