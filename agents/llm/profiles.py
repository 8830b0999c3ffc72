"""LLM profiles: which model is asked for which task, and how; one file each in `vault/config/llm/`.

Thoughts and summaries have separate profiles, because a summary must not stop at the end of a line.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from mud.registry import plug_in_names
from mud.storage.settings import setting

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
        named = dict.fromkeys(one.strip() for one in self.host.split(","))
        return tuple(one for one in named if one) or ("",)
