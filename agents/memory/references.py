"""References to memories, such as `eliza#120-133`: masks and summaries carry one, and `@archive` takes one.

Pure: whose archive it is and whether it reaches so far is for others to find out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mud.sanitize import visible

_REFERENCE = re.compile(r"(?:(?P<owner>.*?)\s*#\s*)?(?P<first>\d{1,12})(?:\s*[-–]\s*(?P<last>\d{1,12}))?")


class Reference(NamedTuple):
    """A part of somebody's archive.

    Args:
        owner: name, slug or id of whose it is; empty for one's own.
        first: its first memory.
        last: its last; may be smaller, as it was typed.
    """

    owner: str
    first: int
    last: int


def reference(owner: str, first: int, last: int | None = None) -> str:
    """Return where memories are in the archive, such as `eliza#120` or `eliza#120-133`; `@archive` takes it."""
    owner = visible(owner)  # it may be the name of a folder that somebody else made
    return f"{owner}#{first}" if last is None or last == first else f"{owner}#{first}-{last}"


def read_reference(text: str) -> Reference | None:
    """Return the reference that a text is, with or without whose it is; None when it is none."""
    found = _REFERENCE.fullmatch(text.strip().strip("[]()").strip())
    if found is None:
        return None
    first = int(found["first"])
    return Reference((found["owner"] or "").strip(), first, int(found["last"] or first))
