"""Carries the protocol between stdin and stdout and the running world, for programs that start tools themselves."""

from __future__ import annotations

import logging
import sys
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from pydantic import ValidationError

from mud.errors import LociError
from mud.portal.plain import LineReader, show_plain

TIMES = httpx2.Timeout(30.0, read=None)
"""Seconds for a connection; an answer may take as long as the world lets it."""
PATIENCE = 10.0
"""Seconds that answers may take which the rest waits for: those to the handshake, and all once stdin has ended."""
GONE = "the world at {url} does not answer; it has ended, or is not there"


async def carry(url: str, token: str, *, proxies: bool) -> None:
    """Carry messages both ways until stdin ends. Raises LociError when the world lets nobody in, or ends.

    Args:
        proxies: whether the environment's proxies are used, as for a world on another machine.
    """
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # what matters is answered, or raised here
    headers = {"authorization": f"Bearer {token}"}
    try:
        async with httpx2.AsyncClient(headers=headers, timeout=TIMES, trust_env=proxies) as client:
            await _check(client, url)
            async with streamable_http_client(url, http_client=client) as streams, anyio.create_task_group() as group:
                unanswered = _Unanswered()
                group.start_soon(_show_answers, streams[0], unanswered)
                await _send_lines(streams[1], unanswered)
                group.cancel_scope.cancel()
    except* (httpx2.TransportError, httpx2.InvalidURL):
        raise LociError(GONE.format(url=url)) from None


async def _check(client: httpx2.AsyncClient, url: str) -> None:
    """Raise LociError when the world says why nobody comes in."""
    answer = await client.options(url)
    if answer.status_code in (400, 405):  # it is not asked so by anybody whom it lets in
        return
    try:
        why = answer.json()["error"]["message"]
    except (ValueError, KeyError, TypeError):
        why = f"there is no world that lets programs in (status {answer.status_code})"
    raise LociError(f"{url}: {why}")


class _Unanswered:
    """The requests that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[types.RequestId] = set()
        self._answered = anyio.Event()

    def add(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)

    def discard(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
            self._ids.discard(message.id)
            self._answered.set()

    async def wait(self) -> None:
        """Wait until every request has its answer, for `PATIENCE` at most."""
        with anyio.move_on_after(PATIENCE):
            while self._ids:
                self._answered = anyio.Event()
                await self._answered.wait()


async def _show_answers(answers: Any, unanswered: _Unanswered) -> None:
    async for one in answers:
        if isinstance(one, SessionMessage):
            show_plain(one.message.model_dump_json(by_alias=True, exclude_unset=True))
            unanswered.discard(one.message)


async def _send_lines(write: Any, unanswered: _Unanswered) -> None:
    """Send what comes on stdin until that ends, and wait for the answers to it."""
    lines = LineReader(sys.stdin.fileno())
    try:
        while (line := await lines.next()) is not None:
            if not line.strip():
                continue
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError:
                show_plain(_unreadable())
                continue
            unanswered.add(message)
            await write.send(SessionMessage(message, metadata=_routing(message)))
            if getattr(message, "method", "") == "initialize":
                await unanswered.wait()  # it brings the session that all others name
        await unanswered.wait()
    finally:
        lines.close()


def _unreadable() -> str:
    error = types.ErrorData(code=types.PARSE_ERROR, message="that line is no message of JSON-RPC")
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=error).model_dump_json(by_alias=True)


def _routing(message: types.JSONRPCMessage) -> ClientMessageMetadata | None:
    """Return the headers that newer versions of the protocol put beside a message over HTTP; None for older ones."""
    params = getattr(message, "params", None) or {}
    version = (params.get("_meta") or {}).get(types.PROTOCOL_VERSION_META_KEY)
    if not isinstance(message, types.JSONRPCRequest) or not isinstance(version, str):
        return None
    headers = {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: message.method}
    name = params.get(NAME_BEARING_METHODS.get(message.method, ""))
    if isinstance(name, str):
        headers[MCP_NAME_HEADER] = encode_header_value(name)
    return ClientMessageMetadata(headers=headers)
