"""The protocol: one server of the package mcp for all players, each of whom is seen by its own requests only."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import anyio
import mcp_types as types
from anyio.abc import TaskStatus
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.session import ServerSession
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from mud.errors import LociError, Refusal
from mud.portal.mcp.player import Answered, Player
from mud.portal.mcp.resources import RESOURCES, line_for
from mud.portal.mcp.tools import as_tools, line_of, one_line
from mud.portal.phrases import (
    BROKEN,
    COMMAND,
    DONE,
    INSTRUCTIONS,
    LINE,
    MEANWHILE,
    NO_LINE,
    NO_RESOURCE,
    NO_SECONDS,
    NO_TOOL,
    QUIET,
    SECONDS,
    WAIT,
)
from mud.portal.portal import Portal
from mud.portal.web.visit import why_not
from mud.world.narration import Phrase

log = logging.getLogger(__name__)

NAME = "loci"
PLAYER = "loci.player"
"""Key of a request's scope under which its player is."""
LONGEST_BODY = 400_000  # bytes, as of a line on a pipe
MOST_SESSIONS = 64  # of one account, so that none takes those of others; one that is idle ends after half an hour
NEWEST = 8  # connections of a player that are told when tools change
PATIENCE = 1.0  # seconds that one of them has to take that

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
Context = ServerRequestContext[Any, Any]


class _Server(Server[Any]):
    """A server that says at the handshake that its tools change."""

    def create_initialization_options(self, *args: Any, **more: Any) -> InitializationOptions:
        return super().create_initialization_options(NotificationOptions(tools_changed=True), **more)


