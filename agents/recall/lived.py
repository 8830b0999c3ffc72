"""Which memories are of the time that a question asks about. Works within its caller's transaction.

A life is lived forward, so its times rise with its numbers and a time is found by halving. Of memories that were given
in another order some are missed here; their words and vectors still find them.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from agents.recall.question import Question
from agents.recall.tables import number_of, table_of, through_of
from mud.clock import iso, parse_iso

MOST = 60
"""Memories of the time asked about that are brought forward, the most important and then the newest."""
LOOKED_AT = 2000
"""The newest memories of a stretch of time among which these are chosen."""
AT_AN_END = 20
"""Memories from the beginning or the end of a life when what was first or last is asked for."""
SPANS = 10
"""Stretches of time that are looked at: "in May" means one of every year."""


def lived_then(db: sqlite3.Connection, agent_id: str, question: Question) -> list[int]:
    """Return memories of an agent that are of the times a question names, or stand where it asks: first or last."""
    number, through = number_of(db, agent_id), through_of(db, agent_id)
    if not through or not (question.moments or question.order):
        return []
    found: list[int] = []
    for first, last in islice(_stretches(db, number, through, question), SPANS):
        found += _best_of(db, number, first, last)
    if question.order < 0:
        found += range(1, min(through, AT_AN_END) + 1)
    if question.order > 0:
        found += range(max(1, through - AT_AN_END + 1), through + 1)
    return list(dict.fromkeys(found))


def _stretches(db: sqlite3.Connection, number: int, through: int, question: Question) -> Iterator[tuple[int, int]]:
    """Yield the first memory and the one after the last of each stretch of time, the newest stretch first."""
    try:
        begin, end = (parse_iso(_at(db, number, seq)) for seq in (1, through))
    except ValueError:  # a time that nobody can read: there is no counting by it
        return
    for moment in question.moments:
        for span in reversed(list(moment.within(begin, end))):
            first, last = (_number_at(db, number, through, at) for at in (span.first, span.last))
            if first < last:
                yield first, last


def _at(db: sqlite3.Connection, number: int, seq: int) -> str:
    row = db.execute(f"SELECT c2 FROM {table_of(number)}_content WHERE id = ?", (number << 32 | seq,)).fetchone()
    return str(row[0]) if row else ""


def _number_at(db: sqlite3.Connection, number: int, through: int, moment: datetime) -> int:
    """Return the first memory that is not before a moment."""
    # Written times sort as they stand.
    return 1 + bisect_left(range(1, through + 1), iso(moment), key=lambda seq: _at(db, number, seq))


def _best_of(db: sqlite3.Connection, number: int, first: int, last: int) -> list[int]:
    low = number << 32
    rows = db.execute(
        f"SELECT id FROM (SELECT id, c8 FROM {table_of(number)}_content WHERE id >= ? AND id < ? "
        "ORDER BY id DESC LIMIT ?) ORDER BY c8 DESC, id DESC LIMIT ?",
        (low | first, low | last, LOOKED_AT, MOST),
    )
    return [row[0] - low for row in rows]
