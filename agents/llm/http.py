"""An HTTP client for servers of language models: limits, keys, streams, and errors as sentences.

Keys go only to the profile's host (no redirects; over plain HTTP only to this machine) and are removed from everything
the server returns. Connections are not kept: servers drop those of streams that were ended early.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agents.llm.backend import Refused, TransientError, tidy
from agents.llm.profiles import LLMProfile, key_of, why_no_address, why_not_to
from mud.errors import Unavailable
from mud.sanitize import sanitize

if TYPE_CHECKING:
    import httpx

BODY_LIMIT = 2_000_000
TOKEN_LIMIT = 1_000
"""Further bytes for each token of a stream; llama.cpp sends 300 to 500."""
CONNECT_SECONDS = 10.0
CHECK_SECONDS = 3.0
WORDS = 300
MOST_TOKENS = 10**9
"""A higher reported count is not believed, or it would use up the budget for ever."""
_OUR_FAULT = (400, 413, 422)
_NO_SUCH = (404, 405, 501)
_LATER = frozenset({408, 429, 500, 502, 503, 504, *range(520, 525), 529})
"""Statuses that are mostly transient; those from 520 on are used by Cloudflare and Anthropic."""
_THIS_ONE = re.compile(
    r"context.{0,20}\b(size|length|window)|(?<!took )\btoo (large|long|many tokens)\b|\bgrammar"
    r"|\bchat.?template|\bjinja|\binvalid.request|\bexceed_context",
    re.I,
)
"""Errors that the same request would meet again; llama.cpp and Ollama send some of them with status 500."""
_MEANINGS = {
    401: "it wants another key: name the environment variable that holds it under api_key_env",
    403: "it does not allow this: check the key named under api_key_env",
    404: "it does not know this address or this model: check host, api and model",
    429: "it is asked too often, or the account is used up",
    501: "it cannot do this: set another api",
    503: "it is still loading its model, or too busy",
}
_LINE = re.compile(rb"\r\n|\n|\r")


class NoSuch(Unavailable):
    """The server answers, but has no such address or model."""


class Wire:
    """The connection to one server; `key` returns a profile's key, `meanings` overrides the texts for statuses."""

    def __init__(
        self,
        base: str,
        name: str = "",
        key: Callable[[LLMProfile], str] = key_of,
        meanings: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        self.base, self.name, self._key, self._meanings = base, name or base, key, {**_MEANINGS, **meanings}
        self._client: httpx.AsyncClient | None = None
        self.closed = False

    async def close(self) -> None:
        self.closed = True
        if self._client is not None:
            await self._client.aclose()

    async def _connected(self, seconds: float) -> httpx.AsyncClient:
        """Return the client; httpx, a fifth of a start, is imported in a thread and only if the server listens."""
        if self._client is None and not self.closed:
            await self._knock(seconds)
            httpx = await asyncio.to_thread(importlib.import_module, "httpx")
            # The environment's proxies and .netrc would divert loopback requests or add passwords.
            self._client = self._client or httpx.AsyncClient(
                trust_env=False,
                follow_redirects=False,  # keys and prompts go to the profile's host only
                verify=self.base.startswith("https://"),  # reading all certificates takes 40 ms
                headers={"Accept-Encoding": "identity", "Connection": "close"},
                limits=httpx.Limits(max_keepalive_connections=0),
            )
        if self._client is None or self.closed:
            raise Unavailable(f"{self.name} was closed")
        return self._client

    async def _knock(self, seconds: float) -> None:
        parts = urlsplit(self.base)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            async with asyncio.timeout(seconds):
                _, writer = await asyncio.open_connection(parts.hostname, port)
        except TimeoutError as error:
            raise Unavailable(f"{self.name} did not answer within {seconds:g} s") from error
        except (OSError, UnicodeError) as error:  # UnicodeError: an invalid host name
            raise Unavailable(f"nothing answers at {self.name}") from error
        writer.close()

    @asynccontextmanager
    async def opened(
        self, method: str, path: str, profile: LLMProfile, seconds: float, payload: dict[str, Any] | None = None
    ) -> AsyncIterator[httpx.Response]:
        """Send one request and yield the response with its body unread; `seconds` is the timeout for each part of it.

        The messages of the errors it raises, Refused and Unavailable, hold no key.
        """
        key = self._key(profile)
        address = path if "://" in path else self.base + path
        if key and (why := why_not_to(address)):
            raise Unavailable(f"{self.name} is not asked: {why}")
        headers, content = {"Authorization": f"Bearer {key}"} if key else {}, None
        if payload is not None:
            headers = {"Content-Type": "application/json", **headers}
            text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            content = sanitize(text).encode()
        client = await self._connected(min(CONNECT_SECONDS, seconds))
        import httpx  # loaded by now

        limits = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        try:
            async with client.stream(method, address, content=content, headers=headers, timeout=limits) as response:
                if response.headers.get("content-encoding", "identity") != "identity":
                    raise Unavailable(f"{self.name} packed its answer although it was asked not to")
                if response.status_code != httpx.codes.OK:
                    answer = decoded(await self.read(response))
                    raise self._error(response.status_code, answer, key, response.headers.get("retry-after", ""))
                yield response
        except httpx.TimeoutException as error:
            raise Unavailable(f"{self.name} did not answer within {seconds:g} s") from error
        except httpx.ConnectError as error:
            raise Unavailable(f"nothing answers at {self.name}") from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, RuntimeError) as error:
            # RuntimeError is what httpx raises once the client is closed.
            kind = TransientError if isinstance(error, httpx.TransportError) else Unavailable
            raise kind(f"{self.name} broke off: {str(error) or type(error).__name__}") from error

    async def ask(
        self, method: str, path: str, profile: LLMProfile, seconds: float, payload: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], float]:
        """Send one request and return the decoded answer and the seconds it took; raises as `opened` does."""
        async with self.opened(method, path, profile, seconds, payload) as response:
            body = await self.read(response)
        return self.checked(decoded(body)), response.elapsed.total_seconds()

    def said(self, text: str, profile: LLMProfile, stop: tuple[str, ...] = ()) -> str:
        return _blotted(tidy(text, stop), self._key(profile))

    def checked(self, answer: dict[str, Any] | None) -> dict[str, Any]:
        if answer is None:
            raise Unavailable(f"{self.name} answers, but not as a server of language models does")
        return answer

    async def names(
        self, path: str, profile: LLMProfile, seconds: float, listed: tuple[str, str], none: str
    ) -> list[str]:
        """Return the models that a server lists; `listed` is the field of the list and that of each name."""
        answer, _ = await self.ask("GET", path, profile, seconds)
        models = answer.get(listed[0])
        found = [one.get(listed[1]) for one in models if isinstance(one, dict)] if isinstance(models, list) else []
        names = [self.said(name, profile) for name in found if isinstance(name, str) and name]
        if not names:
            raise Unavailable(f"{self.name} {none}")
        return names

    async def read(self, response: httpx.Response) -> bytes:
        return b"".join([chunk async for chunk in self._chunks(response.aiter_raw(), BODY_LIMIT)])

    async def lines(self, chunks: AsyncIterator[bytes], tokens: int) -> AsyncIterator[bytes]:
        """Yield the lines of a stream without their ends, empty ones too; `tokens` limits the length."""
        rest = b""
        async for chunk in self._chunks(chunks, BODY_LIMIT + tokens * TOKEN_LIMIT):
            *whole, rest = _LINE.split(rest + chunk)
            if whole and not rest and chunk.endswith(b"\r"):
                whole, rest = whole[:-1], whole[-1] + b"\r"  # its "\n" may come with the next chunk
            for line in whole:
                yield line
        if rest:
            yield rest.rstrip(b"\r")

    async def _chunks(self, chunks: AsyncIterator[bytes], limit: int) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in chunks:
            read += len(chunk)
            if read > limit:
                raise Unavailable(f"{self.name} sent more than {limit:,} bytes for one reply")
            yield chunk

    def _error(self, status: int, answer: dict[str, Any] | None, key: str, after: str) -> Unavailable:
        # Servers that refuse a key often repeat it, in part or altered.
        said = "" if key and status in (401, 403) else _words_of(answer, key)
        words = "; ".join(filter(None, (self._meanings.get(status, ""), said)))
        return _error(status, answer, f"{self.name} answered {status}{words and f': {words}'}", after)

    def midway(self, answer: dict[str, Any], profile: LLMProfile) -> Unavailable:
        error = answer.get("error")
        code = error.get("code") if isinstance(error, dict) else answer.get("status")
        said = _words_of(answer, self._key(profile))
        sentence = f"{self.name} gave up in the middle of its reply{said and f': {said}'}"
        return _error(count(code) or 0, answer, sentence)

    def broke_off(self) -> TransientError:
        return TransientError(f"{self.name} broke off in the middle of its reply")


