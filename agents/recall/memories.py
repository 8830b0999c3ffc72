"""The memories in the lexical index, and how often each text was lived; every function works within its caller's
transaction.

A text world repeats itself ("Petra yawns."): a vector is made only of the first memory that tells a thing.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from agents.memory.entries import Entry
from agents.memory.perception import of_own_search
from agents.recall.documents import Record, clean, memory_records, text_of
from agents.recall.passages import LONG, MOST, parts_of, passages
from agents.recall.postings import span
from agents.recall.tables import ENTRY, TABLES, insert, number_of, own_number, passages_of, table_of, through_of
from agents.recall.vocabulary import Vocabulary

_ROW = "id, c0, c2, c3, c4, c5, c6, c7, c8, c9, c11"
"""A memory's columns where FTS5 keeps what it was given: reading them there takes half as long as through it."""

Row = tuple[int, str, str, str, str, str | None, str | None, str | None, int, int, int, int, str | None]


class StoredMemory(NamedTuple):
    """The first and the last memory that tell the same, and how many there are."""

    first: int
    last: int
    times: int


# -- in ---------------------------------------------------------------------------------------------------------------


def add(db: sqlite3.Connection, batch: Mapping[str, Sequence[Entry]], vocabulary: Vocabulary) -> None:
    """Put in memories by agent, in the order of tables and row ids: unsorted, an insert takes twice as long.

    What is indexed already is left alone.
    """
    rows: list[Row] = []
    for agent_id, entries in batch.items():
        rows += _new_rows(db, agent_id, entries)
    rows.sort(key=lambda row: ((row[0] >> 32) % TABLES, row[0]))
    long = [row for row in rows if len(row[1]) > LONG and parts_of(row[1]) > 1]
    cut = {row[0] for row in long}  # their words stand with their passages
    kept = [(row[0], "", "", *row[3:]) if row[0] in cut else row for row in rows] if long else rows
    for table, some in groupby(kept, key=lambda row: table_of(row[0] >> 32)):
        insert(db, f"INSERT INTO {table} (rowid, text, about, {ENTRY})", list(some))
    times = sorted((row[0] >> 32, row[3], row[0] & 0xFFFFFFFF) for row in rows)
    insert(db, "INSERT INTO times (agent, at, seq)", times)
    if long:
        _cut(db, long)
    if rows:
        vocabulary.learn(db, (part for row in rows for part in row[1:3]))


