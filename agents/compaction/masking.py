"""Micro compaction: old results of a character's own queries shrink to a line that says what they were and where.

Pure, and the same for the same memories, so masking twice is masking once. Only results are masked: they can be had
again by looking again. What was heard, said or done never is, nor is what this turn brought: whoever looked has not
acted on it yet. A result that cannot be masked is shown as it is.

`MaskLog` masks nothing; it writes into the archive, once each, which results are masked from now on.
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
from agents.memory.references import reference
from agents.text.english import flat
from mud.clock import Clock, iso

if TYPE_CHECKING:
    from agents.compaction.view import StrategyView

KIND = "result"
"""The one kind of memory that is masked."""
THIS_TURN = 1
"""Results that a turn brings, and that are never masked while it is the last."""
GIST = 60
"""Characters of what it showed that a masked result keeps."""
LONGEST_QUERY = 80
"""Characters of what was asked that it keeps."""
LONGEST_READ = 300
"""Characters of a line that are looked at."""
EVENT = "micro_compact"
"""The name of the archive's line."""
CHUNK = 1024
"""Memories read at once."""
MOST = 500
"""Results that one line names at most."""

_QUOTED = re.compile(r"[\"“„«](.+)[\"”“»]")
_NAMED = re.compile(r"([^:.!?]{1,60}): (?=\S)")


def placeholder(entry: Entry, owner: str) -> str:
    """Return the line that stands for a masked result: what was asked, what it began with, how it ended, where it is.

    Args:
        entry: the result.
        owner: folder of whose it is.
    """
    lines = [line for line in entry.text.splitlines() if line.strip()]
    query, shown = _query_and_gist([flat(line[:LONGEST_READ]) for line in lines[:2]], entry)
    count = f"{len(lines)} lines" if len(lines) > 1 else f"{len(entry.text)} characters"
    status = "failed" if entry.failed else "ok"
    both = ": ".join([_cut(query, LONGEST_QUERY), *([_cut(shown, GIST)] if shown else [])])
    return f"{both} [{status}, {count}, {_ending(entry, owner)}"


def _ending(entry: Entry, owner: str) -> str:
    return f"whole in {reference(owner, entry.seq)}]"


def _query_and_gist(lines: Sequence[str], entry: Entry) -> tuple[str, str]:
    """Return what was asked, as far as a result tells, and the beginning of what it showed.

    A result does not hold the line that was typed. A look begins with the place, a search with the question, a note
    and a thing with its name.
    """
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
    """Return whether an entry is a result that a mask makes shorter and that is long enough to be worth one."""
    return _mask(entry, settings, owner) is not None


def _mask(entry: Entry, settings: CompactionSettings, owner: str) -> str | None:
    """Return what stands for an entry; None when it is shown as it is, also because it cannot be masked."""
    try:
        if entry.kind != KIND or len(entry.text) < settings.mask_chars or entry.text.endswith(_ending(entry, owner)):
            return None
        mask = placeholder(entry, owner)
    except Exception:  # one odd memory must not take the view with it: it is shown whole
        return None
    return mask if len(mask) < len(entry.text) else None


def masked_count(results: int, settings: CompactionSettings) -> int:
    """Return how many of so many results, the oldest, are masked: whole blocks of those that are not kept.

    A turn is one command, so that the newest result is what this turn brought.
    """
    free = results - max(settings.mask_keep, THIS_TURN)
    return max(0, free) // settings.mask_block * settings.mask_block


def masked(
    entries: Sequence[Entry], settings: CompactionSettings, owner: str, count: int | None = None
) -> tuple[Entry, ...]:
    """Return memories as they are shown, with the old results masked.

    Args:
        entries: the memories that no summary covers, oldest first, or the newest of them.
        settings: how many stay whole.
        owner: folder of whose they are.
        count: how many of the results, the oldest, are masked; None when the entries are all there are.
    """
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
    """Writes down one memory's masks. Nothing depends on these lines: one that could not be written is no loss.

    Args:
        view: the memory as its strategy shows it.
        clock: the time.
    """

    def __init__(self, view: StrategyView, clock: Clock) -> None:
        self._view, self._memory, self._clock = view, view.memory, clock
        self.forget()

    def forget(self) -> None:
        """Forget what was counted; the memory holds another life now."""
        self._results: list[int] = []
        self._through = 0
        self._noted: int | None = None
        """The newest result that is written down as masked; None before the archive was asked."""

    def turn(self) -> list[int]:
        """Write down which results are masked since the last time, and return them. Costs next to nothing when none is.

        Raises:
            OSError: when the archive cannot be read.
        """
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
        """Count what came, and let go of what was folded."""
        memory = self._memory
        if memory.total < self._through:  # another life stands there now
            self.forget()
        self._through = max(self._through, memory.watermark)
        while self._through < memory.total:
            last = min(memory.total, self._through + CHUNK)
            entries = memory.read(self._through + 1, last)
            self._results += [entry.seq for entry in entries if entry.kind == KIND]
            self._through = last
        del self._results[: bisect_right(self._results, memory.watermark)]

    def _noted_before(self) -> int:
        """Return the last result that an earlier run wrote down as masked; 0 for none."""
        event = last_event(self._memory.folder / "archive", EVENT) or {}
        noted = event.get("masked")
        return max((seq for seq in noted if isinstance(seq, int)), default=0) if isinstance(noted, list) else 0
