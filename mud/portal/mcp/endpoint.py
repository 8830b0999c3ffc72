"""Lets programs in at `/mcp`: a token finds an account, and the account its player."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

import anyio
import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from mud.errors import LociError, Refusal
from mud.portal.mcp import optional
from mud.portal.mcp.player import Player
from mud.portal.phrases import CLOSING, FOREIGN, IDLE, NO_TOKEN, SHUT
from mud.portal.portal import Portal
from mud.portal.web.ticker import Ticker
from mud.portal.web.visit import same_origin
from mud.storage.accounts import Account

if TYPE_CHECKING:
    from mud.portal.mcp.serving import ServedPlayers

log = logging.getLogger(__name__)

SERVING = "mud.portal.mcp.serving"
BEARER = "bearer "
INVALID_REQUEST = -32600  # of JSON-RPC


class McpEndpoint:
    """The part of the web door where programs come in, as an ASGI application.

    Args:
        ticker: looks after the players, a few times a second.
    """

    def __init__(self, portal: Portal, ticker: Ticker) -> None:
        self._portal, self._ticker = portal, ticker
        self._players: dict[str, Player] = {}
        """By the name of the account."""
        self._open = defaultdict[Player, set[anyio.CancelScope]](set)
        self._served: asyncio.Future[ServedPlayers] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        address = request.client.host if request.client else ""
        try:
            account = self._account_of(request, address)
            served = await self._serving()
            with self._portal.limits.connection(address):
                await self._answer(served, account, address, (scope, receive, _Sent(send)))
        except _NotLetInError as no:
            await no.answer(scope, receive, send)
        except LociError as error:
            await _NotLetInError(str(error), 503).answer(scope, receive, send)

    def _account_of(self, request: Request, address: str) -> Account:
        """Return the account whose token a request brings. Raises _NotLetInError."""
        door = self._portal.authenticator
        try:
            door.check_address(address)
        except Refusal as refusal:
            raise _NotLetInError(refusal.text, 403) from None
        if not self._portal.settings().mcp:
            raise _NotLetInError(self._portal.say(SHUT), 403)
        if "origin" in request.headers and not same_origin(request.headers):  # as the protocol asks of servers
            raise _NotLetInError(self._portal.say(FOREIGN), 403)
        given = request.headers.get("authorization", "")
        if not given.lower().startswith(BEARER):
            raise _NotLetInError(self._portal.say(NO_TOKEN), 401)
        try:
            return door.by_token(given[len(BEARER) :].strip())
        except Refusal as refusal:
            raise _NotLetInError(refusal.text, 401) from None

    async def _serving(self) -> ServedPlayers:
        """Return what answers players, begun by the first of them. Raises LociError when its package is missing."""
        if self._closed:
            raise LociError(self._portal.say(CLOSING))
        if self._served is None:
            self._served = asyncio.get_running_loop().create_future()
            self._begin(self._serve(self._served))
        return await asyncio.shield(self._served)

    async def _serve(self, ready: asyncio.Future[ServedPlayers]) -> None:
        try:
            module = await asyncio.to_thread(optional, SERVING)
            served: ServedPlayers = module.ServedPlayers(self._portal)
        except LociError as error:
            log.warning("%s", error)
            ready.set_exception(_NotLetInError(str(error), 501))
            return
        except Exception as error:
            ready.set_exception(error)  # else the first request would wait for ever
            return
        async with served.running():
            ready.set_result(served)
            await asyncio.Event().wait()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(
        self, served: ServedPlayers, account: Account, address: str, asked: tuple[Scope, Receive, _Sent]
    ) -> None:
        player = self._player_of(account)
        with anyio.CancelScope() as open, player.request(account, address):
            self._open[player].add(open)
            try:
                await served(player, *asked)
            finally:
                self._open[player].discard(open)
        if open.cancelled_caught:
            await asked[2].finish()

    def _player_of(self, account: Account) -> Player:
        found = self._players.get(account.name)
        if found is None:
            found = self._players[account.name] = Player(self._portal, account, self._changed)
            self._ticker.watch(found)
        elif found.account.token != account.token:
            self._cut_off(found)  # who came with the token before
        return found

    def _changed(self, player: Player) -> None:
        if self._served is not None and self._served.done():
            self._begin(self._served.result().tell_changed(player))

    def sweep(self) -> None:
        """Let go the programs that may come in no longer, and those that are silent for too long or gone."""
        for player in list(self._players.values()):
            if self._still_good(player.account):
                player.leave_when_silent(self._portal.say(IDLE))
            else:
                self._end(player)
            if not player.plays and not player.requests:
                self._forget(player)

    def _still_good(self, account: Account) -> bool:
        today = self._portal.authenticator.accounts.find(account.name)
        return today is not None and not today.banned and today.token == account.token and self._portal.settings().mcp

    def _end(self, player: Player) -> None:
        player.leave()
        self._cut_off(player)

    def _cut_off(self, player: Player) -> None:
        for one in tuple(self._open[player]):
            one.cancel()

    def _forget(self, player: Player) -> None:
        self._ticker.discard(player)
        self._open.pop(player, None)
        del self._players[player.account.name]

    def close(self) -> None:
        """Let everybody go, and close all connections, for good."""
        self._closed = True
        for player in list(self._players.values()):
            self._end(player)
        for task in self._tasks:
            task.cancel()


class _Sent:
    """Sends an answer, and can end one that was cut off, as servers expect it."""

    def __init__(self, send: Send) -> None:
        self._send, self._open = send, False

    async def __call__(self, message: Message) -> None:
        self._open = message["type"] == "http.response.start" or message.get("more_body", False)
        await self._send(message)

    async def finish(self) -> None:
        if self._open:
            await self({"type": "http.response.body", "body": b""})


class _NotLetInError(LociError):
    """Why a program is not let in; what it is answered can be read by clients of the protocol and by people."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self._status = status

    @property
    def answer(self) -> Response:
        body = {"jsonrpc": "2.0", "id": None, "error": {"code": INVALID_REQUEST, "message": str(self)}}
        headers = {"www-authenticate": "Bearer"} if self._status == 401 else None
        return Response(orjson.dumps(body), self._status, headers, "application/json")
