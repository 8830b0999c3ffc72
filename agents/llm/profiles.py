"""LLM profiles, one file each in `vault/config/llm/`: which model is asked for which task, how, and with which key.

Thoughts and summaries have separate profiles, because a summary must not stop at the end of a line. A vault may come
from anybody, so it is trusted neither with the names of environment variables nor with where a key is sent.
"""

from __future__ import annotations

import functools
import ipaddress
import os
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from mud.errors import Unavailable
from mud.registry import plug_in_names
from mud.storage.settings import setting

KEY_PREFIX = "LOCI_API_KEY"
ALLOWED = "LOCI_ALLOW_ENV"
"""The environment variable that lists further names, separated by blanks; child processes inherit it."""

_setting = functools.partial(setting, per_agent=False)


@dataclass(frozen=True, slots=True)
class LLMProfile:
    """How one kind of task asks a language model; no agent can override its settings."""

    backend: str = _setting(
        "openai_compatible",
        "How the model is reached; openai_compatible is any server that speaks OpenAI's protocol.",
        choices=plug_in_names("agents.llm.backends"),
    )
    host: str = _setting(
        "http://127.0.0.1:8080",
        "Address of the server; /v1 is added when the address has no path of its own; several, with commas between "
        "them, share the work and stand in for each other.",
    )
    model: str = _setting(
        "",
        "Name of the model; empty asks for the first one that the server lists. For the backend embedded a file of "
        "weights (.gguf); empty for SmolLM2.",
    )
    api: str = _setting(
        "completions",
        "Whether the prompt is sent as a text to continue (completions) or as a message (chat).",
        choices=("completions", "chat"),
    )
    api_key_env: str = _setting(
        "",
        "Name of the environment variable that holds the server's key; empty when it wants none. It begins with "
        "LOCI_API_KEY, or whoever starts the program names it with --allow-env; a key goes over https, over plain http "
        "to this machine only.",
    )
    temperature: float = _setting(
        0.8, "How freely the model chooses its words; 0 always takes the likeliest.", low=0, high=2
    )
    max_tokens: int = _setting(96, "How long a reply may become, in tokens.", low=1, high=65_536)
    stop: tuple[str, ...] = _setting(("\n",), "Texts that end a reply; at most four, as some servers take no more.")
    num_ctx: int = _setting(
        8192, "The model's window in tokens; prompt and reply together never exceed it.", low=512, high=1_048_576
    )
    timeout: float = _setting(60.0, "Seconds until a call is given up.", low=0.1, high=3600)
    concurrency: int = _setting(1, "How many calls each server is given at once.", low=1, high=64)
    retries: int = _setting(
        2,
        "How often a call is tried again, after a short pause, when a server is too busy, still loads its model, or "
        "broke off.",
        low=0,
        high=10,
    )
    keep_alive: str = _setting(
        "",
        "How long the backend ollama keeps the model in memory after a call, such as 30m, or -1 for always; empty for "
        "as long as its server says.",
    )
    think: str = _setting(
        "auto",
        "How long a reasoning model thinks before it replies, for the backend ollama; auto leaves it to the model.",
        choices=("auto", "never", "always", "low", "medium", "high"),
    )
    commands_only: bool = _setting(
        False,
        "Whether a reply can be nothing but a command, by a grammar, as far as stop ends it with its line; for the "
        "backend embedded and the server of llama.cpp.",
    )
    commands: tuple[str, ...] = ()
    """Usages that a reply may be, such as `look [name]`; set by code, not a setting."""

    @property
    def identity(self) -> str:
        """The key for what is stored per model."""
        return f"{self.backend} {self.model} {self.host}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The addresses under `host` without duplicates; ("",) when there is none."""
        return tuple(dict.fromkeys(filter(None, map(str.strip, self.host.split(","))))) or ("",)


def allow(names: Iterable[str]) -> None:
    os.environ[ALLOWED] = " ".join([*os.environ.get(ALLOWED, "").split(), *names])


def why_not(name: str) -> str:
    """Return why a vault may not name this environment variable, or ""."""
    if not name or name.startswith(KEY_PREFIX) or name in os.environ.get(ALLOWED, "").split():
        return ""
    return (
        f"{name!r} is not sent: a vault may use only keys set apart for it; put this one into a variable whose name "
        f"begins with {KEY_PREFIX}, or start with --allow-env {name} if you trust the vault with it"
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
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if parts.scheme == "https" or loopback:
        return ""
    return f"no key is sent to {host} over plain http, where all can read it; expected https, or a host on this machine"


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
