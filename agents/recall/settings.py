"""What `config/recall.md` can set."""

from __future__ import annotations

from dataclasses import dataclass

from mud.registry import plug_in_names
from mud.storage.settings import setting

EMBEDDERS = (*plug_in_names("agents.recall.embedders"), "none")
"""The embedders by name, and `none`. Only the child process loads them."""


@dataclass(frozen=True)
class RecallSettings:
    """How memories are found again."""

    embedder: str = setting(
        "minilm",
        "What turns summaries and notes into vectors; minilm knows other words for the same thing, hashing only "
        "spellings, and none leaves it to the words alone.",
        choices=EMBEDDERS,
        per_agent=False,
    )
    vector_weight: float = setting(
        0.5,
        "The vectors' share in how well a summary or note fits a question; the words have the rest.",
        low=0.0,
        high=1.0,
        per_agent=False,
    )
    neighbours: float = setting(
        0.5,
        "Which share of its own fit a memory lends to the one before and after it, and squared to the ones beyond, "
        "because a conversation often answers in the next line.",
        low=0.0,
        high=1.0,
        per_agent=False,
    )
    recency: float = setting(
        0.1,
        "By which share a memory of just now is raised above one of long ago.",
        low=0.0,
        high=2.0,
        per_agent=False,
    )
    recency_half_life: float = setting(
        7.0,
        "After how many days half of that is gone.",
        low=0.01,
        high=36500.0,
        per_agent=False,
    )
    importance: float = setting(
        0.15,
        "By which share a memory of the highest importance is raised above a trifle.",
        low=0.0,
        high=2.0,
        per_agent=False,
    )
    related_summaries: int = setting(
        2,
        "How many summaries of related past experiences a prompt shows.",
        low=0,
        high=20,
        per_agent=False,
    )
    related_notes: int = setting(
        3,
        "How many related notes a prompt shows.",
        low=0,
        high=20,
        per_agent=False,
    )
    patience: float = setting(
        1.0,
        "How many seconds a question waits for the vectors before it is answered from the words alone.",
        low=0.0,
        high=60.0,
        per_agent=False,
    )
