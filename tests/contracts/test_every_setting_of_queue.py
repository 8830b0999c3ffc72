"""The settings of an LLM profile that the queue reads do what they say, seen from the other end of real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.llm.hosts import HostState
from agents.llm.queue import Urgency
from mud.errors import Unavailable
from mud.server.wiring import opened
from tests.settings import proves, put
from tests.vaults import copy_vault, without_vectors


@dataclass
class Busy:
    """A server that is too busy for its first calls, then says `look`."""

    refusals: int
    host: str = ""
    asked: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        except asyncio.IncompleteReadError:  # somebody only knocked
            writer.close()
            return
        length = next(line.split(":")[1] for line in head.split("\r\n") if line.startswith("content-length"))
        await reader.readexactly(int(length))
        self.asked += 1
        status = "503 Service Unavailable" if self.asked <= self.refusals else "200 OK"
        body = json.dumps({"choices": [{"text": "look"}], "model": "small"}).encode()
        headers = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n"
        writer.write(f"{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def serving(refusals: int = 0) -> AsyncIterator[Busy]:
    one = Busy(refusals)
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.host = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield one


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


async def ask(vault: Path) -> tuple[str, list[HostState]]:
    """Return what a thought is answered, and how the hosts are doing then."""
    with opened(vault, writable=True) as parts:
        try:
            reply = (await parts.queue.ask(lambda: "~Eliza>", "think", Urgency.THINK, "Eliza")).text
            return reply, [one.state for one in parts.queue.hosts]
        finally:
            await parts.queue.close(0)


@proves("llm.retries")
@pytest.mark.parametrize("retries", [0, 1])
async def test_a_server_that_is_too_busy_is_asked_again_as_often_as_the_profile_says(vault: Path, retries: int) -> None:
    async with serving(refusals=1) as server:
        put(vault, "llm/think", host=server.host, model="small", retries=retries)
        if retries:
            assert (await ask(vault))[0] == "look"
        else:
            with pytest.raises(Unavailable, match="answered 503: it is still loading its model, or too busy"):
                await ask(vault)
        assert server.asked == 1 + retries


async def test_another_server_of_the_profile_stands_in_for_one_that_is_gone(vault: Path) -> None:
    async with serving() as server:
        put(vault, "llm/think", host=f"http://127.0.0.1:9, {server.host}", model="small")
        assert await ask(vault) == ("look", [HostState.DOWN, HostState.UP])
