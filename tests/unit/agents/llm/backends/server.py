"""A server on a real socket that answers as a test wants, and the forms of answers and streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from agents.llm.backend import Enough, LanguageModel
from agents.llm.backends.openai_compatible import OpenAICompatible
from agents.llm.profiles import LLMProfile
from mud.errors import Unavailable

KEY = "sk-very-secret-0123456789"
Answer = bytes | Callable[[dict[str, Any]], bytes]


def answer(status: int, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def whole(status: int, value: object, *headers: str) -> bytes:
    return answer(status, json.dumps(value).encode(), "Content-Type: application/json", *headers)


def stream(*parts: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + b"".join(parts)


def never(text: str) -> bool:
    return False


class Server:
    """Answers a request, one after another with the next answer and then always with the last; notes the requests."""

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        self.answers = list(answers)
        self.heads: list[bytes] = []
        self.asked: list[dict[str, Any]] = []
        self.left = asyncio.Event()
        self.profile = LLMProfile()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next((int(x[15:]) for x in head.lower().split(b"\r\n") if x.startswith(b"content-length:")), 0)
            self.asked.append(json.loads(await reader.readexactly(length) or b"{}"))
            self.heads.append(head)
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            writer.write(answer if isinstance(answer, bytes) else answer(self.asked[-1]))
            await writer.drain()
            if isinstance(answer, bytes) and answer.endswith(b"wait"):
                await reader.read()
                self.left.set()
        except asyncio.IncompleteReadError:
            pass  # somebody only knocked
        except ConnectionError:
            self.left.set()
        finally:
            writer.close()


@asynccontextmanager
async def serving(
    *answers: Answer, kind: Callable[[LLMProfile], LanguageModel] = OpenAICompatible
) -> AsyncIterator[tuple[Server, LanguageModel]]:
    """Give a server with these answers and a model that asks it."""
    one = Server(answers)
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    one.profile = LLMProfile(host=f"http://127.0.0.1:{port}", model="m", timeout=5, stop=(), max_tokens=8)
    model = kind(one.profile)
    async with server:
        yield one, model
        await model.close()


async def raised(
    reply: bytes,
    enough: Enough | None = None,
    kind: Callable[[LLMProfile], LanguageModel] = OpenAICompatible,
    **changed: str,
) -> Unavailable:
    """Return what a completion from a server with this reply is refused with."""
    async with serving(reply, kind=kind) as (server, model):
        profile = replace(server.profile, **changed)  # type: ignore[arg-type]
        with pytest.raises(Unavailable) as caught:
            await model.complete("~Eliza>", profile, enough)
        caught.value.args = (str(caught.value).replace(server.profile.host, "HOST"),)
        return caught.value