def _cut(db: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Put in long memories: their texts, and their words by passages."""
    insert(db, "INSERT INTO wholes (id, text)", [row[:2] for row in rows])
    for row in rows:
        number, seq, texts = row[0] >> 32, row[0] & 0xFFFFFFFF, passages(row[1])
        about = " ".join(one for one in (row[5], row[7]) if one)
        some = [(number << 32 | row_of(seq, part), text, about) for part, text in enumerate(texts)]
        insert(db, f"INSERT INTO {passages_of(number)} (rowid, text, about)", some)
        db.execute("UPDATE agents SET more = more + ? WHERE number = ?", (len(texts) - 1, number))
        db.execute("UPDATE texts SET parts = ? WHERE agent = ? AND digest = ?", (len(texts), number, row[11]))


def row_of(seq: int, part: int) -> int:
    """Return the lower half of the row id of a passage."""
    return seq * MOST + part


def _new_rows(db: sqlite3.Connection, agent_id: str, entries: Sequence[Entry]) -> list[Row]:
    """Take note of those memories of an agent that are new, and return their rows."""
    before = through = through_of(db, agent_id)
    if all(entry.seq <= before for entry in entries):
        return []
    number = own_number(db, agent_id)
    beyond = _beyond(db, number, before)
    new = {entry.seq: entry for entry in entries if entry.seq > before and entry.seq not in beyond}
    # A hole stays one until it is filled: only what follows without a gap moves the end.
    while through + 1 in new or through + 1 in beyond:
        through += 1
    db.execute("UPDATE agents SET through = ? WHERE number = ?", (through, number))
    rows = [_row(number << 32 | seq, _without_search(entry)) for seq, entry in new.items()]
    _count_texts(db, number, rows)
    return rows


def _without_search(entry: Entry) -> Entry:
    """Return a memory, without its words when it shows what recall found: it would only quote what is found anyway, and
    a question that is asked often would find nothing else."""
    return entry._replace(text="", reason=None) if of_own_search(entry) else entry


def _beyond(db: sqlite3.Connection, number: int, through: int) -> set[int]:
    """Return the memories that are indexed beyond a hole."""
    low, high = span(number)
    rows = db.execute(f"SELECT id FROM {table_of(number)}_content WHERE id > ? AND id <= ?", (low | through, high))
    return {row & 0xFFFFFFFF for (row,) in rows}


def _count_texts(db: sqlite3.Connection, number: int, rows: Iterable[Row]) -> None:
    lived: dict[int, tuple[int, int, int]] = {}
    for row in rows:
        seq, digest = row[0] & 0xFFFFFFFF, row[11]
        if digest in lived:
            first, last, times = lived[digest]
            lived[digest] = min(first, seq), max(last, seq), times + 1
        else:
            lived[digest] = seq, seq, 1
    insert(
        db,
        "INSERT INTO texts (agent, digest, first, last, times)",
        [(number, digest, *lived[digest]) for digest in sorted(lived)],
        "ON CONFLICT DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last), "
        "times = times + excluded.times",
    )


@lru_cache(maxsize=4096)
def _digest(text: str) -> int:
    """Return a number for what a memory tells; two of a million have the same with a chance of 1 to 40 million."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def _row(rowid: int, entry: Entry) -> Row:
    text, actor, place, reason = clean(entry.text), entry.actor, entry.place, entry.reason
    actor = clean(actor) if actor else actor
    place = clean(place) if place else place
    reason = clean(reason) if reason else reason
    about = ""
    for one in (actor, reason):
        if one and one not in text:
            about = f"{about} {one}" if about else one
    more = (int(entry.failed), entry.importance, entry.source, _digest(text_of(entry)), entry.mark)
    return (rowid, text, about, clean(entry.at), entry.kind, actor, place, reason, *more)


def reweigh(db: sqlite3.Connection, agent_id: str, values: Mapping[int, int]) -> None:
    """Have indexed memories matter as much as is said here, by number; no index of words knows of that column."""
    number = number_of(db, agent_id)
    if number:
        low, _ = span(number)
        rows = [(value, low | seq) for seq, value in sorted(values.items())]
        db.executemany(f"UPDATE {table_of(number)}_content SET c8 = ? WHERE id = ?", rows)


def forget(db: sqlite3.Connection, agent_id: str) -> None:
    """Take out all memories of an agent."""
    number = number_of(db, agent_id)
    if number:
        for table in (table_of(number), passages_of(number), "wholes"):
            db.execute(f"DELETE FROM {table} WHERE rowid BETWEEN ? AND ?", span(number))
        db.execute("DELETE FROM texts WHERE agent = ?", (number,))
        db.execute("DELETE FROM times WHERE agent = ?", (number,))
        db.execute("UPDATE agents SET through = 0, embedded = 0, more = 0 WHERE number = ?", (number,))


# -- out --------------------------------------------------------------------------------------------------------------


def entries_of(db: sqlite3.Connection, number: int, seqs: Collection[int]) -> dict[int, Entry]:
    """Return the indexed memories of an agent that have these numbers."""
    if not number or not seqs:
        return {}
    low, _ = span(number)
    # One text for all: a list of as many places as there are numbers would be compiled each time. Python writes whole
    # numbers as JSON does.
    ids = str([low | seq for seq in sorted(seqs)])
    rows = db.execute(
        f"SELECT {_ROW} FROM {table_of(number)}_content WHERE id IN (SELECT value FROM json_each(?))", (ids,)
    )
    found: dict[int, Entry] = {}
    for row, text, at, kind, actor, place, reason, failed, importance, source, mark in rows:
        seq = row - low
        found[seq] = Entry(seq, at, kind, actor, place, text, reason, failed == 1, importance, source, mark)
    if blank := [low | seq for seq, entry in found.items() if not entry.text]:
        for row, text in db.execute(
            "SELECT id, text FROM wholes WHERE id IN (SELECT value FROM json_each(?))", (str(blank),)
        ):
            found[row - low] = found[row - low]._replace(text=text)
    return found


def top_memory(db: sqlite3.Connection, number: int) -> int:
    """Return the last memory of the agent that is indexed, be it beyond a hole; 0 for none."""
    if not number:
        return 0
    row = db.execute(
        f"SELECT max(id) FROM {table_of(number)}_content WHERE id BETWEEN ? AND ?", span(number)
    ).fetchone()
    return int(row[0] or 0) & 0xFFFFFFFF


def repeated(db: sqlite3.Connection, number: int, seqs: Collection[int]) -> dict[int, StoredMemory]:
    """Return, of those of these memories that tell what was lived more than once, how often that was."""
    if not number or not seqs:
        return {}
    low, _ = span(number)
    rows = db.execute(
        f"SELECT id & 0xFFFFFFFF, first, last, times FROM {table_of(number)}_content JOIN texts INDEXED BY repeated "
        "ON agent = ? AND digest = c10 AND times > 1 WHERE id IN (SELECT value FROM json_each(?))",
        (number, str([low | seq for seq in sorted(seqs)])),
    )
    return {seq: StoredMemory(first, last, times) for seq, first, last, times in rows}


# -- vectors ----------------------------------------------------------------------------------------------------------


def waiting(
    db: sqlite3.Connection, after: str, limit: int, without: Collection[str] = ()
) -> tuple[str, int, list[Record]] | None:
    """Return the memories of one agent that come next to get their vectors; None when none wait.

    Args:
        db: the index.
        after: the agent that was served last; the others come first.
        limit: how many memories are looked at, and how many records are returned unless one memory has more.
        without: agents that are passed over.

    Returns:
        The agent, the last memory that was looked at, and of those that tell something new their records.
    """
    agent = db.execute(
        "SELECT number, id, embedded, through FROM agents WHERE embedded < through "
        "AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY number <= ?, number",
        (json.dumps(list(without)), number_of(db, after)),
    ).fetchone()
    if agent is None:
        return None
    number, agent_id, embedded, through = agent
    last = min(through, embedded + limit)
    entries = entries_of(db, number, range(embedded + 1, last + 1))
    again = {seq for seq, text in repeated(db, number, entries).items() if text.first != seq}
    records: list[Record] = []
    for seq, entry in entries.items():
        new = [] if seq in again else memory_records(agent_id, entry)
        if records and len(records) + len(new) > limit:
            return agent_id, seq - 1, records  # a question waits for all that is embedded at once
        records += new
    return agent_id, last, records


def vectors_wanted(db: sqlite3.Connection, agent_id: str) -> int:
    """Return how many vectors the memories of an agent must have by its watermark."""
    row = db.execute(
        "SELECT coalesce(sum(parts), 0) FROM texts JOIN agents ON agent = number WHERE id = ? AND first <= embedded",
        (agent_id,),
    ).fetchone()
    return int(row[0])


def samples(db: sqlite3.Connection, agent_id: str) -> list[Record]:
    """Return the first, the middle and the last memory that must have a vector by the agent's watermark."""
    number = number_of(db, agent_id)
    firsts = "SELECT first FROM texts JOIN agents ON agent = number WHERE number = ? AND first <= embedded"
    row = db.execute(
        f"SELECT min(first), max(first), (SELECT min(first) FROM ({firsts}) WHERE first >= (SELECT embedded / 2 "
        f"FROM agents WHERE number = ?)) FROM ({firsts})",
        (number, number, number),
    ).fetchone()
    entries = entries_of(db, number, {seq for seq in row if seq is not None})
    return [memory_records(agent_id, entry)[0] for _, entry in sorted(entries.items())]
