"""Folding: old memories become summaries. One engine for every strategy: plan, summarize, validate, commit.

The package is also a library, which needs neither world nor vault: it shortens any list of strings, of objects or
mappings with `text`, or of steps with `reasoning`, `code` and `output`.

    >>> from agents.compaction import CompactionConfig, ConversationMemory, MemoryCompactor
    >>> log = [f"I opened drawer {number} of the cabinet and found {number * 2} coins in it." for number in range(12)]
    >>> compactor = MemoryCompactor(CompactionConfig(include_key_findings=False))
    >>> compactor.should_compact(log)
    True
    >>> result = compactor.compact(log, task="Count the coins")
    >>> result.summary
    'Working on: Count the coins. Completed 10 steps (10 successful).'
    >>> shorter = compactor.apply_compaction(log, result)
    >>> (len(shorter), shorter[1:] == log[-2:], f"{result.compression_ratio:.0%}")
    (3, True, '74%')

    >>> talk = ConversationMemory(compactor)
    >>> talk.add_turn("How many coins?", "132 so far.")
    >>> print(talk.get_context())
    User: How many coins?
    Assistant: 132 so far.

With a model, summaries are its own: `MemoryCompactor(llm_connector=...)` takes anything that has
`generate_response(prompt=...)`. See `agents.compaction.library`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.compaction.library import CompactionConfig, CompactionResult, ConversationMemory, MemoryCompactor

__all__ = ["CompactionConfig", "CompactionResult", "ConversationMemory", "MemoryCompactor"]


def __getattr__(name: str) -> object:
    """Import a class of the library on first access (PEP 562), so that a world does not load it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("agents.compaction.library"), name)
