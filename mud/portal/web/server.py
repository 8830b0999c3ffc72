"""Listening for browsers: uvicorn inside the world's event loop, without its signals, its log and its proxies."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn

from mud.portal.portal import Endpoint, Portal
from mud.portal.web.site import Site

LONGEST_MESSAGE = 400_000
"""Bytes of a message over a websocket, as of a line on a pipe."""
MOST_CONNECTIONS = 2000
KEEP_ALIVE = 10  # seconds that a connection without a request stays open
PING = 20.0  # seconds between two pings, and until one without an answer ends a websocket
CLOSING = 1  # seconds that open answers are given at the end


class _Listener(uvicorn.Server):
    """A server that leaves the signals to the program."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


async def listen(portal: Portal, place: Endpoint, opened: Callable[[str], None]) -> None:
    """Serve the pages until cancelled. Raises OSError."""
    heard = _bound(place)
    host, port = heard.getsockname()[:2]
    with Site(portal, place.host, port) as site:
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
        http="h11",
        ws="websockets-sansio",
        lifespan="off",
        log_config=None,
        log_level="warning",
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
