"""The web application: who may ask for what, held in one place, and what every answer says to the browser."""

from __future__ import annotations

import hmac
import ipaddress
import logging
import secrets
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from mud.errors import LociError
from mud.portal.portal import Portal
from mud.portal.web.ticker import Ticker
from mud.portal.web.visit import Visit, WebRoute, fields, go_to
from mud.portal.web.visitors import LASTS, Visitors

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}
"""What every answer says to the browser."""


class Site:
    """The pages of one world.

    Args:
        host: the address that is listened at, which may be a name.
        port: the port, which makes the cookie's name: cookies do not tell ports apart.
    """

    def __init__(self, portal: Portal, host: str, port: int) -> None:
        # Imported here because the pages import what stands above.
        from mud.portal.web.routes import ROUTES

        self.portal = portal
        self.visitors = Visitors(portal)
        self.ticker = Ticker(portal)
        self.owner_token = secrets.token_urlsafe(24)
        self._host, self._cookie = host, f"loci-{port}"
        table = Starlette(routes=[*self._routes(ROUTES), Mount("/static", _Static(directory=STATIC))])
        table.add_exception_handler(HTTPException, self._wrong)
        self.app: ASGIApp = _Guarded(table, self._known_host)

    def __enter__(self) -> Site:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.visitors.close()
        self.ticker.stop()

    def is_owner_token(self, token: str) -> bool:
        """Return whether this is the token of the address that the start told, and use it up."""
        right = bool(self.owner_token) and hmac.compare_digest(token.encode(), self.owner_token.encode())
        if right:
            self.owner_token = ""
        return right

    def remember(self, answer: Response, cookie: str) -> Response:
        """Give the browser a cookie with an answer."""
        answer.set_cookie(self._cookie, cookie, max_age=int(LASTS), httponly=True, samesite="strict", path="/")
        return answer

    def cookie_of(self, connection: HTTPConnection) -> str:
        return connection.cookies.get(self._cookie, "")

    def visit(self, connection: HTTPConnection) -> Visit:
        """Return who asks."""
        cookie = self.cookie_of(connection)
        return Visit(self, connection, self.visitors.find(cookie), self.visitors.token(cookie))

    def unknown(self, connection: HTTPConnection, cookie: str) -> Visit:
        """Return the visit of a browser that nobody is signed in at, and that is given a cookie."""
        return Visit(self, connection, None, self.visitors.token(cookie))

    def _known_host(self, host: str) -> bool:
        """Return whether a browser may call us so. A name that somebody else points at us is none of ours."""
        name = urlsplit(f"//{host}").hostname or ""
        if name in ("localhost", self._host.lower()):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _routes(self, table: Iterable[WebRoute]) -> list[BaseRoute]:
        return [
            WebSocketRoute(one.path, self._socket(one))
            if one.method == "WEBSOCKET"
            else Route(one.path, self._answer(one), methods=[one.method])
            for one in table
        ]

    def _answer(self, route: WebRoute) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def answer(request: Request) -> Response:
            visit = self.visit(request)
            if route.role is not None and (visit.role is None or visit.role < route.role):
                if visit.role is None and route.method == "GET" and "text/html" in request.headers.get("accept", ""):
                    return go_to("/login")
                raise HTTPException(403, "That is not for you.")
            if route.method == "POST":
                await _check_token(visit)
            answered = await route.answer(visit)
            assert answered is not None
            return answered

        return answer

    def _socket(self, route: WebRoute) -> Callable[[WebSocket], Coroutine[Any, Any, None]]:
        async def answer(socket: WebSocket) -> None:
            visit = self.visit(socket)
            right = _same_origin(socket.headers) and hmac.compare_digest(
                socket.query_params.get("token", "").encode(), visit.token.encode()
            )
            if not right or (route.role is not None and (visit.role is None or visit.role < route.role)):
                await socket.send_denial_response(PlainTextResponse("That is not for you.", 403))
                return
            await route.answer(visit)

        return answer

    @staticmethod
    async def _wrong(request: Request, error: Exception) -> Response:
        from mud.portal.web.pages import sorry

        assert isinstance(error, HTTPException)
        return sorry(request, error.status_code, error.detail)


async def _check_token(visit: Visit) -> None:
    """Raise HTTPException when a post does not come from one of our own pages."""
    headers = visit.request.headers
    sent = headers.get("x-token")
    if sent is None and headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        sent = fields(await visit.body()).get("token")
    if not _same_origin(headers) or not hmac.compare_digest((sent or "").encode(), visit.token.encode()):
        raise HTTPException(403, "That page was too old. Go back, load it again, and send it once more.")


def _same_origin(headers: Headers) -> bool:
    return urlsplit(headers.get("origin", "")).netloc == headers.get("host", "") != ""


class _Static(StaticFiles):
    """Our own files; a browser asks each time whether its copy is still good."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        answer.headers["cache-control"] = "no-cache"
        return answer


class _Guarded:
    """Refuses requests under a foreign name, and adds the headers."""

    def __init__(self, app: ASGIApp, known_host: Callable[[str], bool]) -> None:
        self._app, self._known_host = app, known_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        app = self._app if self._known_host(Headers(scope=scope).get("host", "")) else _misdirected
        try:
            await app(scope, receive, sent)
        except LociError as error:  # said to people by the pages; here only what no page foresaw
            log.warning("a web page failed: %s", error)


_misdirected = PlainTextResponse("This world is not reached by that name.", 421)
