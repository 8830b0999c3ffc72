"""Listening for browsers: uvicorn inside the world's event loop, without its signals and its log."""

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
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from mud.portal.limits import network_of
from mud.portal.portal import Endpoint, Portal
from mud.portal.web.site import Site

LONGEST_MESSAGE = 400_000
"""Bytes of a message over a websocket, as of a line on a pipe."""
MOST_CONNECTIONS = 2000
KEEP_ALIVE = 10  # seconds that a connection without a request stays open
PING = 20.0  # seconds between two pings, and until one without an answer ends a websocket
PATIENCE = 15.0  # seconds that a connection has for its first request
STALLED = 30.0  # seconds after which a connection is dropped that takes nothing
MOST_OF_ADDRESS = 100  # connections of one network besides its websockets
LOOPBACK = ["127.0.0.1", "::1"]
CLOSING = 1  # seconds that open answers are given at the end


class WebServer(uvicorn.Server):
    """A server that leaves the signals to the program."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for one in list(self.server_state.connections):
            if isinstance(one, _Stalling) and one.stalled is not None:
                one.transport.abort()  # nobody waits for who takes nothing
        await super().shutdown(sockets)


class _Stalling(asyncio.Protocol):
    """A connection that is dropped when it takes nothing for a while, with all that waits for it."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    stalled: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self.stalled = self.loop.call_later(STALLED, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._flows()

    def connection_lost(self, exc: Exception | None) -> None:
        self._flows()
        super().connection_lost(exc)

    def _flows(self) -> None:
        if self.stalled is not None:
            self.stalled.cancel()
            self.stalled = None


class _Browser(_Stalling, H11Protocol):
    """A connection that has to ask for something soon; one network has only `most` of them."""

    def __init__(self, open_of: Counter[str], most: int, **given: Any) -> None:
        super().__init__(**given)
        self._open_of, self._most, self._counted = open_of, most, ""
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._counted = network_of(self.client[0] if self.client else "?")
        self._open_of[self._counted] += 1
        if self._open_of[self._counted] > self._most:
            transport.abort()
        self._wait_for_request()

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
            self._wait_for_request()

    def _wait_for_request(self) -> None:
        self._deadline = self.loop.call_later(PATIENCE, self._give_up)

    def _give_up(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()
        else:
            self._wait_for_request()

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            self._open_of[self._counted] -= 1
            if not self._open_of[self._counted]:
                del self._open_of[self._counted]


class _Socket(_Stalling, WebSocketsSansIOProtocol):
    """A websocket."""


async def listen(portal: Portal, place: Endpoint, opened: Callable[[str], None]) -> None:
    """Serve the pages until cancelled. Raises OSError."""
    heard = _bound(place)
    host, port = heard.getsockname()[:2]
    with heard, Site(portal, place.host, port) as site:
        server = WebServer(configuration(site.app, proxy=bool(portal.settings().web_names)))
        serving = asyncio.create_task(server.serve([heard]))
        portal.doors.owner_address = partial(_owner_address, site, host, port)
        opened(portal.doors.owner_address())
        try:
            await asyncio.shield(serving)
        finally:
            portal.doors.owner_address = None
            site.mcp.close()  # its connections stay open for as long as they may
            server.should_exit = True
            await serving


def _owner_address(site: Site, host: str, port: int) -> str:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/?token={site.new_owner_token()}"


def configuration(app: ASGIApp, *, proxy: bool) -> uvicorn.Config:
    """Return how browsers are served; `proxy` tells whether one on this machine passes them on."""
    # All browsers behind a proxy come from its address.
    most = MOST_CONNECTIONS if proxy else MOST_OF_ADDRESS
    return uvicorn.Config(
        app,
        http=cast(type[asyncio.Protocol], partial(_Browser, Counter(), most)),
        ws=_Socket,
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=proxy,  # without one, any program on this machine could name any address
        forwarded_allow_ips=LOOPBACK,
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
