"""Masking: old results of an agent's own queries are shortened to one line with a reference to the archive.

Only results are masked, because the agent can repeat the query; the result of the current turn never is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from agents.compaction.settings import CompactionSettings
from agents.memory.entries import Entry
from agents.memory.history import last_event
from agents.memory.perception import of_own_notes
from agents.memory.ranges import reference
from agents.text.english import flat
from mud.clock import Clock, iso

if TYPE_CHECKING:
    from agents.compaction.view import StrategyView

KIND = "result"
THIS_TURN = 1
"""Results of the current turn, which are never masked."""
GIST = 60
LONGEST_QUERY = 80
LONGEST_READ = 300
EVENT = "micro_compact"
CHUNK = 1024
MOST = 500

_QUOTED = re.compile(r"[\"“„«](.+)[\"”“»]")
_NAMED = re.compile(r"([^:.!?]{1,60}): (?=\S)")


def placeholder(entry: Entry, owner: str) -> str:
    """Return the line for a masked result; `owner` is the agent's folder."""
    lines = [line for line in entry.text.splitlines() if line.strip()]
    query, shown = _query_and_gist([flat(line[:LONGEST_READ]) for line in lines[:2]], entry)
    count = f"{len(lines)} lines" if len(lines) > 1 else f"{len(entry.text)} characters"
    status = "failed" if entry.failed else "ok"
    both = ": ".join([_cut(query, LONGEST_QUERY), *([_cut(shown, GIST)] if shown else [])])
    return f"{both} [{status}, {count}, {_ending(entry, owner)}"


def _ending(entry: Entry, owner: str) -> str:
    return f"whole in {reference(owner, entry.seq)}]"


def _query_and_gist(lines: Sequence[str], entry: Entry) -> tuple[str, str]:
    """Guess the query (a result does not contain the typed command) and return it with the start of the content."""
    first, second = (*lines, "", "")[:2]
    if entry.place and second and first.casefold() == flat(entry.place).casefold():
        return f"look at {first}", second
    quoted = _QUOTED.search(first)
    if first.endswith(":") and second:
        return (f'recall "{quoted[1]}"' if quoted else first[:-1]), second
    named = _NAMED.match(first)
    if named is None:
        return "look", first
    name, rest = named[1], first[named.end() :]
    if quoted and quoted.end() <= named.end():
        return f"notes {quoted[1]}", rest
    return ("notes" if of_own_notes(entry) else f"examine {name}"), rest


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else (text[:most].rsplit(" ", 1)[0] or text[:most]).rstrip(",;:") + " …"


def may_mask(entry: Entry, settings: CompactionSettings, owner: str) -> bool:
    """Return whether an entry is a result that is long enough to be masked and gets shorter by it."""
    return _mask(entry, settings, owner) is not None


def _mask(entry: Entry, settings: CompactionSettings, owner: str) -> str | None:
    try:
        if entry.kind != KIND or len(entry.text) < settings.mask_chars or entry.text.endswith(_ending(entry, owner)):
            return None
        mask = placeholder(entry, owner)
    except Exception:  # one malformed memory must not break the view
        return None
    return mask if len(mask) < len(entry.text) else None


def masked_count(results: int, settings: CompactionSettings) -> int:
    """Return how many results, the oldest, are masked: only whole blocks, and never the newest."""
    free = results - max(settings.mask_keep, THIS_TURN)
    return max(0, free) // settings.mask_block * settings.mask_block


def masked(
    entries: Sequence[Entry], settings: CompactionSettings, owner: str, count: int | None = None
) -> tuple[Entry, ...]:
    """Return memories with the `count` oldest results masked; None counts the results in `entries`."""
    if count is None:
        count = masked_count(sum(entry.kind == KIND for entry in entries), settings)
    return tuple(_shown(entries, count, settings, owner))


def _shown(entries: Sequence[Entry], left: int, settings: CompactionSettings, owner: str) -> Iterator[Entry]:
    for entry in entries:
        if left and entry.kind == KIND:
            left -= 1
            mask = _mask(entry, settings, owner)
            entry = entry if mask is None else entry._replace(text=mask)
        yield entry


class MaskLog:
    """Records the masks of one memory in the archive. Nothing depends on these records."""

    def __init__(self, view: StrategyView, clock: Clock) -> None:
        self._view, self._memory, self._clock = view, view.memory, clock
        self.forget()

    def forget(self) -> None:
        self._results: list[int] = []
        self._through = 0
        self._noted: int | None = None
        """The newest result recorded as masked; None before the archive was read."""

    def turn(self) -> list[int]:
        """Record the results masked since the last call and return them; raises OSError. Cheap if there are none."""
        if not self._view.strategy.masks or self._memory.waiting:
            return []
        self._count()
        results, settings, owner = self._results, self._view.settings_in_force(), self._view.context.owner
        count = masked_count(len(results), settings)
        if not count:
            return []
        if self._noted is None:
            self._noted = self._noted_before()
        due = results[bisect_right(results, self._noted) : count]
        self._noted = max(self._noted, results[count - 1])
        fresh = [seq for seq in due if any(may_mask(one, settings, owner) for one in self._memory.read(seq, seq))]
        for start in range(0, len(fresh), MOST):
            part = fresh[start : start + MOST]
            covers = {"first": part[0], "last": part[-1]}
            self._memory.record({"event": EVENT, "at": iso(self._clock.now()), "covers": covers, "masked": part})
        return fresh

    def _count(self) -> None:
        memory = self._memory
        if memory.total < self._through:  # the memory holds another life now
            self.forget()
        self._through = max(self._through, memory.watermark)
        while self._through < memory.total:
            last = min(memory.total, self._through + CHUNK)
            entries = memory.read(self._through + 1, last)
            self._results += [entry.seq for entry in entries if entry.kind == KIND]
            self._through = last
        del self._results[: bisect_right(self._results, memory.watermark)]

    def _noted_before(self) -> int:
        event = last_event(self._memory.folder / "archive", EVENT) or {}
        noted = event.get("masked")
        return max((seq for seq in noted if isinstance(seq, int)), default=0) if isinstance(noted, list) else 0
