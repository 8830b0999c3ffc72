"""Ollama by its own protocol; `_ollama_client` does the talking."""

from __future__ import annotations

from agents.llm.backend import Backend, LanguageModel
from agents.llm.ollama_client import Ollama
from agents.llm.profiles import LLMProfile


def make(profile: LLMProfile) -> LanguageModel:
    """Open a client for a profile's host."""
    return Ollama(profile)


OLLAMA = Backend(
    "ollama", "Ollama by its own protocol, which sets its window; at http://127.0.0.1:11434.", make, tells_whole=False
)
