"""Any server that speaks OpenAI's protocol; `_openai_client` does the talking."""

from __future__ import annotations

from agents.llm.backend import Backend, LanguageModel
from agents.llm.openai_client import OpenAICompatible
from agents.llm.profiles import LLMProfile


def make(profile: LLMProfile) -> LanguageModel:
    """Open a client for a profile's host."""
    return OpenAICompatible(profile)


OPENAI_COMPATIBLE = Backend(
    "openai_compatible",
    "Any server that speaks OpenAI's protocol, such as llama.cpp or Ollama under /v1.",
    make,
)
