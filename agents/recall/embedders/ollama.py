"""Embedder for Ollama (`/api/embed`). Not tested with a real server."""

from __future__ import annotations

from typing import Any

from agents.llm.backends.ollama import base_url, kept_alive
from agents.llm.http import count
from agents.llm.profiles import LLMProfile
from agents.recall.embedders import Dialect, served


def _listed(answer: dict[str, Any]) -> list[str]:
    models = answer.get("models")
    found = [one.get("name") for one in models if isinstance(one, dict)] if isinstance(models, list) else []
    return [name for name in found if isinstance(name, str)]


def _asked(texts: list[str], model: str, profile: LLMProfile) -> dict[str, Any]:
    asked: dict[str, Any] = {"model": model, "input": texts, "truncate": True, "options": {"num_ctx": profile.num_ctx}}
    if profile.keep_alive.strip():
        asked["keep_alive"] = kept_alive(profile)
    return asked


def _rows(answer: dict[str, Any]) -> list[Any]:
    rows = answer.get("embeddings")
    return rows if isinstance(rows, list) else []


def _tokens(answer: dict[str, Any]) -> int | None:
    return count(answer.get("prompt_eval_count"))


OLLAMA = served(
    Dialect("ollama", base_url, "/api/tags", _listed, "/api/embed", _asked, _rows, _tokens),
    "Ollama by its own protocol, named in config/llm/embed.md.",
)
