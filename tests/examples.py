"""How often a property is tried: a sixth as often in the check, where no example is new, as in `make torture`."""

from __future__ import annotations

import os

NEW = os.environ.get("LOCI_EXAMPLES") == "new"
"""Whether the examples are drawn anew."""


def examples(often: int) -> int:
    """Return how many examples to try of a property that is to be tried so often when they are new."""
    return often if NEW else max(1, often // 6)
