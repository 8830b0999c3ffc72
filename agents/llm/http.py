"""An HTTP client for servers of language models, whatever their protocol: limits, keys, streams, errors as sentences.

The key is read from the environment at each call, sent to the profile's host only (redirects are not followed, and over
plain HTTP it goes to this machine alone), and blotted out of whatever the server says before that is shown or kept.
Connections are not kept: servers drop those of streams that were ended early, and a call on such a one fails.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agents.llm.backend import Refused, TransientError, tidy
from agents.llm.keys import key_of, why_no_address, why_not_to
from agents.llm.profiles import LLMProfile
from mud.errors import Unavailable
from mud.sanitize import sanitize

if TYPE_CHECKING:
    import httpx

BODY_LIMIT = 2_000_000
"""Bytes of an answer that are read; a longer one is no reply to a question of ours."""
TOKEN_LIMIT = 1_000
"""Bytes a token of a stream may take besides; llama.cpp sends 300 to 500, most of them the same each time."""
CONNECT_SECONDS = 10.0
"""Seconds to wait for a connection at most, whatever the profile's timeout."""
CHECK_SECONDS = 3.0
"""Seconds to wait for the list of models when only asking whether the host is there."""
WORDS = 300
"""Characters of a server's own words that are told."""
MOST_TOKENS = 10**9
"""Tokens of one call at most: a server that reports more is not believed, or the budget would be used up for ever."""
_OUR_FAULT = (400, 413, 422)
_NO_SUCH = (404, 405, 501)
_LATER = frozenset({408, 429, 500, 502, 503, 504, *range(520, 525), 529})
"""What is mostly transient: it is too busy, its model loads or crashed, or a proxy does not reach it just now; from 520
on as Cloudflare and Anthropic say it."""
_THIS_ONE = re.compile(
    r"context.{0,20}\b(size|length|window)|(?<!took )\btoo (large|long|many tokens)\b|\bgrammar"
    r"|\bchat.?template|\bjinja|\binvalid.request|\bexceed_context",
    re.I,
)
"""Words of an error that the same request meets every time; llama.cpp and Ollama send some of them with 500."""
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
    """The server answers, but has no such address, or no such model."""


