"""Masking alone: old results of one's own queries shrink to a line that says where they are; nothing is folded.

After "The Complexity Trap" (arXiv 2508.21433): for agents whose context is mostly output of their own tools, this costs
nothing and does as well as summaries.
"""

from __future__ import annotations

from agents.compaction.strategies import Strategy

MASKING = Strategy(
    "masking",
    "All but the newest results of own queries shrink to a line; folded is only what a prompt has no room for.",
    masks=True,
)
