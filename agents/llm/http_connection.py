"""The HTTP client behind a `Wire`: one request at a time, and whatever goes wrong with it as a sentence.

It stands apart because of what it imports: `_wire` loads it when a server was first reached, and not before.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from agents.llm.retries import TransientError
from mud.errors import Unavailable
from mud.sanitize import sanitize


class Http:
    """Asks one server.

    Args:
        name: what the server is called to people.
        secure: its addresses begin with https.
        connecting: seconds to wait for a connection at most.
    """

    def __init__(self, name: str, secure: bool, connecting: float) -> None:
        self._name, self._connecting = name, connecting
        # Proxies and .netrc of the environment would divert loopback requests or add foreign passwords.
        self._client = httpx.AsyncClient(
            trust_env=False,
            follow_redirects=False,  # a key, and a prompt, are for the host that the profile names
            verify=secure,  # reading all certificates takes 40 ms
            headers={"Accept-Encoding": "identity", "Connection": "close"},
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    @asynccontextmanager
    async def opened(
        self, method: str, address: str, headers: Mapping[str, str], seconds: float, payload: dict[str, Any] | None
    ) -> AsyncIterator[httpx.Response]:
        """Send one request and give the answer, its body unread; leaving early closes the connection.

        Args:
            method: the HTTP method.
            address: the whole address.
            headers: sent besides those of every request.
            seconds: how long each part of the answer may take to come.
            payload: the request's body.

        Raises:
            Unavailable: with a sentence.
        """
        timeout = httpx.Timeout(seconds, connect=min(self._connecting, seconds))
        try:
            async with self._client.stream(method, address, **_sent(payload, headers), timeout=timeout) as response:
                yield response
        except httpx.TimeoutException as error:
            raise Unavailable(f"{self._name} did not answer within {seconds:g} s") from error
        except httpx.ConnectError as error:
            raise Unavailable(f"nothing answers at {self._name}") from error
        except httpx.TransportError as error:
            raise TransientError(f"{self._name} broke off: {str(error) or type(error).__name__}") from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, RuntimeError) as error:
            # RuntimeError is what httpx raises once the client is closed.
            raise Unavailable(f"{self._name} broke off: {str(error) or type(error).__name__}") from error

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()


def _sent(payload: dict[str, Any] | None, headers: Mapping[str, str]) -> dict[str, Any]:
    """Return body and headers of a request; half a character in a text must not keep all of it from being sent."""
    if payload is None:
        return {"headers": headers}
    body = sanitize(json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)).encode()
    return {"content": body, "headers": {"Content-Type": "application/json", **headers}}
