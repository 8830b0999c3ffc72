"""The other worlds that this one lets characters go to and takes them in from, and the letters between them.

A letter is signed with the secret that both worlds share, and so is its answer, so that nobody else sends a character
or says that one arrived. The secret itself is never sent.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import importlib
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson

from agents.llm.profiles import KEY_PREFIX, why_no_address, why_not, why_not_to
from mud.errors import LociError, Unavailable
from mud.portal.letters import DIGEST, PATH, SIGNATURE, digest
from mud.storage.configuration import Configuration
from mud.storage.settings import setting

EXAMPLE = f"http://127.0.0.1:8001 {KEY_PREFIX}_EAST"
SHORTEST = 16  # characters of a secret
CONNECT_SECONDS, SECONDS = 5.0, 120.0
LONGEST_ANSWER = 64 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class RegionSettings:
    """`config/regions.md`."""

    neighbours: tuple[str, ...] = setting(
        (),
        "Worlds to which characters may go from here, and from which they may come. Each is the address of its web "
        "pages, https or on this machine, and after a blank the name of the environment variable with the secret that "
        f"both worlds share. That name begins with {KEY_PREFIX}, or is given with --allow-env when the program starts. "
        f"One world is written {EXAMPLE}, and several are a list",
        per_agent=False,
    )


class Neighbour(NamedTuple):
    """A world that is trusted. `address`: of its web pages; `key_env`: the environment variable with the secret."""

    address: str
    key_env: str

    @property
    def host(self) -> str:
        """What exits call it."""
        return urlsplit(self.address).netloc.lower()

    @property
    def key(self) -> bytes:
        """The secret. Raises Unavailable for one that is not set or cannot be used."""
        key = os.environ.get(self.key_env, "").strip()
        if why := why_not(self.key_env) or why_not_to(self.address):
            raise Unavailable(why)
        if len(key) < SHORTEST:
            why = f"holds fewer than {SHORTEST} characters" if key else "is not set"
            raise Unavailable(
                f"the environment variable {self.key_env}, with the secret shared with {self.host}, {why}"
            )
        return key.encode()


class WrongNeighbourError(LociError):
    """An entry of the setting `neighbours` names no world."""


def parse_neighbour(text: str) -> Neighbour:
    """Parse an entry of the setting `neighbours`. Raises WrongNeighbourError."""
    address, _, name = text.strip().partition(" ")
    name = name.strip()
    if not name or " " in name:
        raise WrongNeighbourError(f"{text!r} is no address and name of a variable; expected such as {EXAMPLE}")
    if why := why_no_address(address, EXAMPLE) or why_not(name) or why_not_to(address):
        raise WrongNeighbourError(why)
    if urlsplit(address).path.strip("/"):
        raise WrongNeighbourError(f"{address!r} has a path; expected the address alone, such as {EXAMPLE}")
    return Neighbour(address.rstrip("/"), name)


def neighbours_in(configuration: Configuration) -> Iterator[Neighbour]:
    """Yield the neighbours that the settings name, without those that are wrong, which `check` tells."""
    for text in configuration.get(RegionSettings).neighbours:
        try:
            yield parse_neighbour(text)
        except WrongNeighbourError:
            continue


def find_neighbour(configuration: Configuration, host: str) -> Neighbour | None:
    """Return the neighbour that an exit names."""
    return next((one for one in neighbours_in(configuration) if one.host == host.lower()), None)


def sign(key: bytes, *parts: bytes) -> str:
    return hmac.new(key, b"\n".join(parts), hashlib.sha256).hexdigest()


def password_of(key: bytes, ticket: str) -> str:
    """Return the password with which a person comes in after a journey; both worlds work it out, and none sends it."""
    drawn = hmac.new(key, b"password\n" + ticket.encode(), hashlib.sha256).digest()
    letters = base64.b32encode(drawn).decode().lower()
    return "-".join(letters[at : at + 4] for at in (0, 4, 8, 12))


def sender_of(configuration: Configuration, what: str, sent: str, signature: str) -> Neighbour | None:
    """Return the neighbour that signed a letter; `sent` is the digest of its body. None when none did."""
    for one in neighbours_in(configuration):
        try:
            right = sign(one.key, what.encode(), sent.encode())
        except Unavailable:
            continue
        if hmac.compare_digest(right.encode(), signature.encode()):
            return one
    return None


def sign_answer(key: bytes, signature: str, body: bytes) -> str:
    """Return the signature of the answer to a letter with this signature."""
    return sign(key, b"answer", signature.encode(), body)


class Posted(NamedTuple):
    """What a letter was answered: the status of HTTP, the body, and the signature, empty without one."""

    status: int
    body: bytes
    signature: str


Post = Callable[[str, bytes, Mapping[str, str]], Awaitable[Posted]]
"""Posts a body with headers to an address. Raises Unavailable when no answer comes."""


async def post(address: str, body: bytes, headers: Mapping[str, str]) -> Posted:
    """Post by HTTP; see `Post`."""
    httpx = await asyncio.to_thread(importlib.import_module, "httpx")
    times, secure = httpx.Timeout(SECONDS, connect=CONNECT_SECONDS), address.startswith("https://")
    try:
        # The environment's proxies would divert it, and reading all certificates takes 40 ms.
        async with (
            httpx.AsyncClient(trust_env=False, follow_redirects=False, verify=secure, timeout=times) as client,
            client.stream("POST", address, content=body, headers=headers) as answer,
        ):
            said = b""
            async for part in answer.aiter_bytes():
                said += part
                if len(said) > LONGEST_ANSWER:  # nothing of it is verified yet
                    raise Unavailable(f"it answers with more than {LONGEST_ANSWER:,} bytes")
    except (httpx.HTTPError, OSError, ValueError) as error:
        raise Unavailable(f"it does not answer ({error or type(error).__name__})") from None
    return Posted(answer.status_code, said, answer.headers.get(SIGNATURE, ""))


async def send(neighbour: Neighbour, what: str, body: bytes, post: Post = post) -> dict[str, object]:
    """Send a letter and return what the other world answers.

    Raises Unavailable when no answer comes that is its own; what became of the letter is not known then.
    """
    key, name, sent = neighbour.key, neighbour.host, digest(body)
    signature = sign(key, what.encode(), sent.encode())
    try:
        answer = await post(f"{neighbour.address}{PATH}/{what}", body, {SIGNATURE: signature, DIGEST: sent})
    except Unavailable as error:
        raise Unavailable(f"{name}: {error}") from None
    if not hmac.compare_digest(sign_answer(key, signature, answer.body).encode(), answer.signature.encode()):
        why = "it does not know the secret" if answer.status == 401 else f"status {answer.status}"
        raise Unavailable(f"{name}: it gives no answer of a neighbour ({why})")
    try:
        said = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        said = None
    if not isinstance(said, dict) or not isinstance(said.get("answer"), str):
        raise Unavailable(f"{name}: it answers in a form that is not known here")
    return said