class Wire:
    """The way to one server.

    Args:
        name: what the server is called to people; its address when empty.
        key: returns the key that a profile's calls carry, empty for none.
        meanings: what a status means here, where that differs from most servers.
    """

    def __init__(
        self,
        base: str,
        name: str = "",
        key: Callable[[LLMProfile], str] = key_of,
        meanings: Mapping[int, str] | None = None,
    ) -> None:
        self.base = base
        self.name = name or base
        self._key = key
        self._meanings = {**_MEANINGS, **(meanings or {})}
        self._client: httpx.AsyncClient | None = None
        self.closed = False

    async def close(self) -> None:
        """Close every connection; nothing can be asked afterwards."""
        self.closed = True
        if self._client is not None:
            await self._client.aclose()

    async def _connected(self, seconds: float) -> httpx.AsyncClient:
        """Return the client, which is made when its server is first reached.

        Importing httpx takes a fifth of a command's start, and many a world has no server that listens: so it is loaded
        no sooner, and beside the event loop.

        """
        if self._client is None and not self.closed:
            await self._knock(seconds)
            httpx = await asyncio.to_thread(importlib.import_module, "httpx")
            # Proxies and .netrc of the environment would divert loopback requests or add foreign passwords.
            self._client = self._client or httpx.AsyncClient(
                trust_env=False,
                follow_redirects=False,  # a key, and a prompt, are for the host that the profile names
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
        except (OSError, UnicodeError) as error:  # UnicodeError: a name that no server can have
            raise Unavailable(f"nothing answers at {self.name}") from error
        writer.close()

    @asynccontextmanager
    async def opened(
        self, method: str, path: str, profile: LLMProfile, seconds: float, payload: dict[str, Any] | None = None
    ) -> AsyncIterator[httpx.Response]:
        """Send one request and give the answer, its body unread; leaving early closes the connection.

        Args:
            path: what stands after the base, or a whole address.
            profile: whose key is sent.
            seconds: how long each part of the answer may take to come.

        Raises:
            Refused, Unavailable: with a sentence that holds no key.
        """
        key = self._key(profile)
        address = path if "://" in path else self.base + path
        if key and (why := why_not_to(address)):
            raise Unavailable(f"{self.name} is not asked: {why}")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if payload is not None:
            headers = {"Content-Type": "application/json", **headers}
        client = await self._connected(min(CONNECT_SECONDS, seconds))
        import httpx  # loaded by now

        limits = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        try:
            async with client.stream(
                method, address, content=_encoded(payload), headers=headers, timeout=limits
            ) as response:
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
        """Send one request and return the decoded answer and how many seconds it took. See `opened`."""
        async with self.opened(method, path, profile, seconds, payload) as response:
            body = await self.read(response)
        return self.checked(decoded(body)), response.elapsed.total_seconds()

    def said(self, text: str, profile: LLMProfile, stop: tuple[str, ...] = ()) -> str:
        """Return what a server said as text that may be kept, without the profile's key, cut before the first stop."""
        return _blotted(tidy(text, stop), self._key(profile))

    def checked(self, answer: dict[str, Any] | None) -> dict[str, Any]:
        """Return an answer, when it is one; raises `Unavailable` for junk."""
        if answer is None:
            raise Unavailable(f"{self.name} answers, but not as a server of language models does")
        return answer

    async def names(
        self, path: str, profile: LLMProfile, seconds: float, listed: tuple[str, str], none: str
    ) -> list[str]:
        """Return the names of the models that a server lists.

        Args:
            listed: the field with the list, and the field of each with its name.
            none: what people are told when there is none.
        """
        answer, _ = await self.ask("GET", path, profile, seconds)
        models = answer.get(listed[0])
        found = [one.get(listed[1]) for one in models if isinstance(one, dict)] if isinstance(models, list) else []
        names = [self.said(name, profile) for name in found if isinstance(name, str) and name]
        if not names:
            raise Unavailable(f"{self.name} {none}")
        return names

    async def read(self, response: httpx.Response) -> bytes:
        """Return a whole answer, when it is no longer than one may be."""
        return b"".join([chunk async for chunk in self._chunks(response.aiter_raw(), BODY_LIMIT)])

    async def lines(self, chunks: AsyncIterator[bytes], tokens: int) -> AsyncIterator[bytes]:
        """Yield the lines of a stream of so many tokens at most as they come, without their ends; empty ones too."""
        rest = b""
        async for chunk in self._chunks(chunks, BODY_LIMIT + tokens * TOKEN_LIMIT):
            *whole, rest = _LINE.split(rest + chunk)
            if whole and not rest and chunk.endswith(b"\r"):
                whole, rest = whole[:-1], whole[-1] + b"\r"  # its other half may come with the next chunk
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
        """Return what a status other than 200 means; `after` is the server's own `Retry-After`."""
        # Who refuses a key often repeats it, whole, in part or spelled otherwise.
        said = _words_of(answer, key) if not (key and status in (401, 403)) else ""
        words = "; ".join(filter(None, (self._meanings.get(status, ""), said)))
        return _error(status, answer, f"{self.name} answered {status}" + (f": {words}" if words else ""), after)

    def midway(self, answer: dict[str, Any], profile: LLMProfile) -> Unavailable:
        """Return the error that a stream tells of after it began."""
        error = answer.get("error")
        code = error.get("code") if isinstance(error, dict) else answer.get("status")
        said = _words_of(answer, self._key(profile))
        sentence = f"{self.name} gave up in the middle of its reply" + (f": {said}" if said else "")
        return _error(count(code) or 0, answer, sentence)

    def broke_off(self) -> TransientError:
        """Return what is raised when a stream ends before it said that it would."""
        return TransientError(f"{self.name} broke off in the middle of its reply")


def checked_parts(host: str, example: str) -> tuple[str, str]:
    """Return scheme with server, and path, of the address of a server.

    Raises:
        Unavailable: it is none, or it holds more than an address; the sentence names the example.
    """
    if why := why_no_address(host, example):
        raise Unavailable(why)
    parts = urlsplit(host.strip())
    return f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")


def _encoded(payload: dict[str, Any] | None) -> bytes | None:
    """Return the body of a request; half a character in a text must not keep all of it from being sent."""
    if payload is None:
        return None
    return sanitize(json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)).encode()


def decoded(body: bytes) -> dict[str, Any] | None:
    """Return the JSON object that some bytes hold, None when they hold none."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):  # a megabyte of brackets is junk too
        return None
    return answer if isinstance(answer, dict) else None


def count(value: object) -> int | None:
    """Return a number of tokens, None for what is none, or more than any call can take."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def _words_of(answer: dict[str, Any] | None, key: str = "") -> str:
    """Return the server's own words about an error, as one short line.

    The key is blotted out before anything is cut, or a part of it would stay.
    """
    error = answer.get("error") if answer else None
    words = error.get("message") if isinstance(error, dict) else error
    return _blotted(" ".join(tidy(words).split()), key)[:WORDS] if isinstance(words, str) else ""


def _blotted(text: str, key: str) -> str:
    return text.replace(key, "(key)") if key else text


def _error(status: int, answer: dict[str, Any] | None, sentence: str, after: str = "") -> Unavailable:
    """Return what is raised for an error: whether it is transient, is about this one request, or neither."""
    error = answer.get("error") if answer else None
    kind = error.get("type") if isinstance(error, dict) else None
    about = f"{_words_of(answer)} {kind if isinstance(kind, str) else ''}"
    if status in _OUR_FAULT or (status == 500 and _THIS_ONE.search(about)):
        return Refused(sentence)
    if status in _LATER:
        return TransientError(sentence, float(after) if after.isascii() and after.isdigit() else None)
    return NoSuch(sentence) if status in _NO_SUCH else Unavailable(sentence)
