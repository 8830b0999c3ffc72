"""Masking only ("The Complexity Trap", arXiv 2508.21433): old results become references, nothing is folded."""

from __future__ import annotations

from agents.compaction.strategies import Strategy

MASKING = Strategy(
    "masking",
    "All but the newest results of own queries shrink to a line; folded is only what a prompt has no room for.",
    masks=True,
)
