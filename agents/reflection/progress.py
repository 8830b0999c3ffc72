"""How far the inner life of one agent is: what was weighed, reflected on, noted and dreamed. From the archive alone.

What happened after it was read is taken in memory by memory; nothing of it is kept anywhere but in the archive, so that
after a kill it stands where it stood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.memory.entries import Entry
from agents.memory.history import newest, tail
from agents.memory.weights import EVENT as WEIGHED
from agents.memory.weights import values_of, weighed
from agents.reflection.lived import LIVED
from mud.world.events import INSIGHT

LOOKED_BACK = 512
"""Memories that are read at the start; their importance is far more than any usual threshold."""
FILES = 8
"""Files of the archive before these in which the last reflection and the last dream are looked for: a few thousandths
of a second, and further than anybody lives without either."""
NIGHT = 256
"""Newest memories that are weighed, reflected on or noted at once at most; what is older was, or stays as it is."""
REMEMBERED = 12
"""Insights that are not come to again."""
REFLECTED = "reflection"
NOTED = "notes_kept"
"""Names of event lines: looked back, and notes written."""
_MARKS = (f'"event":"{REFLECTED}"'.encode(), b'"kind":"dream"')
BEGAN = "I have come to think: "
"""How insights began that have no mark."""


@dataclass
class ReflectionProgress:
    """How far the inner life of one agent is.

    Args:
        through: the last memory that was taken in.
        lived: the last of them of what happened.
        dreamed: the last dream.
        weighed, reflected, noted: the last memory that was weighed by hindsight, reflected on, looked at for notes.
        sum: importance of what was lived since the last reflection.
        insights: the last ones, as they are remembered.
        count: insights there are.
        counted_from: the memory from which on they were counted; 1 for all.
        reflected_at, dreamed_at: when it looked back and dreamed last, as written; empty when it did not.
        looked_from: the memory from which on that was looked for; 1 for the whole life.
    """

    through: int = 0
    lived: int = 0
    dreamed: int = 0
    weighed: int = 0
    reflected: int = 0
    noted: int = 0
    sum: int = 0
    insights: list[str] = field(default_factory=list)
    count: int = 0
    counted_from: int = 1
    reflected_at: str = ""
    dreamed_at: str = ""
    looked_from: int = 1

    def take_in(self, entries: Sequence[Entry]) -> None:
        """Count memories that follow those that were counted."""
        for entry in entries:
            self.through = entry.seq
            if entry.kind in LIVED:
                self.lived = entry.seq
                self.sum += entry.importance if entry.seq > self.reflected else 0
            elif entry.kind == "dream":
                self.dreamed, self.dreamed_at = entry.seq, entry.at
            elif _is_insight(entry):
                self.insights = [*self.insights, entry.text][-REMEMBERED:]
                self.count += 1

    def look_back(self, since: Sequence[Entry], through: int, at: str) -> None:
        """Count anew from a memory on: what was lived until then was reflected on.

        Args:
            since: the memories after that one.
            through: that one.
            at: when, written.
        """
        self.reflected, self.reflected_at = through, at
        self.sum = sum(entry.importance for entry in since if entry.kind in LIVED)

    def reweighed(self, before: Mapping[int, int], values: Mapping[int, int]) -> None:
        """Count what memories gained or lost, of those since the last reflection."""
        self.sum += sum(value - before[seq] for seq, value in values.items() if seq > self.reflected)


def standing_of(archive: Path, total: int) -> ReflectionProgress:
    """Return how far the inner life of a memory is; reads files only, so that it may run in a thread.

    Args:
        archive: the folder of the archive.
        total: memories there are.

    Raises:
        OSError: when the archive cannot be read.
    """
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
            made.dreamed, made.dreamed_at = _number(dream.get("seq")), _text(dream.get("at"))
    if not reflections:
        made.counted_from = made.looked_from  # there is no insight without one
    made.reflected = _last(reflections, REFLECTED)
    made.take_in(weighed(entries, values))
    made.through = total
    for behind, event in reflections:
        made.reflected_at = _text(event.get("at"))
        if type(counted := event.get("insights")) is int:
            made.count = counted + sum(_is_insight(entry) for entry in entries if entry.seq > behind)
            made.counted_from = 1
    return made


def _number(value: object) -> int:
    return value if type(value) is int else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_insight(entry: Entry) -> bool:
    """Tell whether a memory is what looking back came to; of one without a mark, as in archives from before there were
    any, its first words tell."""
    return entry.mark == INSIGHT or (entry.mark is None and entry.kind == "thought" and entry.text.startswith(BEGAN))


def _last(found: Sequence[tuple[int, Mapping[str, Any]]], name: str) -> int:
    """Return the last memory that events of a name say they came to; 0 for none."""
    said = [event.get("through") for _, event in found if event.get("event") == name]
    return max((through for through in said if type(through) is int), default=0)


def event_of(name: str, at: str, through: int, **more: object) -> dict[str, object]:
    """Return an event line that says how far something came."""
    return {"event": name, "at": at, "through": through, **more}
