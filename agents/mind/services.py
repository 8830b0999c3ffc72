"""What agents need from outside, as one value: vault, settings, plug-ins, index and models."""

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
"""Counts the tokens of a text on a server; None when it cannot say."""
Ask = Callable[[str, str, str], Awaitable[Completion]]
"""Asks a model for a summary: agent name, prompt, name of the LLM profile."""


@dataclass(frozen=True)
class Services:
    """What agents need from outside.

    Args:
        ask, count: None when no model may be asked; `count` makes the token counter of an LLM profile.
        silent: returns the model hosts that do not answer, one sentence each.
        writable: this process may write to the vault.
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
