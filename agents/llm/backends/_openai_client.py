"""A client of OpenAI's protocol: llama.cpp, Ollama under `/v1`, vLLM, LM Studio, and servers on the network.

The key is read from the environment at each call, sent to the profile's host only (redirects are not followed), and
blotted out of whatever the server says before that is shown or logged.
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import urlsplit

import httpx

from agents.llm.backends._backend import Completion, Enough, Refused, tidy
from agents.llm.profiles import LLMProfile
from mud.errors import Unavailable

BODY_LIMIT = 2_000_000
"""Bytes of an answer that are read; a longer one is no reply to a question of ours."""
CONNECT_SECONDS = 10.0
"""Seconds to wait for a connection at most, whatever the profile's timeout."""
CHECK_SECONDS = 3.0
"""Seconds to wait for the list of models when only asking whether the host is there."""
_OUR_FAULT = (400, 413, 422)
_NO_SUCH = (404, 405, 501)
_MEANINGS = {
    401: "it wants another key: name the environment variable that holds it under api_key_env",
    403: "it does not allow this: check the key named under api_key_env",
    404: "it does not know this address or this model: check host, api and model",
    429: "it is asked too often, or the account is used up",
    501: "it cannot do this: set another api",
    503: "it is still loading its model, or too busy",
}


class _NoSuch(Unavailable):
    """The server answers, but has no such address."""


class OpenAICompatible:
    """A client for one host.

    Args:
        profile: any profile of that host.
    """

    def __init__(self, profile: LLMProfile) -> None:
        self._base = base_url(profile.host)
        self._first_model: str | None = None
        self._counts = True
        # Proxies and .netrc of the environment would divert loopback requests or add foreign passwords.
        self._client = httpx.AsyncClient(trust_env=False, headers={"Accept-Encoding": "identity"})

    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        """Continue a prompt; see `LanguageModel.complete`."""
        model = profile.model or await self._listed_model(profile)
        payload: dict[str, Any] = {
            "model": model,
            "temperature": profile.temperature,
            "max_tokens": profile.max_tokens,
            "stream": False,
        }
        if profile.stop:
            payload["stop"] = list(profile.stop)
        if profile.api == "chat":
            payload["messages"] = [{"role": "user", "content": prompt}]
        else:
            payload["prompt"] = prompt
        path = "/chat/completions" if profile.api == "chat" else "/completions"
        answer, seconds = await self._ask("POST", self._base + path, profile, profile.timeout, payload)
        text = self._text(answer)
        usage = answer.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        return Completion(
            tidy(text, profile.stop),
            _count(counts.get("prompt_tokens")),
            _count(counts.get("completion_tokens")),
            seconds,
            tidy(str(answer.get("model") or model))[:200],
        )

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        """Ask as llama.cpp's server is asked, whose `/tokenize` stands beside `/v1`; see `LanguageModel.tokens`."""
        if not self._counts:
            return None
        address = f"{self._base.removesuffix('/v1')}/tokenize"
        try:
            answer, _ = await self._ask(
                "POST", address, profile, min(CHECK_SECONDS, profile.timeout), {"content": text}
            )
        except (_NoSuch, Refused):
            self._counts = False  # it is not sent a whole life again, just to say so
            return None
        found = answer.get("tokens")
        return len(found) if isinstance(found, list) else None

    async def check(self, profile: LLMProfile) -> None:
        """Return when the host lists its models; see `LanguageModel.check`."""
        self._first_model, self._counts = None, True
        await self._listed_model(profile, min(CHECK_SECONDS, profile.timeout))

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    async def _listed_model(self, profile: LLMProfile, seconds: float = CHECK_SECONDS) -> str:
        if self._first_model is None:
            answer, _ = await self._ask("GET", f"{self._base}/models", profile, seconds)
            models = answer.get("data")
            names = (
                [m["id"] for m in models if isinstance(m, dict) and isinstance(m.get("id"), str)]
                if isinstance(models, list)
                else []
            )
            if not names:
                raise Unavailable(f"{self._base} lists no model; load one there, or name one under model")
            self._first_model = names[0]
        return self._first_model

    async def _ask(
        self, method: str, address: str, profile: LLMProfile, seconds: float, payload: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], float]:
        """Send one request and return the decoded answer and how long it took.

        Raises:
            Refused, Unavailable: with a sentence that holds no key.
        """
        key = _key(profile)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        timeout = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        try:
            async with self._client.stream(method, address, json=payload, headers=headers, timeout=timeout) as response:
                body = await self._read(response)
        except httpx.TimeoutException as error:
            raise Unavailable(f"{self._base} did not answer within {seconds:g} s") from error
        except httpx.ConnectError as error:
            raise Unavailable(f"nothing answers at {self._base}") from error
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:
            # RuntimeError is what httpx raises once the client is closed.
            raise Unavailable(f"{self._base} broke off: {error or type(error).__name__}") from error
        answer = _decoded(body)
        if response.status_code != httpx.codes.OK:
            self._complain(response.status_code, answer, key)
        if answer is None:
            raise Unavailable(f"{self._base} answers, but not as a server of language models does")
        return answer, response.elapsed.total_seconds()

    async def _read(self, response: httpx.Response) -> bytes:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise Unavailable(f"{self._base} packed its answer although it was asked not to")
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > BODY_LIMIT:
                raise Unavailable(f"{self._base} sent more than {BODY_LIMIT:,} bytes for one reply")
        return bytes(body)

    def _complain(self, status: int, answer: dict[str, Any] | None, key: str) -> None:
        """Raise what a status other than 200 means."""
        said = _said(answer)
        if key:
            said = said.replace(key, "(key)")
        words = "; ".join(filter(None, (_MEANINGS.get(status, ""), said)))
        sentence = f"{self._base} answered {status}" + (f": {words}" if words else "")
        raise (Refused if status in _OUR_FAULT else _NoSuch if status in _NO_SUCH else Unavailable)(sentence)

    def _text(self, answer: dict[str, Any]) -> str:
        try:
            choice = answer["choices"][0]
            text = choice["message"]["content"] if "message" in choice else choice["text"]
        except (KeyError, IndexError, TypeError):
            text = 0
        if text is None:  # a reasoning model that used up its tokens before it answered
            return ""
        if not isinstance(text, str):
            raise Unavailable(f"{self._base} sent an answer without a text")
        return text


