"""Masking only: old results of own queries are shortened to a reference, and nothing is folded.

According to "The Complexity Trap" (arXiv 2508.21433), this is free and as good as summaries for agents whose context
is mostly tool output.
"""

from __future__ import annotations

from agents.compaction.strategies import Strategy

MASKING = Strategy(
    "masking",
    "All but the newest results of own queries shrink to a line; folded is only what a prompt has no room for.",
    masks=True,
)
