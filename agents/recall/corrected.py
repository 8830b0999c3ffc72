"""Corrected memories in the index: their rows are replaced, and they wait for new vectors.

Every function runs in its caller's transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence

from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.documents import MAX_PASSAGES, Record, memory_records, passages
from agents.recall.tables import Vocabulary, insert_rows, passage_row, passages_of, table_of


def corrected_through(db: sqlite3.Connection, agent_id: str) -> int:
    """Return the number of the last correction that the index knows."""
    row = db.execute("SELECT corrected FROM agents WHERE id = ?", (agent_id,)).fetchone()
    return int(row[0]) if row is not None else 0


def correct_memories(
    db: sqlite3.Connection, agent_id: str, entries: Sequence[Entry], number: int, vocabulary: Vocabulary
) -> list[str]:
    """Replace memories by their corrected texts, up to the correction `number`; return ids of obsolete vectors.

    Memories that are not indexed yet are left out. Summaries in files that never change are read again afterwards.
    """
    agent = tables.ensure_number(db, agent_id)
    low, _ = tables.span(agent)
    embedded = db.execute("SELECT embedded FROM agents WHERE number = ?", (agent,)).fetchone()[0]
    old = tables.entries_of(db, agent, [entry.seq for entry in entries])
    digests = {_take_out(db, agent, seq) for seq in old}
    there = [entry for entry in entries if entry.seq in old]
    # The importance by hindsight stays.
    weighed = (one._replace(importance=old[one.seq].importance) if one.text else one for one in there)
    rows = [tables.row_of(low | entry.seq, entry) for entry in weighed]
    tables.store_rows(db, rows, vocabulary)
    again = {seq for seq in _recount(db, agent, digests.union(row[11] for row in rows)) if seq <= embedded}
    insert_rows(db, "INSERT OR IGNORE INTO unembedded (agent, seq)", [(agent, seq) for seq in sorted(again)])
    db.execute("UPDATE documents SET file = '' WHERE agent = ?", (agent,))
    db.execute("UPDATE agents SET corrected = ? WHERE number = ?", (number, agent))
    new = tables.entries_of(db, agent, again)
    had = [entry for seq, entry in old.items() if seq <= embedded]
    return sorted(_vectors(agent_id, had) - _vectors(agent_id, new.values()))


def _vectors(agent_id: str, entries: Iterable[Entry]) -> set[str]:
    return {record.id for entry in entries for record in memory_records(agent_id, entry)}


def _take_out(db: sqlite3.Connection, agent: int, seq: int) -> int:
    """Remove a memory and its passages; return the digest of its text."""
    row, first = agent << 32 | seq, agent << 32 | passage_row(seq, 0)
    of_memory = (first, first + MAX_PASSAGES - 1)
    digest = db.execute(f"SELECT c10 FROM {table_of(agent)}_content WHERE id = ?", (row,)).fetchone()[0]
    parts = db.execute(
        f"SELECT count(*) FROM {passages_of(agent)}_content WHERE id BETWEEN ? AND ?", of_memory
    ).fetchone()[0]
    db.execute(f"DELETE FROM {table_of(agent)} WHERE rowid = ?", (row,))
    db.execute(f"DELETE FROM {passages_of(agent)} WHERE rowid BETWEEN ? AND ?", of_memory)
    db.execute("DELETE FROM wholes WHERE id = ?", (row,))
    db.execute("DELETE FROM times WHERE agent = ? AND seq = ?", (agent, seq))
    db.execute("UPDATE agents SET more = more - ? WHERE number = ?", (max(0, parts - 1), agent))
    return int(digest)


def _recount(db: sqlite3.Connection, agent: int, digests: Iterable[int]) -> set[int]:
    """Count anew the memories with these texts; return the first of each, which needs a vector."""
    firsts: set[int] = set()
    for digest in digests:
        first, last, times = db.execute(
            f"SELECT min(id) & 0xFFFFFFFF, max(id) & 0xFFFFFFFF, count(*) FROM {table_of(agent)}_content "
            "WHERE id BETWEEN ? AND ? AND c10 = ?",
            (*tables.span(agent), digest),
        ).fetchone()
        db.execute("DELETE FROM texts WHERE agent = ? AND digest = ?", (agent, digest))
        if times:
            parts = len(passages(tables.entries_of(db, agent, [first])[first].text))
            db.execute("INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?)", (agent, digest, first, last, times, parts))
            firsts.add(first)
    return firsts


def corrected_waiting(db: sqlite3.Connection, without: Collection[str]) -> tuple[str, int, list[Record]] | None:
    """Return an agent and a corrected memory of it that waits for a vector, with its records; None for none."""
    row = db.execute(
        "SELECT id, number, seq FROM unembedded JOIN agents ON number = agent "
        "WHERE id NOT IN (SELECT value FROM json_each(?)) LIMIT 1",
        (json.dumps(list(without)),),
    ).fetchone()
    if row is None:
        return None
    agent_id, number, seq = row
    found = tables.entries_of(db, number, [seq]).values()
    return agent_id, seq, [record for entry in found for record in memory_records(agent_id, entry)]


def corrected_embedded(db: sqlite3.Connection, agent_id: str, seq: int) -> None:
    """Record that a corrected memory has its vector."""
    db.execute("DELETE FROM unembedded WHERE agent = ? AND seq = ?", (tables.number_of(db, agent_id), seq))
