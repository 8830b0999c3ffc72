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

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from mud.errors import LociError, Refusal
from mud.portal.letters import PATH as REGION
from mud.portal.mcp import PATH
from mud.portal.mcp.endpoint import McpEndpoint
from mud.portal.phrases import NOT_YOURS, TOO_OLD
from mud.portal.portal import Portal
from mud.portal.web.pages import sorry
from mud.portal.web.regions import RegionEndpoint
from mud.portal.web.ticker import Ticker
from mud.portal.web.visit import Visit, WebRoute, fields, go_to, same_origin, split_address
from mud.portal.web.visitors import LASTS, Visitors

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with no-referrer, browsers hide the origin of our own forms from us
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
        self.ticker = Ticker(portal, self._sweep)
        self.mcp = McpEndpoint(portal, self.ticker)
        self._owner_token = ""
        self._host, self._cookie = host, f"loci-{port}"
        static, programs = Mount("/static", _Static(directory=STATIC)), Route(PATH, self.mcp)
        worlds = Route(f"{REGION}/{{what}}", RegionEndpoint(portal))
        table = Starlette(routes=[*self._routes(ROUTES), programs, worlds, static])
        table.add_exception_handler(HTTPException, self._wrong)
        self.app: ASGIApp = _Guarded(table, self._known_host)

    def __enter__(self) -> Site:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.visitors.close()
        self.mcp.close()
        self.ticker.stop()

    def _sweep(self) -> None:
        self.visitors.sweep()
        self.mcp.sweep()

    def is_owner_token(self, token: str) -> bool:
        """Return whether this is the token of the owner's newest address, and use it up."""
        right = bool(self._owner_token) and hmac.compare_digest(token.encode(), self._owner_token.encode())
        if right:
            self._owner_token = ""
        return right

    def new_owner_token(self) -> str:
        """Return a token that signs one browser in as the owner; those before are good no more."""
        self._owner_token = secrets.token_urlsafe(24)
        return self._owner_token

    def remember(self, connection: HTTPConnection, answer: Response, cookie: str) -> Response:
        """Give the browser a cookie with an answer."""
        secure = connection.url.scheme == "https"  # as a proxy says
        answer.set_cookie(
            self._cookie, cookie, max_age=int(LASTS), secure=secure, httponly=True, samesite="strict", path="/"
        )
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
        name = split_address(f"//{host}").hostname or ""
        if name in ("localhost", self._host.lower(), *map(str.lower, self.portal.settings().web_names)):
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
            self._check_address(request)
            visit = self.visit(request)
            try:
                _check_role(visit, route)
            except HTTPException:
                if visit.role is None and route.method == "GET" and "text/html" in request.headers.get("accept", ""):
                    return go_to("/login")
                raise
            if route.method == "POST":
                _check_token(visit, request.headers.get("x-token") or await _token_of_form(visit))
            answered = await route.answer(visit)
            assert answered is not None
            return answered

        return answer

    def _check_address(self, connection: HTTPConnection) -> None:
        """Raise HTTPException for an address that may not come in."""
        try:
            self.portal.authenticator.check_address(connection.client.host if connection.client else "")
        except Refusal as refusal:
            raise HTTPException(403, refusal.text) from None

    def _socket(self, route: WebRoute) -> Callable[[WebSocket], Coroutine[Any, Any, None]]:
        async def answer(socket: WebSocket) -> None:
            visit = self.visit(socket)
            try:
                self._check_address(socket)
                _check_role(visit, route)
                _check_token(visit, socket.query_params.get("token"))
            except HTTPException as error:
                await socket.send_denial_response(PlainTextResponse(error.detail, error.status_code))
            else:
                await route.answer(visit)

        return answer

    async def _wrong(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return sorry(self.visit(request), error.status_code, error.detail)


def _check_role(visit: Visit, route: WebRoute) -> None:
    """Raise HTTPException unless the visitor has the role that a route asks for."""
    if route.role is not None and (visit.role is None or visit.role < route.role):
        raise HTTPException(403, visit.portal.say(NOT_YOURS))


def _check_token(visit: Visit, token: str | None) -> None:
    """Raise HTTPException for what does not come from one of our own pages."""
    if not same_origin(visit.connection.headers) or not hmac.compare_digest(
        (token or "").encode(), visit.token.encode()
    ):
        raise HTTPException(403, visit.portal.say(TOO_OLD))


async def _token_of_form(visit: Visit) -> str | None:
    if not visit.request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return None
    return fields(await visit.body()).get("token")


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
