"""Which memories are of the time that a question asks about. Works within its caller's transaction.

Memories that were given rather than lived have times of their own, in any order, so that times are looked up by
themselves and not by numbers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice

from agents.recall.moments import Span
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
    if not (question.moments or question.order):
        return []  # as nearly always
    number, through = number_of(db, agent_id), through_of(db, agent_id)
    if not through:
        return []
    found: list[int] = []
    for span in islice(_spans(db, number, question), SPANS):
        found += _best_of(db, number, span)
    if question.order < 0:
        found += range(1, min(through, AT_AN_END) + 1)
    if question.order > 0:
        found += range(max(1, through - AT_AN_END + 1), through + 1)
    return list(dict.fromkeys(found))


def _spans(db: sqlite3.Connection, number: int, question: Question) -> Iterator[Span]:
    """Yield each stretch of time that a question means, the newest first."""
    # What is no time, as a hand may have written, sorts behind the digits.
    ends = [
        db.execute(f"SELECT {end}(at) FROM times WHERE agent = ? AND at < ':'", (number,)).fetchone()[0]
        for end in ("min", "max")
    ]
    try:
        begin, end = (parse_iso(at or "") for at in ends)
    except ValueError:  # a time that nobody can read: there is no counting by it
        return
    for moment in question.moments:
        yield from reversed(list(moment.within(begin, end)))


def _best_of(db: sqlite3.Connection, number: int, span: Span) -> list[int]:
    low = number << 32
    # Written times sort as they stand.
    rows = db.execute(
        "SELECT seq FROM (SELECT seq FROM times WHERE agent = ? AND at >= ? AND at < ? ORDER BY at DESC, seq DESC "
        f"LIMIT ?) JOIN {table_of(number)}_content ON id = ? | seq ORDER BY c8 DESC, seq DESC LIMIT ?",
        (number, iso(span.first), iso(span.last), LOOKED_AT, low, MOST),
    )
    return [seq for (seq,) in rows]
