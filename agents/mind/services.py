"""What minds need from outside: the vault, its settings, the plug-ins, the index and the models. A value, no more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Prompts, Summarizer
from agents.llm.backend import Completion
from agents.llm.queue import ModelQueue
from agents.recall.recall import RecallService
from mud.clock import Clock
from mud.commands import Say
from mud.registry import Registry
from mud.storage.configuration import Configuration

Count = Callable[[str], Awaitable[int | None]]
"""Asks a server how many tokens a text takes; None when it cannot say."""
Ask = Callable[[str, str, str], Awaitable[Completion]]
"""Asks a model for a summary: an agent's name, the prompt, the name of the LLM profile."""


@dataclass(frozen=True)
class Services:
    """What minds need from outside.

    Args:
        vault: the vault.
        configuration: its settings.
        say: renders phrases.
        strategies: ways to fold.
        summarizers: ways to summarize.
        recall: the index.
        clock: the time.
        ask: asks a model for a summary; None when no model may be asked.
        prompts: gives a prompt style of the summarizers by its name.
        silent: which hosts of language models do not answer, one sentence each.
        writable: this process may write to the vault.
        count: returns what asks the server of an LLM profile how many tokens a text takes; None when nobody may be
            asked.
        models: the queue in front of the models, for those who want to see how they do and what they cost.
    """

    vault: Path
    configuration: Configuration
    say: Say
    strategies: Registry[Strategy]
    summarizers: Registry[Summarizer]
    recall: RecallService
    clock: Clock
    ask: Ask | None
    prompts: Prompts
    silent: Callable[[], list[str]]
    writable: bool
    count: Callable[[str], Count] | None = None
    models: ModelQueue | None = None
