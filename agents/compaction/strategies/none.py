"""No compaction: everything stays word for word until a prompt has no room for it."""

from __future__ import annotations

from agents.compaction.strategies import Strategy

NONE = Strategy("none", "Nothing is hidden, and nothing folded but what a prompt has no room for.")
