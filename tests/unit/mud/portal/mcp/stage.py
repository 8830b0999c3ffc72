"""Programs that speak MCP, played by the official client, in a world whose pages are served on a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from mud.world.roles import Role
from tests.houses import PATIENCE
from tests.unit.mud.portal.web.stage import Served

LEGACY, NEWEST = "legacy", "auto"
MODES = (LEGACY, NEWEST)
"""Versions of the protocol: with a handshake and a session, and without."""


class Program:
    """A program that plays a character.

    Args:
        client: the official client, connected.
        changes: a note for each time that it was told that its tools changed.
    """

    def __init__(self, client: Client, changes: asyncio.Queue[None]) -> None:
        self.client, self.changes = client, changes

    async def tools(self) -> dict[str, types.Tool]:
        return {one.name: one for one in (await self.client.list_tools(cache_mode="bypass")).tools}

    async def examples(self, tool: str, argument: str) -> list[str]:
        """Return the examples that a tool shows of an argument; none when it is not there."""
        found = (await self.tools()).get(tool)
        return list(found.input_schema["properties"][argument].get("examples", [])) if found else []

    async def call(self, name: str, /, **given: object) -> types.CallToolResult:
        return await self.client.call_tool(name, given)

    async def do(self, name: str, /, **given: object) -> str:
        """Call a tool, hold it to having worked, and return all that it told."""
        done = await self.call(name, **given)
        assert not done.is_error, told(done)
        return told(done)

    async def refused(self, name: str, /, **given: object) -> str:
        """Call a tool, hold it to being refused, and return why."""
        done = await self.call(name, **given)
        assert done.is_error, told(done)
        assert "Traceback" not in told(done)
        return told(done)

    async def read(self, path: str) -> str:
        (found,) = (await self.client.read_resource(f"loci://{path}")).contents
        assert isinstance(found, types.TextResourceContents)
        return found.text

    async def told_of_change(self) -> None:
        """Wait until the program is told that its tools changed."""
        await asyncio.wait_for(self.changes.get(), PATIENCE)


def told(result: types.CallToolResult) -> str:
    return "\n".join(one.text for one in result.content if isinstance(one, types.TextContent))


async def token_of(world: Served, name: str, role: Role = Role.PLAYER) -> str:
    """Make an account, if there is none, and return a new token for it."""
    door = world.portal.authenticator
    if door.accounts.find(name) is None:
        await world.account(name, role)
    account = door.accounts.find(name)
    assert account is not None
    return door.new_token(account)


@asynccontextmanager
async def connected(address: str, token: str, mode: str = NEWEST) -> AsyncIterator[Program]:
    """Connect a program to a world."""
    changes = asyncio.Queue[None]()

    async def note(message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            changes.put_nowait(None)

    headers = {"authorization": f"Bearer {token}"}
    async with alone(), httpx2.AsyncClient(headers=headers, trust_env=False, timeout=PATIENCE) as http:
        transport = streamable_http_client(f"{address}/mcp", http_client=http)
        async with Client(transport, mode=mode, message_handler=note) as client:
            if mode == LEGACY:
                yield Program(client, changes)
            else:
                async with _listening(client, changes):
                    yield Program(client, changes)


@asynccontextmanager
async def alone() -> AsyncIterator[None]:
    """Raise what a test raised itself, out of the groups that the client's tasks put around it."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


@asynccontextmanager
async def _listening(client: Client, changes: asyncio.Queue[None]) -> AsyncIterator[None]:
    """Subscribe to changes, as newer programs do."""
    async with client.listen(tools_list_changed=True) as events:

        async def note() -> None:
            async for _ in events:
                changes.put_nowait(None)

        task = asyncio.ensure_future(note())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def playing(
    world: Served, name: str = "Robin", mode: str = NEWEST, role: Role = Role.PLAYER
) -> AsyncIterator[Program]:
    """Connect a program with a token of an account, made when there is none."""
    async with connected(world.address, await token_of(world, name, role), mode) as program:
        yield program
