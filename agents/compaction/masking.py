"""Micro compaction: old results of own queries shrink to a line that says what they were and where they are whole.

Pure, and the same for the same memories, so masking twice is masking once and nothing has to be kept. Only results are
masked: they can be had again by looking again. What was heard, said or done never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.compaction.settings import CompactionSettings
from agents.compaction.wording import flat
from agents.memory.entries import Entry

KIND = "result"
"""The one kind of memory that is masked."""
GIST = 60
"""Characters of its first line that a masked result shows."""


def reference(owner: str, first: int, last: int | None = None) -> str:
    """Return where memories are in the archive, such as `eliza#120` or `eliza#120-133`; `@archive` takes it."""
    return f"{owner}#{first}" if last is None or last == first else f"{owner}#{first}-{last}"


def placeholder(entry: Entry, owner: str) -> str:
    """Return the line that stands for a masked result: what it began with, how it ended, its length, where it is.

    Args:
        entry: the result.
        owner: folder of whose it is.
    """
    lines = [line for line in map(flat, entry.text.splitlines()) if line]
    gist = lines[0] if lines else ""
    gist = gist if len(gist) <= GIST else gist[:GIST].rsplit(" ", 1)[0].rstrip(",;:") + " …"
    count = f"{len(lines)} lines" if len(lines) > 1 else f"{len(entry.text)} characters"
    status = "failed, " if entry.failed else ""
    return f"{gist} [{status}{count}, whole in {reference(owner, entry.seq)}]"


def may_mask(entry: Entry, settings: CompactionSettings, owner: str) -> bool:
    """Return whether an entry is a result that a mask makes shorter and that is long enough to be worth one."""
    long = entry.kind == KIND and len(entry.text) >= settings.mask_chars
    return long and len(placeholder(entry, owner)) < len(entry.text)


def masked_count(results: int, settings: CompactionSettings) -> int:
    """Return how many of so many results, the oldest, are masked: whole blocks of those that are not kept."""
    return max(0, results - settings.mask_keep) // settings.mask_block * settings.mask_block


def masked(entries: Sequence[Entry], settings: CompactionSettings, owner: str) -> tuple[Entry, ...]:
    """Return memories as they are shown, with the old results masked.

    Args:
        entries: the memories that no summary stands for, oldest first.
        settings: how many stay whole.
        owner: folder of whose they are.
    """
    left = masked_count(sum(entry.kind == KIND for entry in entries), settings)
    return tuple(_shown(entries, left, settings, owner))


def _shown(entries: Iterable[Entry], left: int, settings: CompactionSettings, owner: str) -> Iterable[Entry]:
    for entry in entries:
        if left and entry.kind == KIND:
            left -= 1
            if may_mask(entry, settings, owner):
                entry = replace(entry, text=placeholder(entry, owner))
        yield entry
