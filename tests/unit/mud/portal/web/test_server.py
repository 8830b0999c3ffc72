"""Browsers that take no answer hold no place, over real sockets and on an event loop whose time can be put forward."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.types import Receive, Scope, Send

from mud.portal.web.server import PATIENCE, STALLED, WebServer, configuration

MORE_THAN_A_SYSTEM_HOLDS = bytes(50_000_000)


class Answers:
    """A page that is larger than what the system takes for a browser that reads nothing."""

    def __init__(self) -> None:
        self.going_out = asyncio.Event()
        self.served = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": MORE_THAN_A_SYSTEM_HOLDS, "more_body": True})
        self.going_out.set()
        await send({"type": "http.response.body", "body": b""})
        self.served.set()


@asynccontextmanager
async def listening(app: Answers) -> AsyncIterator[tuple[str, int]]:
    with socket.create_server(("127.0.0.1", 0)) as heard:
        heard.setblocking(False)
        server = WebServer(configuration(app, proxy=False))
        serving = asyncio.create_task(server.serve([heard]))
        try:
            yield heard.getsockname()
        finally:
            server.should_exit = True
            await serving


async def ask(address: tuple[str, int]) -> asyncio.StreamWriter:
    """Ask for the page, and read nothing of it."""
    _, writer = await asyncio.open_connection(*address, limit=1)
    writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
    return writer


class HastenedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is put forward by so many seconds."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


def test_a_browser_that_takes_no_answer_is_dropped_after_a_while() -> None:
    async def visit() -> None:
        loop, app = asyncio.get_running_loop(), Answers()
        assert isinstance(loop, HastenedLoop)
        async with listening(app) as address:
            writer = await ask(address)
            await asyncio.wait_for(app.going_out.wait(), 20)
            for patience in (PATIENCE, STALLED):
                assert not app.served.is_set()
                loop.ahead += patience + 1
                for _ in range(5):
                    await asyncio.sleep(0)
            assert app.served.is_set()
            writer.transport.abort()

    with asyncio.Runner(loop_factory=HastenedLoop) as runner:
        runner.run(visit())


async def test_nobody_waits_at_the_end_for_who_takes_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    app = Answers()
    async with listening(app) as address:
        writer = await ask(address)
        await asyncio.wait_for(app.going_out.wait(), 20)
    assert app.served.is_set()
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
    writer.transport.abort()
