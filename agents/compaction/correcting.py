"""Corrected summaries: those in use that tell of corrected memories are committed anew, with the corrected text."""

from __future__ import annotations

from dataclasses import replace

from agents.compaction.engine import Compactor
from agents.compaction.folds import commit_event, total_tokens
from agents.compaction.rebuild import REBUILD
from agents.compaction.view import summaries_of
from agents.memory.summaries import Summary
from mud.clock import iso

CORRECTION = "correction"
"""The reason of these summaries; their event is that of a rebuild."""


def correct_summaries(compactor: Compactor) -> bool:
    """Commit the summaries in use with the corrections made since, if these change a text; return whether they do.

    What a person edited stays apart from the corrected words. Until then, and when this fails, the corrected text is
    shown all the same. Raises OSError when it cannot be written.
    """
    memory = compactor.memory
    memory.refresh()
    compactor.view.forget()  # memories have other sizes now
    if not memory.summaries_lag:
        return False
    at = iso(compactor.services.clock.now())
    made = {one.tier: _renewed(compactor, one, at) for one in summaries_of(memory)}
    longterm, recent = made.get("longterm"), made.get("recent")
    tokens = total_tokens([*made.values()])
    event = commit_event(REBUILD, at, (1, memory.watermark), tokens, CORRECTION, memory.compactions)
    entries = memory.read(*recent.covers) if recent is not None else ()
    for message in memory.commit(longterm, recent, entries, event):
        compactor.say(message)
    compactor.say(f"its summaries of 1-{memory.watermark} are corrected")
    return True


def _renewed(compactor: Compactor, summary: Summary, at: str) -> Summary:
    """Return a summary with the receipt of its corrected text; nothing was asked of a model for that."""
    tokens = {"source": summary.tokens.get("source", 0), "summary": compactor.view.context.tokens([summary.text])}
    return replace(summary, updated=at, reason=CORRECTION, tokens={**tokens, "prompt": 0, "completion": 0})
