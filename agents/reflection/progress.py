"""Progress of one agent's inner life: what has been weighed, reflected on, noted and dreamed.

Derived from the archive alone, so that a kill changes nothing, and updated with every new entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.memory.entries import Entry
from agents.memory.history import IMPORTANCE as WEIGHED
from agents.memory.history import newest, tail, values_of, weighed
from agents.reflection.experiences import EVENTS
from mud.world.events import INSIGHT

LOOKED_BACK = 512  # number of entries read at the start; their importance is far above any usual threshold
FILES = 8
"""Number of archive files before these that are searched for the last reflection and dream; takes milliseconds."""
NIGHT = 256  # maximum number of entries weighed, reflected on or noted at once; older ones are not processed
REMEMBERED = 12
REFLECTED = "reflection"
NOTED = "notes_kept"  # names of archive events: a reflection, and notes written
_MARKS = (f'"event":"{REFLECTED}"'.encode(), b'"kind":"dream"')
BEGAN = "I have come to think: "  # opening of insights from before they had a mark


@dataclass
class ReflectionProgress:
    """Progress of one agent's inner life, in entry numbers."""

    through: int = 0  # through and lived: the last counted entry, and the last of an event
    lived: int = 0
    dreamed: int = 0
    weighed: int = 0  # weighed, reflected, noted: the last entry processed by each
    reflected: int = 0
    noted: int = 0
    sum: int = 0  # importance of events since the last reflection
    insights: list[str] = field(default_factory=list)
    count: int = 0  # count and counted_from: number of insights since that entry; 1 for all
    counted_from: int = 1
    reflected_at: str = ""
    dreamed_at: str = ""
    looked_from: int = 1  # the first entry searched for reflections and dreams

    def take_in(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self.through = entry.seq
            if entry.kind in EVENTS:
                self.lived = entry.seq
                self.sum += entry.importance if entry.seq > self.reflected else 0
            elif entry.kind == "dream":
                self.dreamed, self.dreamed_at = entry.seq, entry.at
            elif _is_insight(entry):
                self.insights = [*self.insights, entry.text][-REMEMBERED:]
                self.count += 1

    def look_back(self, since: Sequence[Entry], through: int, at: str) -> None:
        """Record a reflection through an entry; `since` are the entries after it."""
        self.reflected, self.reflected_at = through, at
        self.sum = sum(entry.importance for entry in since if entry.kind in EVENTS)

    def reweighed(self, before: Mapping[int, int], values: Mapping[int, int]) -> None:
        self.sum += sum(value - before[seq] for seq, value in values.items() if seq > self.reflected)


def standing_of(archive: Path, total: int) -> ReflectionProgress:
    """Return the progress of a memory with `total` entries. Reads files only, so it may run in a thread."""
    first = max(1, total - LOOKED_BACK + 1)
    entries, found = tail(archive, first, total, (WEIGHED, REFLECTED, NOTED))
    values: dict[int, int] = {}
    for _, event in found:
        values |= values_of(event)
    last = max(0, total - NIGHT)
    made = ReflectionProgress(
        through=first - 1,
        weighed=max(last, _last(found, WEIGHED)),
        noted=max(last, _last(found, NOTED)),
        counted_from=first,
        looked_from=first,
    )
    reflections = [one for one in found if one[1]["event"] == REFLECTED]
    if first > 1 and not (reflections and any(entry.kind == "dream" for entry in entries)):
        (reflection, dream), made.looked_from = newest(archive, first, _MARKS, FILES)
        reflections = reflections or ([(first - 1, reflection)] if reflection is not None else [])
        if dream is not None:
            made.dreamed, made.dreamed_at = _whole(dream.get("seq")), _text(dream.get("at"))
    if not reflections:
        made.counted_from = made.looked_from  # there are no insights without a reflection
    made.reflected = _last(reflections, REFLECTED)
    made.take_in(weighed(entries, values))
    made.through = total
    for behind, event in reflections:
        made.reflected_at = _text(event.get("at"))
        if type(counted := event.get("insights")) is int:
            made.count = counted + sum(_is_insight(entry) for entry in entries if entry.seq > behind)
            made.counted_from = 1
    return made


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_insight(entry: Entry) -> bool:
    """Return whether an entry is an insight; those in old archives have no mark."""
    return entry.mark == INSIGHT or (entry.mark is None and entry.kind == "thought" and entry.text.startswith(BEGAN))


def _last(found: Sequence[tuple[int, Mapping[str, Any]]], name: str) -> int:
    return max((_whole(event.get("through")) for _, event in found if event.get("event") == name), default=0)


def _whole(value: object) -> int:
    return value if type(value) is int else 0


def event_of(name: str, at: str, through: int, **more: object) -> dict[str, object]:
    return {"event": name, "at": at, "through": through, **more}
