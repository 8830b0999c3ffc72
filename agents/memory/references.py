"""References to memories, such as `eliza#120-133`: masks and summaries contain them, `@archive` takes them."""

from __future__ import annotations

import re
from typing import NamedTuple

from mud.sanitize import visible

_REFERENCE = re.compile(r"(?:(?P<owner>.*?)\s*#\s*)?(?P<first>\d{1,12})(?:\s*[-–]\s*(?P<last>\d{1,12}))?")


class Reference(NamedTuple):
    """A range of memories. `owner`: name, slug or id, empty for the reader's own; `last` may be smaller, as typed."""

    owner: str
    first: int
    last: int


def reference(owner: str, first: int, last: int | None = None) -> str:
    """Return a reference such as `eliza#120` or `eliza#120-133`."""
    owner = visible(owner)  # a folder's name may hold any characters
    return f"{owner}#{first}" if last is None or last == first else f"{owner}#{first}-{last}"


def read_reference(text: str) -> Reference | None:
    """Parse a reference, with or without owner; None when it is none."""
    found = _REFERENCE.fullmatch(text.strip().strip("[]()").strip())
    if found is None:
        return None
    first = int(found["first"])
    return Reference((found["owner"] or "").strip(), first, int(found["last"] or first))
