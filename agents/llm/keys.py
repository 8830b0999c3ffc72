"""Which environment variables a vault may name for keys, and to which servers a key may be sent.

A vault may come from anybody, so it is not trusted with either.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable
from urllib.parse import urlsplit

from agents.llm.profiles import LLMProfile
from mud.errors import Unavailable

PREFIX = "LOCI_API_KEY"
ALLOWED = "LOCI_ALLOW_ENV"
"""The environment variable that lists further names, separated by blanks; child processes inherit it."""


def allow(names: Iterable[str]) -> None:
    os.environ[ALLOWED] = " ".join([*os.environ.get(ALLOWED, "").split(), *names])


def why_not(name: str) -> str:
    """Return why a vault may not name this environment variable, or ""."""
    if not name or name.startswith(PREFIX) or name in os.environ.get(ALLOWED, "").split():
        return ""
    return (
        f"{name!r} is not sent: a vault may use only keys set apart for it; put this one into a variable whose name "
        f"begins with {PREFIX}, or start with --allow-env {name} if you trust the vault with it"
    )


def why_no_address(host: str, example: str = "http://127.0.0.1:8080") -> str:
    """Return why a text is no server address, or ""; the message shows `example`."""
    try:
        parts = urlsplit(host.strip())
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound:
        return f"{host!r} is no address of a server; expected one like {example}"
    if "@" in parts.netloc or parts.query or parts.fragment:
        return "host holds more than an address; keys belong in an environment variable, see api_key_env"
    return ""


def why_not_to(address: str) -> str:
    """Return why no key may be sent to an address, or ""."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        host = None
    if not host:
        return f"no key is sent to {address!r}, which is no address; expected one such as https://example.org"
    if parts.scheme == "https" or host == "localhost" or _is_loopback(host):
        return ""
    return f"no key is sent to {host} over plain http, where all can read it; expected https, or a host on this machine"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def key_of(profile: LLMProfile) -> str:
    """Return the key for a profile's host, "" when the profile names none; raises `Unavailable` for an unusable one."""
    name = profile.api_key_env
    if not name:
        return ""
    if why := why_not(name):
        raise Unavailable(f"api_key_env: {why}")
    key = os.environ.get(name, "").strip()
    if not key:
        raise Unavailable(f"the environment variable {name}, named under api_key_env, is not set")
    if len(key.splitlines()) > 1:
        raise Unavailable(f"the environment variable {name} holds several lines; expected a key alone, on one line")
    if not (key.isascii() and key.isprintable()):
        raise Unavailable(f"the environment variable {name} holds signs that no key has")
    return key