def base_url(host: str) -> str:
    """Return the address that the paths of the protocol are added to.

    Args:
        host: `http://127.0.0.1:8080`, or with a path of its own, such as `https://example.org/api/v1`.

    Raises:
        Unavailable: it is no such address.
    """
    try:
        parts = urlsplit(host.strip())
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound:
        raise Unavailable(f"{host!r} is no address of a server; expected one like http://127.0.0.1:8080")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise Unavailable("host holds more than an address; keys belong in an environment variable, see api_key_env")
    path = parts.path.rstrip("/") or "/v1"
    return f"{parts.scheme}://{parts.netloc}{path}"


def _key(profile: LLMProfile) -> str:
    """Return the key for the profile's host, empty when it wants none."""
    if not profile.api_key_env:
        return ""
    key = os.environ.get(profile.api_key_env, "").strip()
    if not key:
        raise Unavailable(f"the environment variable {profile.api_key_env}, named under api_key_env, is not set")
    if not (key.isascii() and key.isprintable()):
        raise Unavailable(f"the environment variable {profile.api_key_env} holds signs that no key has")
    return key


def _decoded(body: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):  # a megabyte of brackets is junk too
        return None
    return answer if isinstance(answer, dict) else None


def _said(answer: dict[str, Any] | None) -> str:
    """Return the server's own words about an error, as one short line."""
    error = answer.get("error") if answer else None
    words = error.get("message") if isinstance(error, dict) else error
    return " ".join(tidy(words).split())[:300] if isinstance(words, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
