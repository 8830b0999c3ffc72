"""Micro compaction: old results of own queries shrink to a line that says what they were and where they are whole.

Pure, and the same for the same memories, so masking twice is masking once and nothing has to be kept. Only results are
masked: they can be had again by looking again. What was heard, said or done never is, nor is what this turn brought:
whoever looked has not acted on it yet. A result that cannot be masked is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agents.compaction.settings import CompactionSettings
from agents.memory.entries import Entry
from agents.memory.perception import of_own_notes
from agents.memory.references import reference
from agents.text.english import flat

__all__ = ["KIND", "masked", "masked_count", "may_mask", "placeholder", "reference"]

KIND = "result"
"""The one kind of memory that is masked."""
THIS_TURN = 1
"""Results that a turn brings, and that are never masked while it is the last."""
GIST = 60
"""Characters of what it showed that a masked result keeps."""
LONGEST_TRAIL = 80
"""Characters of what was asked that it keeps."""
LONGEST_READ = 300
"""Characters of a line that are looked at."""

_QUOTED = re.compile(r"[\"“„«](.+)[\"”“»]")
_NAMED = re.compile(r"([^:.!?]{1,60}): (?=\S)")


def placeholder(entry: Entry, owner: str) -> str:
    """Return the line that stands for a masked result: what was asked, what it began with, how it ended, where it is.

    Args:
        entry: the result.
        owner: folder of whose it is.
    """
    lines = [line for line in entry.text.splitlines() if line.strip()]
    trail, shown = _told([flat(line[:LONGEST_READ]) for line in lines[:2]], entry.place, notes=of_own_notes(entry))
    count = f"{len(lines)} lines" if len(lines) > 1 else f"{len(entry.text)} characters"
    status = "failed" if entry.failed else "ok"
    told = f"{_cut(trail, LONGEST_TRAIL)}: {_cut(shown, GIST)}" if shown else _cut(trail, LONGEST_TRAIL)
    return f"{told} [{status}, {count}, {_ending(entry, owner)}"


def _ending(entry: Entry, owner: str) -> str:
    return f"whole in {reference(owner, entry.seq)}]"


def _told(lines: Sequence[str], place: str | None, *, notes: bool) -> tuple[str, str]:
    """Return what was asked, as far as a result tells, and the beginning of what it showed.

    A result does not hold the line that was typed. A look begins with the place, a search with the question, a note
    and a thing with its name. Whether it shows one's own notes is known from elsewhere.
    """
    first, second = (*lines, "", "")[:2]
    if place and second and first.casefold() == flat(place).casefold():
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
    return ("notes" if notes else f"examine {name}"), rest


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

    Args:
        results: how many there are; a turn is one command, so that the newest is what this turn brought.
        settings: how many stay whole.
    """
    free = results - max(settings.mask_keep, THIS_TURN)
    return max(0, free) // settings.mask_block * settings.mask_block


def masked(
    entries: Sequence[Entry], settings: CompactionSettings, owner: str, count: int | None = None
) -> tuple[Entry, ...]:
    """Return memories as they are shown, with the old results masked.

    Args:
        entries: the memories that no summary stands for, oldest first, or the newest of them.
        settings: how many stay whole.
        owner: folder of whose they are.
        count: how many of the results, the oldest, are masked; None when the entries are all there are.
    """
    every = masked_count(sum(entry.kind == KIND for entry in entries), settings)
    left = every if count is None else count
    return tuple(_shown(entries, left, settings, owner))


def _shown(entries: Iterable[Entry], left: int, settings: CompactionSettings, owner: str) -> Iterable[Entry]:
    for entry in entries:
        if left and entry.kind == KIND:
            left -= 1
            mask = _mask(entry, settings, owner)
            entry = entry if mask is None else entry._replace(text=mask)
        yield entry
