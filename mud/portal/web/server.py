"""Listening for browsers: uvicorn inside the world's event loop, without its signals, its log and its proxies."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from mud.portal.portal import Endpoint, Portal
from mud.portal.web.site import Site

LONGEST_MESSAGE = 400_000
"""Bytes of a message over a websocket, as of a line on a pipe."""
MOST_CONNECTIONS = 2000
KEEP_ALIVE = 10  # seconds that a connection without a request stays open
PING = 20.0  # seconds between two pings, and until one without an answer ends a websocket
PATIENCE = 15.0  # seconds that a connection has for its first request
STALLED = 30.0  # seconds after which a websocket is dropped that takes nothing
MOST_OF_ADDRESS = 100  # connections of one address besides its websockets
CLOSING = 1  # seconds that open answers are given at the end


class _Listener(uvicorn.Server):
    """A server that leaves the signals to the program."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class _Browser(H11Protocol):
    """A connection that has to ask for something soon; one address has only so many of them."""

    def __init__(self, open_of: Counter[str], **given: Any) -> None:
        super().__init__(**given)
        self._open_of, self._counted = open_of, ""
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._counted = self.client[0] if self.client else "?"
        self._open_of[self._counted] += 1
        if self._open_of[self._counted] > MOST_OF_ADDRESS:
            transport.abort()
        self._deadline = self.loop.call_later(PATIENCE, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._forget()  # from here on it is counted as a connection to the world
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = self.loop.call_later(PATIENCE, self._give_up)

    def _give_up(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            self._open_of[self._counted] -= 1
            if not self._open_of[self._counted]:
                del self._open_of[self._counted]


class _Socket(WebSocketsSansIOProtocol):
    """A websocket that is dropped when it takes nothing for a while, with all that waits for it."""

    _stalled: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
        super().connection_lost(exc)


async def listen(portal: Portal, place: Endpoint, opened: Callable[[str], None]) -> None:
    """Serve the pages until cancelled. Raises OSError."""
    heard = _bound(place)
    host, port = heard.getsockname()[:2]
    with heard, Site(portal, place.host, port) as site:
        server = _Listener(_configuration(site))
        serving = asyncio.create_task(server.serve([heard]))
        shown = f"[{host}]" if ":" in host else host
        opened(f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else shown}:{port}/?token={site.owner_token}")
        try:
            await asyncio.shield(serving)
        finally:
            server.should_exit = True
            await serving


def _configuration(site: Site) -> uvicorn.Config:
    return uvicorn.Config(
        site.app,
        http=cast(type[asyncio.Protocol], partial(_Browser, Counter())),
        ws=_Socket,
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,  # else whoever is asked through this machine could name any address
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=CLOSING,
        ws_max_size=LONGEST_MESSAGE,
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        ws_per_message_deflate=False,  # its windows would take more memory than all else of a connection
    )


def _bound(place: Endpoint) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    heard = socket.socket(family, kind, protocol)
    try:
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        heard.bind(address)
        heard.setblocking(False)
    except OSError:
        heard.close()
        raise
    return heard
