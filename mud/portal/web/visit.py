"""One request of a browser, and what answers it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.websockets import WebSocket

from mud.commands import Say
from mud.engine.engine import REFUSED_HINT
from mud.errors import Refusal
from mud.portal.phrases import TOO_LONG, TOO_MUCH, UNWRITTEN
from mud.portal.portal import Portal
from mud.portal.web.visitors import Visitor
from mud.world.roles import Role

if TYPE_CHECKING:
    from mud.portal.web.site import Site

LONGEST_BODY = 64 * 1024
PATIENCE = 15.0  # seconds that a body may take to come
FIELDS = 16  # most fields of a form


@dataclass(eq=False)
class Visit:
    """A request or a websocket of a browser.

    Args:
        visitor: who is signed in; None for somebody unknown.
        token: what every form and websocket of this browser has to send back.
    """

    site: Site
    connection: HTTPConnection
    visitor: Visitor | None
    token: str
    _body: bytes | None = None

    @property
    def portal(self) -> Portal:
        return self.site.portal

    @property
    def role(self) -> Role | None:
        return self.visitor.role if self.visitor else None

    @property
    def address(self) -> str:
        return self.connection.client.host if self.connection.client else ""

    @property
    def request(self) -> Request:
        assert isinstance(self.connection, Request)
        return self.connection

    @property
    def socket(self) -> WebSocket:
        assert isinstance(self.connection, WebSocket)
        return self.connection

    async def body(self) -> bytes:
        """Return the body of a request. Raises HTTPException when it is too long."""
        if self._body is None:
            read = bytearray()
            try:
                async with asyncio.timeout(PATIENCE):
                    async for chunk in self.request.stream():
                        read += chunk
                        if len(read) > LONGEST_BODY:
                            raise HTTPException(413, self.portal.say(TOO_MUCH))
            except (TimeoutError, ClientDisconnect):
                raise HTTPException(408, self.portal.say(TOO_LONG)) from None
            self._body = bytes(read)
        return self._body


class WebRoute(NamedTuple):
    """What answers at a path.

    Args:
        method: `GET`, `POST` or `WEBSOCKET`. A form or a fetch that posts is answered only when it brings the token
            (as field `token` of a form, or as header `x-token`), a websocket only from our own pages.
        role: the least role that may ask; None for everybody, signed in or not.
        answer: returns the response; that of a websocket returns None when it is over.
    """

    method: str
    path: str
    role: Role | None
    answer: Callable[[Visit], Awaitable[Response | None]]


def fields(body: bytes) -> dict[str, str]:
    """Return the fields of a posted form. Raises HTTPException."""
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS))
    except ValueError:
        raise HTTPException(400) from None


def same_origin(headers: Headers) -> bool:
    """Return whether a browser says that a request comes from a page of our own."""
    return split_address(headers.get("origin", "")).netloc == headers.get("host", "") != ""


def split_address(address: str) -> SplitResult:
    """Return the parts of an address; they are empty when it is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return SplitResult("", "", "", "", "")


def why_not(say: Say, error: Exception) -> str:
    """Return what people are told of an error."""
    match error:
        case Refusal(text=text, hint=hint) if hint:
            return say(REFUSED_HINT, why=text, hint=hint)
        case OSError():
            return say(UNWRITTEN, why=error.strerror or str(error))
    return str(error)


def go_to(path: str) -> Response:
    """Return an answer that leads the browser to another page."""
    return RedirectResponse(path, 303)
