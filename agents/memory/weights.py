"""How much memories matter by hindsight: event lines of the archive that say so, and memories read as they weigh now.

The memory's own line never changes. What an event line says holds for the memories it names; of two that name the same
the later holds. So whoever reads the archive anew comes to the same values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.memory.entries import Entry
from agents.memory.history import events
from agents.memory.memory import Memory

EVENT = "importance"
"""The name of the archive's line."""
REACH = 512
"""An event line stands at most so many memories behind those that it names, so that one reads no further for it."""
LEAST, MOST = 1, 10
_SEQ = re.compile("[0-9]{1,18}")


def weights_event(at: str, through: int, values: Mapping[int, int], method: str) -> dict[str, Any]:
    """Return the event line that says how much memories matter.

    Args:
        at: when, written.
        through: the last memory that was weighed, also when its value stayed.
        values: the new values by number, 1 to 10.
        method: `rules` or `model`.
    """
    told = {str(seq): max(LEAST, min(MOST, value)) for seq, value in sorted(values.items())}
    return {"event": EVENT, "at": at, "through": through, "values": told, "method": method}


def values_of(event: Mapping[str, Any]) -> dict[int, int]:
    """Return the values of an event line; whatever is none in it, as a hand may write, is passed over."""
    values = event.get("values")
    if event.get("event") != EVENT or not isinstance(values, dict):
        return {}
    return {
        int(seq): value
        for seq, value in values.items()
        if isinstance(seq, str) and _SEQ.fullmatch(seq) and type(value) is int and LEAST <= value <= MOST
    }


def weighed(entries: Sequence[Entry], values: Mapping[int, int]) -> list[Entry]:
    """Return memories with these values where there are any."""
    return [
        entry._replace(importance=values[entry.seq])
        if values.get(entry.seq, entry.importance) != entry.importance
        else entry
        for entry in entries
    ]


def read_weighed(memory: Memory, first: int, last: int) -> list[Entry]:
    """Return memories by number as `Memory.read` does, as much as they matter by hindsight.

    Raises:
        OSError: when the archive cannot be read.
    """
    entries = memory.read(first, last)
    if not entries:
        return []
    values: dict[int, int] = {}
    end = min(memory.total, last + REACH)
    for _, event in events(memory.folder / "archive", max(1, first), end, EVENT):
        values |= values_of(event)
    return weighed(entries, values)


def last_values(memory: Memory) -> dict[int, int]:
    """Return the values of the event lines among the newest memories.

    Raises:
        OSError: when the archive cannot be read.
    """
    values: dict[int, int] = {}
    first = max(1, memory.total - REACH)
    for _, event in events(memory.folder / "archive", first, memory.total, EVENT) if memory.total else ():
        values |= values_of(event)
    return values