def checked_parts(host: str, example: str) -> tuple[str, str]:
    """Return an address as scheme with server, and path; raises `Unavailable` for an invalid one."""
    if why := why_no_address(host, example):
        raise Unavailable(why)
    parts = urlsplit(host.strip())
    return f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")


def decoded(body: bytes) -> dict[str, Any] | None:
    """Return the JSON object in some bytes, or None."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):  # RecursionError: deeply nested brackets
        return None
    return answer if isinstance(answer, dict) else None


def count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def _words_of(answer: dict[str, Any] | None, key: str = "") -> str:
    """Return the server's error message as one short line; the key is removed before the cut, which might split it."""
    error = answer.get("error") if answer else None
    words = error.get("message") if isinstance(error, dict) else error
    return _blotted(" ".join(tidy(words).split()), key)[:WORDS] if isinstance(words, str) else ""


def _blotted(text: str, key: str) -> str:
    return text.replace(key, "(key)") if key else text


def _error(status: int, answer: dict[str, Any] | None, sentence: str, after: str = "") -> Unavailable:
    error = answer.get("error") if answer else None
    kind = error.get("type") if isinstance(error, dict) else None
    about = f"{_words_of(answer)} {kind if isinstance(kind, str) else ''}"
    if status in _OUR_FAULT or (status == 500 and _THIS_ONE.search(about)):
        return Refused(sentence)
    if status in _LATER:
        return TransientError(sentence, float(after) if after.isascii() and after.isdigit() else None)
    return NoSuch(sentence) if status in _NO_SUCH else Unavailable(sentence)
