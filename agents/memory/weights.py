"""Importance by hindsight: event lines of the archive that change the importance of memories.

A memory's own line never changes; the last event that names it holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.memory.entries import Entry
from agents.memory.history import events
from agents.memory.memory import Memory

EVENT = "importance"
REACH = 512
"""Memories between an event line and those it names, at most: how far a reader has to look for it."""
LEAST, MOST = 1, 10
_SEQ = re.compile("[0-9]{1,18}")


def weights_event(at: str, through: int, values: Mapping[int, int], method: str) -> dict[str, Any]:
    """Return the event line that sets importances. `through`: last memory weighed; `method`: `rules` or `model`."""
    told = {str(seq): max(LEAST, min(MOST, value)) for seq, value in sorted(values.items())}
    return {"event": EVENT, "at": at, "through": through, "values": told, "method": method}


def values_of(event: Mapping[str, Any]) -> dict[int, int]:
    """Return the valid values of an event line; people may have written anything."""
    values = event.get("values")
    if event.get("event") != EVENT or not isinstance(values, dict):
        return {}
    return {
        int(seq): value
        for seq, value in values.items()
        if isinstance(seq, str) and _SEQ.fullmatch(seq) and type(value) is int and LEAST <= value <= MOST
    }


def weighed(entries: Sequence[Entry], values: Mapping[int, int]) -> list[Entry]:
    return [
        entry._replace(importance=values[entry.seq])
        if values.get(entry.seq, entry.importance) != entry.importance
        else entry
        for entry in entries
    ]


def read_weighed(memory: Memory, first: int, last: int) -> list[Entry]:
    """Return memories by number as `Memory.read` does, with their importance by hindsight. Raises OSError."""
    entries = memory.read(first, last)
    if not entries:
        return []
    values: dict[int, int] = {}
    end = min(memory.total, last + REACH)
    for _, event in events(memory.folder / "archive", max(1, first), end, EVENT):
        values |= values_of(event)
    return weighed(entries, values)


def last_values(memory: Memory) -> dict[int, int]:
    """Return the values of the event lines among the newest memories. Raises OSError."""
    values: dict[int, int] = {}
    first = max(1, memory.total - REACH)
    for _, event in events(memory.folder / "archive", first, memory.total, EVENT) if memory.total else ():
        values |= values_of(event)
    return values
