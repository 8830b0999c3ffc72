"""Embedder for servers with OpenAI's protocol (`/v1/embeddings`), such as llama.cpp's."""

from __future__ import annotations

from typing import Any

from agents.llm.backends.openai_compatible import base_url
from agents.llm.http import count
from agents.llm.profiles import LLMProfile
from agents.recall.embedders import Dialect, served


def _listed(answer: dict[str, Any]) -> list[str]:
    models = answer.get("data")
    found = [one.get("id") for one in models if isinstance(one, dict)] if isinstance(models, list) else []
    return [name for name in found if isinstance(name, str)]


def _asked(texts: list[str], model: str, profile: LLMProfile) -> dict[str, Any]:
    return {"model": model, "input": texts} if model else {"input": texts}


def _rows(answer: dict[str, Any]) -> list[Any]:
    """Return the vectors sorted by `index`, as a server may answer in another order."""
    data = answer.get("data")
    rows = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    numbers = [one.get("index", place) for place, one in enumerate(rows)]
    if sorted(number for number in numbers if isinstance(number, int)) == list(range(len(rows))):
        rows = [row for _, row in sorted(zip(numbers, rows, strict=True), key=lambda pair: pair[0])]
    return [one.get("embedding") for one in rows]


def _tokens(answer: dict[str, Any]) -> int | None:
    usage = answer.get("usage")
    return count(usage.get("prompt_tokens")) if isinstance(usage, dict) else None


OPENAI_COMPATIBLE = served(
    Dialect("openai_compatible", base_url, "/models", _listed, "/embeddings", _asked, _rows, _tokens, True),
    "A server that speaks OpenAI's protocol, named in config/llm/embed.md.",
)
