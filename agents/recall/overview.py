"""A whole life at a glance, from the index: how much of what in which part of it, who was met, what weighs most.

Each function runs in its caller's transaction and returns a bounded number of values, however long the life is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import NamedTuple

from agents.memory.entries import Entry
from agents.recall import tables


class LifeSegment(NamedTuple):
    """A part of a life: its first and last memory and their times, how many of each kind, and their importance."""

    first: int
    last: int
    begins: str
    ends: str
    kinds: dict[str, int]
    mean: float
    highest: int


class Acquaintance(NamedTuple):
    """Somebody who acted in memories: in how many, and the first and last of them."""

    name: str
    times: int
    first: int
    last: int


def segments(db: sqlite3.Connection, agent_id: str, most: int) -> list[LifeSegment]:
    """Cut a life into at most so many parts of equal length, oldest first."""
    number, through, _ = tables.agent_row(db, agent_id)
    if not through:
        return []
    parts = min(most, through)
    low, high = number << 32, number << 32 | through
    rows = db.execute(
        f"SELECT (id - ? - 1) * ? / ? AS part, c3, count(*), sum(c8), max(c8), min(id), max(id), min(c2), max(c2) "
        f"FROM {tables.table_of(number)}_content WHERE id > ? AND id <= ? GROUP BY part, c3 ORDER BY part",
        (low, parts, through, low, high),
    )
    found: dict[int, list[tuple[str, int, int, int, int, int, str, str]]] = {}
    for part, *rest in rows:
        found.setdefault(part, []).append(tuple(rest))
    return [_segment(low, kinds) for kinds in found.values()]


def _segment(low: int, kinds: Sequence[tuple[str, int, int, int, int, int, str, str]]) -> LifeSegment:
    names, counts, sums, highest, firsts, lasts, begins, ends = zip(*kinds, strict=True)
    mean = round(sum(sums) / sum(counts), 2)
    parts = dict(zip(names, counts, strict=True))
    return LifeSegment(min(firsts) - low, max(lasts) - low, min(begins), max(ends), parts, mean, max(highest))


def weights(db: sqlite3.Connection, agent_id: str) -> dict[int, int]:
    """Return how many memories have which importance."""
    number, through, _ = tables.agent_row(db, agent_id)
    if not through:
        return {}
    rows = db.execute(
        f"SELECT c8, count(*) FROM {tables.table_of(number)}_content WHERE id BETWEEN ? AND ? GROUP BY c8 ORDER BY c8",
        tables.span(number),
    )
    return dict(rows.fetchall())


def weightiest(db: sqlite3.Connection, agent_id: str, most: int) -> list[Entry]:
    """Return the most important memories, of equal ones the newest."""
    return _entries(db, agent_id, "1", (), "c8 DESC, id DESC", most)


def newest(
    db: sqlite3.Connection, agent_id: str, kinds: Collection[str], most: int, before: int = 0, *, own: bool = False
) -> list[Entry]:
    """Return the newest memories of some kinds, newest first, before the memory `before` unless 0.

    With `own` only what the agent did itself.
    """
    condition = f"c3 IN ({', '.join('?' * len(kinds))})" + (" AND c4 IS NULL" if own else "")
    last = (tables.number_of(db, agent_id) << 32 | before) if before else 2**62
    return _entries(db, agent_id, f"{condition} AND id < ?", (*kinds, last), "id DESC", most)


def _entries(
    db: sqlite3.Connection, agent_id: str, condition: str, given: Sequence[object], order: str, most: int
) -> list[Entry]:
    number, through, _ = tables.agent_row(db, agent_id)
    if not through:
        return []
    rows = db.execute(
        f"SELECT id & 0xFFFFFFFF FROM {tables.table_of(number)}_content "
        f"WHERE id BETWEEN ? AND ? AND {condition} ORDER BY {order} LIMIT ?",
        (*tables.span(number), *given, most),
    )
    return _read(db, number, [seq for (seq,) in rows])


def _read(db: sqlite3.Connection, number: int, seqs: Sequence[int]) -> list[Entry]:
    found = tables.entries_of(db, number, seqs)
    return [found[seq] for seq in seqs if seq in found]


def acquaintances(db: sqlite3.Connection, agent_id: str, most: int) -> list[Acquaintance]:
    """Return who acted in the most memories."""
    number, through, _ = tables.agent_row(db, agent_id)
    if not through:
        return []
    rows = db.execute(
        f"SELECT c4, count(*) AS times, min(id) & 0xFFFFFFFF, max(id) & 0xFFFFFFFF "
        f"FROM {tables.table_of(number)}_content WHERE id BETWEEN ? AND ? AND c4 IS NOT NULL "
        "GROUP BY c4 ORDER BY times DESC, c4 LIMIT ?",
        (*tables.span(number), most),
    )
    return [Acquaintance(*row) for row in rows]


def between(db: sqlite3.Connection, agent_id: str, since: str, until: str, most: int) -> list[Entry]:
    """Return the memories of a time, oldest first; of too many the newest."""
    number, through, _ = tables.agent_row(db, agent_id)
    if not through:
        return []
    rows = db.execute(
        "SELECT seq FROM times WHERE agent = ? AND at >= ? AND at <= ? ORDER BY at DESC, seq DESC LIMIT ?",
        (number, since, until, most),
    )
    return _read(db, number, [seq for (seq,) in rows][::-1])
