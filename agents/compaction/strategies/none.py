"""No compaction: everything stays word for word; the prompt shows what fits."""

from __future__ import annotations

from agents.compaction.strategies._strategy import Strategy

NONE = Strategy("none", "Nothing is folded and nothing hidden; the prompt shows what fits.")
