"""Ollama's protocol in front of a real llama.cpp server, because no real Ollama can be had where these tests run.

Real tokens behind an emulated protocol, as far as its documentation and the source of its server tell: so it is
stricter than Ollama where that would take no notice of a mistake, such as `stop` outside `options`. It refuses those.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.live_server import LiveServer

MODEL = "smollm2:latest"
FIELDS = {"model", "prompt", "stream", "raw", "options", "keep_alive", "think", "truncate", "shift"}
OPTIONS = {"temperature", "num_predict", "num_ctx", "stop"}
LEVELS = (True, False, "low", "medium", "high")


@dataclass
class Refusal(Exception):
    """What is answered instead of a reply."""

    status: int
    words: str


@dataclass
class Adapter:
    """The adapter.

    Args:
        server: what answers behind it.
    """

    server: LiveServer
    host: str = ""
    thinks: bool = False
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Every body of `/api/generate`, in order."""
    hung_up: int = 0
    """Streams whose asker left before the end."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next((int(one[15:]) for one in head.lower().splitlines() if one.startswith("content-length:")), 0)
            body = json.loads(await reader.readexactly(length) or b"{}")
            method, path = head.split()[:2]
            await self._answer(method, path, body, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up += 1
        finally:
            writer.close()

    async def _answer(self, method: str, path: str, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        try:
            if (method, path) == ("GET", "/api/tags"):
                await _whole(writer, 200, {"models": [{"name": MODEL, "model": MODEL, "size": 98_362_432}]})
            elif (method, path) == ("POST", "/api/generate"):
                self.asked.append(body)
                await self._generate(body, writer)
            else:
                raise Refusal(404, "")
        except Refusal as refusal:
            await _whole(writer, refusal.status, {"error": refusal.words} if refusal.words else None)

    async def _generate(self, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        self._examine(body)
        if body.get("stream", True):
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n"
            async for part in self._parts(body):
                writer.write(head + json.dumps(part).encode() + b"\n")
                head = b""
                await writer.drain()
            return
        parts = [part async for part in self._parts(body)]
        last = {**parts[-1], "response": "".join(part["response"] for part in parts)}
        await _whole(writer, 200, last)

    def _examine(self, body: dict[str, Any]) -> None:
        """Refuse what Ollama refuses, and what it would take no notice of."""
        options = body.get("options", {})
        if unknown := [*(body.keys() - FIELDS), *(options.keys() - OPTIONS)]:
            raise Refusal(400, f"Ollama takes no notice of {', '.join(unknown)}")
        if missing := [one for one in ("num_ctx", "num_predict", "temperature") if one not in options]:
            raise Refusal(400, f"without {missing} Ollama takes its own")
        if body["model"] not in (MODEL, MODEL.removesuffix(":latest")):
            raise Refusal(404, f"model '{body['model']}' not found")
        if body.get("think", False) not in LEVELS:
            raise Refusal(400, 'think must be a boolean or string ("high", "medium", "low", true, or false)')
        if body.get("think") and not self.thinks:
            raise Refusal(400, f'"{body["model"]}" does not support thinking')
        if isinstance(keep := body.get("keep_alive", 0), str) and keep[-1:].isdigit():
            raise Refusal(400, f'time: missing unit in duration "{keep}"')

    async def _parts(self, body: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """Yield the parts of a reply as Ollama sends them, the last with its numbers."""
        options, raw, prompt = body["options"], body.get("raw", False), self._fitting(body)
        asked = {
            **({"prompt": prompt} if raw else {"messages": [{"role": "user", "content": prompt}]}),
            **{"max_tokens": options["num_predict"], "temperature": options["temperature"]},
            **{"stop": options.get("stop", []), "stream": True, "stream_options": {"include_usage": True}},
        }
        path = "/v1/completions" if raw else "/v1/chat/completions"
        usage: dict[str, Any] = {}
        async with (
            httpx.AsyncClient(trust_env=False, timeout=60) as client,
            client.stream("POST", self.server.address + path, json=asked) as response,
        ):
            async for line in response.aiter_lines():
                event = json.loads(line[6:]) if line.startswith("data: {") else {}
                usage |= event.get("usage", {})
                for choice in event.get("choices", []):
                    text = choice["text"] if raw else choice["delta"].get("content")
                    if text:
                        yield {"model": body["model"], "response": text, "done": False}
        yield {
            **{"model": body["model"], "response": "", "done": True, "done_reason": "stop"},
            **{"prompt_eval_count": usage["prompt_tokens"], "eval_count": usage["completion_tokens"]},
        }

    def _fitting(self, body: dict[str, Any]) -> str:
        """Return the prompt, its beginning cut off to the window without a word unless that is forbidden."""
        prompt: str = body["prompt"]
        tokens, window = self.server.tokens(prompt), body["options"]["num_ctx"]
        if tokens <= window:
            return prompt
        if body.get("truncate", True) is False:
            raise Refusal(400, "the input length exceeds the context length")
        return prompt[len(prompt) * (tokens - window) // tokens :]


async def _whole(writer: asyncio.StreamWriter, status: int, value: object) -> None:
    body = b"404 page not found" if value is None else json.dumps(value).encode()
    head = f"HTTP/1.1 {status} Whatever\r\nContent-Type: application/json\r\nConnection: close\r\n"
    writer.write(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()


@asynccontextmanager
async def adapting(server: LiveServer) -> AsyncIterator[Adapter]:
    """Give an adapter in front of a llama.cpp server."""
    one = Adapter(server)
    listening = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.host = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with listening:
        yield one