class ServedPlayers:
    """Answers the requests of players."""

    def __init__(self, portal: Portal) -> None:
        self._portal, self.say = portal, portal.say
        self._told: WeakKeyDictionary[Player, _Told] = WeakKeyDictionary()
        self._managers: dict[str, StreamableHTTPSessionManager] = {}
        """By the name of an account, what holds its sessions, which are unknown to every other."""
        self._beginning = anyio.Lock()
        self._group = anyio.create_task_group()
        self._server = _Server(
            NAME,
            instructions=self.say(INSTRUCTIONS),
            get_tool_input_schema=lambda name: None,  # else each call lists the tools, and no argument is a header
            on_list_tools=self._answering(self._list_tools),
            on_call_tool=self._answering(self._call_tool),
            on_list_resources=self._answering(self._list_resources),
            on_list_resource_templates=self._answering(self._list_templates),
            on_read_resource=self._answering(self._read_resource),
            on_subscriptions_listen=self._listen,
        )
        self._server.add_notification_handler("notifications/initialized", types.NotificationParams, self._initialized)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests for the length of the block; at its end all connections are closed."""
        logging.getLogger("mcp").setLevel(logging.WARNING)  # else each connection is a line of the world's log
        async with self._group:
            yield
            self._group.cancel_scope.cancel()

    async def __call__(self, player: Player, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of a player."""
        manager = await self._manager_of(player.account.name)
        await manager.handle_request({**scope, PLAYER: player}, receive, send)

    async def _manager_of(self, account: str) -> StreamableHTTPSessionManager:
        async with self._beginning:
            if account not in self._managers:
                self._managers[account] = await self._group.start(self._run_manager)
            return self._managers[account]

    async def _run_manager(self, *, task_status: TaskStatus[StreamableHTTPSessionManager]) -> None:
        manager = StreamableHTTPSessionManager(
            self._server, max_request_body_size=LONGEST_BODY, max_sessions=MOST_SESSIONS
        )
        async with manager.run():
            task_status.started(manager)
            await anyio.sleep_forever()

    async def tell_changed(self, player: Player) -> None:
        """Tell a player's connections that other tools are possible now."""
        told = self._told_of(player)
        await told.bus.publish(ToolsListChanged())
        for session in tuple(told.sessions):
            with anyio.move_on_after(PATIENCE) as slow:
                try:
                    await session.send_tool_list_changed()
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    slow.cancel()
            if slow.cancel_called:
                told.sessions.remove(session)

    def _told_of(self, player: Player) -> _Told:
        return self._told.setdefault(player, _Told())

    def _answering(
        self, answer: Callable[[Player, Asked, Request], Awaitable[Answer]]
    ) -> Callable[[Context, Asked], Awaitable[Answer]]:
        """Have a request answered for its player. What goes wrong is one sentence for the program."""

        async def answered(context: Context, asked: Asked) -> Answer:
            try:
                return await answer(_player(context), asked, _request(context))
            except (LociError, OSError) as error:
                raise MCPError(types.INVALID_PARAMS, why_not(self.say, error)) from None
            except MCPError:
                raise
            except Exception:
                # A faulty command must not end the connection; the traceback is in the log alone.
                log.exception("%s of a program failed", context.method)
                raise MCPError(types.INTERNAL_ERROR, self.say(BROKEN)) from None

        return answered

    async def _initialized(self, context: Context, _: types.NotificationParams | None) -> None:
        self._told_of(_player(context)).sessions.append(context.session)

    async def _listen(
        self, context: Context, asked: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        return await self._told_of(_player(context)).listen(context, asked)

    async def _list_tools(
        self, player: Player, asked: types.PaginatedRequestParams | None, request: Request
    ) -> types.ListToolsResult:
        tools = await player.tools()
        possible = [types.Tool(name=name, description=told, input_schema=form) for name, told, form in tools]
        return types.ListToolsResult(tools=[*possible, self._wait_tool(), self._command_tool(player)])

    def _wait_tool(self) -> types.Tool:
        most = self._portal.settings().mcp_wait_seconds
        seconds = {"type": "number", "minimum": 0, "maximum": most, "description": self.say(SECONDS)}
        return _tool("wait", self.say(WAIT, most=f"{most:g}"), {"seconds": seconds})

    def _command_tool(self, player: Player) -> types.Tool:
        line = {"type": "string", "description": self.say(LINE)}
        return _tool("command", self.say(COMMAND, role=player.account.role.name.lower()), {"line": line}, "line")

    async def _call_tool(
        self, player: Player, asked: types.CallToolRequestParams, request: Request
    ) -> types.CallToolResult:
        try:
            answered = await self._called(player, asked.name, asked.arguments or {})
            # Older versions of the protocol go on with a call whose program is gone: what it would tell waits.
            heard = [] if await request.is_disconnected() else player.take()
            meanwhile = [one for one in heard if one != answered.reply]  # as of who looks at where it has come in
        except (LociError, OSError) as error:
            answered, meanwhile = Answered(why_not(self.say, error), failed=True), []
        return self._result(answered, meanwhile, empty=QUIET if asked.name == "wait" else DONE)

    async def _called(self, player: Player, name: str, given: dict[str, Any]) -> Answered:
        if name == "wait":
            await player.wait(self._seconds(given))
            return Answered("")
        if name == "command":
            return await player.type(self._line(given))
        command = as_tools(self._portal.engine.commands, player.enter().role).get(name)
        if command is None:
            raise Refusal(self.say(NO_TOOL, name=repr(name[:60])))
        return await player.type(line_of(command, given, self.say))

    def _seconds(self, given: dict[str, Any]) -> float:
        most = self._portal.settings().mcp_wait_seconds
        seconds = given.get("seconds", most)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
            raise Refusal(self.say(NO_SECONDS))
        return min(seconds, most)

    def _line(self, given: dict[str, Any]) -> str:
        line = given.get("line")
        if not isinstance(line, str) or not line.strip():
            raise Refusal(self.say(NO_LINE))
        return one_line(line)

    def _result(self, answered: Answered, meanwhile: list[str], empty: Phrase) -> types.CallToolResult:
        """Return an answer as texts: that to the line, and what was perceived meanwhile."""
        texts = [answered.reply] if answered.reply else []
        if meanwhile:
            texts.append("\n".join([self.say(MEANWHILE), *meanwhile] if texts else meanwhile))
        content: list[types.ContentBlock] = [types.TextContent(text=text) for text in texts or [self.say(empty)]]
        return types.CallToolResult(content=content, is_error=answered.failed)

    async def _list_resources(
        self, player: Player, asked: types.PaginatedRequestParams | None, request: Request
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=one.uri, name=one.path, description=self.say(one.title), mime_type="text/plain")
                for one in RESOURCES
                if not one.pattern
            ]
        )

    async def _list_templates(
        self, player: Player, asked: types.PaginatedRequestParams | None, request: Request
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=one.uri, name=one.path, description=self.say(one.title), mime_type="text/plain"
                )
                for one in RESOURCES
                if one.pattern
            ]
        )

    async def _read_resource(
        self, player: Player, asked: types.ReadResourceRequestParams, request: Request
    ) -> types.ReadResourceResult:
        line = line_for(str(asked.uri))
        if line is None:
            raise Refusal(self.say(NO_RESOURCE, uri=str(asked.uri)[:200]))
        text, failed = await player.type(line)
        if failed:
            raise Refusal(text)
        read = types.TextResourceContents(uri=asked.uri, text=text, mime_type="text/plain")
        return types.ReadResourceResult(contents=[read])


class _Told:
    """Those of a player's connections that are told when tools change."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self.bus, max_subscriptions=NEWEST)
        self.sessions = deque[ServerSession](maxlen=NEWEST)


def _request(context: Context) -> Request:
    assert isinstance(context.request, Request)
    return context.request


def _player(context: Context) -> Player:
    found = _request(context).scope[PLAYER]
    assert isinstance(found, Player)
    return found


def _tool(name: str, description: str, properties: dict[str, Any], *needed: str) -> types.Tool:
    schema = {"type": "object", "properties": properties, "required": [*needed], "additionalProperties": False}
    return types.Tool(name=name, description=description, input_schema=schema)
