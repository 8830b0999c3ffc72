"""Lets other worlds in at `/region/...`: a letter whose signature is right is handed to the world, and answered."""

from __future__ import annotations

import asyncio
import hmac

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from mud.errors import Refusal
from mud.portal.letters import DIGEST, LONGEST, SIGNATURE, digest
from mud.portal.portal import Portal

PATIENCE = 120.0  # seconds that a letter may take to come


class RegionEndpoint:
    """The part of the web door where other worlds come, as an ASGI application."""

    def __init__(self, portal: Portal) -> None:
        self._portal = portal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await self._answer(Request(scope, receive))
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        try:
            self._portal.authenticator.check_address(request.client.host if request.client else "")
        except Refusal as refusal:
            return PlainTextResponse(refusal.text, 403)
        what, sent = request.path_params["what"], request.headers.get(DIGEST, "")
        letter = self._portal.region(what, sent, request.headers.get(SIGNATURE, ""))
        if letter is None:
            return PlainTextResponse("No neighbour signed that.", 401)
        try:
            async with asyncio.timeout(PATIENCE):
                body = await _body(request)
        except (TimeoutError, ClientDisconnect):
            return PlainTextResponse("It did not come in time.", 408)
        if body is None or not hmac.compare_digest(digest(body).encode(), sent.encode()):
            return PlainTextResponse("It is too long, or another than was signed.", 413)
        said, signature = await letter(body)
        return Response(said, headers={SIGNATURE: signature}, media_type="application/json")


async def _body(request: Request) -> bytes | None:
    """Return the body of a request; None for one that is too long."""
    read = bytearray()
    async for chunk in request.stream():
        read += chunk
        if len(read) > LONGEST:
            return None
    return bytes(read)
