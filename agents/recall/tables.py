"""The tables of the lexical index and what is asked of them; every function works within its caller's transaction."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.memory.entries import Entry
from agents.recall.documents import IndexedDocument, clean

VERSION = 1
CANDIDATES = 60
"""Memories that the words alone may bring forward; 200 found no more of the evidence on two development sets."""
ABOUT = 0.3
"""Weight of actor, place and reason beside the text's 1."""
DOCUMENTS = 200
"""Documents that the words alone may bring forward."""

SCHEMA = """
    CREATE TABLE agents (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, through INTEGER NOT NULL DEFAULT 0);
    CREATE VIRTUAL TABLE memories USING fts5(text, about, rest UNINDEXED,
        tokenize = "porter unicode61 remove_diacritics 2");
    CREATE TABLE documents (id INTEGER PRIMARY KEY, agent INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL,
        title TEXT NOT NULL, text TEXT NOT NULL, first INTEGER, last INTEGER, at TEXT NOT NULL, digest TEXT NOT NULL,
        vector TEXT NOT NULL UNIQUE, embedded INTEGER NOT NULL DEFAULT 0, UNIQUE (agent, key));
    CREATE INDEX waiting ON documents (id) WHERE embedded = 0;
    CREATE VIRTUAL TABLE document_words USING fts5(title, text, tokenize = "porter unicode61 remove_diacritics 2");
"""
DOCUMENT = "key, kind, text, title, first, last, at, vector, documents.id"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the index of one agent is.

    Args:
        lexical_through: the last memory up to which every word is indexed.
        vector_through: the last memory up to which every summary has its vector.
        waiting: documents without a vector.
        documents: all documents.
    """

    lexical_through: int = 0
    vector_through: int = 0
    waiting: int = 0
    documents: int = 0


def number_of(db: sqlite3.Connection, agent_id: str) -> int:
    """Return the agent's number; 0, which is nobody's, when nothing of it was ever indexed."""
    row = db.execute("SELECT number FROM agents WHERE id = ?", (agent_id,)).fetchone()
    return int(row[0]) if row else 0


def own_number(db: sqlite3.Connection, agent_id: str) -> int:
    """Return the agent's number, a new one when it has none."""
    db.execute("INSERT OR IGNORE INTO agents (id) VALUES (?)", (agent_id,))
    return number_of(db, agent_id)


def through_of(db: sqlite3.Connection, agent_id: str) -> int:
    """Return up to which memory of the agent every one is indexed."""
    row = db.execute("SELECT through FROM agents WHERE id = ?", (agent_id,)).fetchone()
    return int(row[0]) if row else 0


def add(db: sqlite3.Connection, batch: Mapping[str, Sequence[Entry]]) -> None:
    """Put in memories by agent, in the order of their row ids: unsorted, an insert takes twice as long."""
    rows: list[tuple[int, str, str, str]] = []
    ends: list[tuple[int, str]] = []
    for agent_id, entries in batch.items():
        number, through = own_number(db, agent_id), through_of(db, agent_id)
        for entry in entries:
            if entry.seq <= through:
                continue
            # A hole stays one until it is filled: only what follows without a gap moves the end.
            through += entry.seq == through + 1
            rows.append(_row(number << 32 | entry.seq, entry))
        ends.append((through, agent_id))
    rows.sort(key=lambda row: row[0])
    db.executemany("INSERT OR REPLACE INTO memories (rowid, text, about, rest) VALUES (?, ?, ?, ?)", rows)
    db.executemany("UPDATE agents SET through = ? WHERE id = ?", ends)


def _row(rowid: int, entry: Entry) -> tuple[int, str, str, str]:
    about = " ".join(filter(None, (entry.actor, entry.place, entry.reason)))
    rest = json.dumps(
        [entry.at, entry.kind, entry.actor, entry.place, entry.reason, entry.failed, entry.importance, entry.source]
    )
    return rowid, clean(entry.text), clean(about), rest


def entries_of(db: sqlite3.Connection, number: int, seqs: Collection[int]) -> dict[int, Entry]:
    """Return the indexed memories of an agent that have these numbers."""
    ids = sorted(number << 32 | seq for seq in seqs)
    found: dict[int, Entry] = {}
    for start in range(0, len(ids), 500):
        some = ids[start : start + 500]
        marks = ",".join("?" * len(some))
        for rowid, text, rest in db.execute(f"SELECT rowid, text, rest FROM memories WHERE rowid IN ({marks})", some):
            at, kind, actor, place, reason, failed, importance, source = json.loads(rest)
            seq = rowid & 0xFFFFFFFF
            found[seq] = Entry(seq, at, kind, actor, place, text, reason, failed, importance, source)
    return found


def sync(db: sqlite3.Connection, agent_id: str, documents: Sequence[IndexedDocument]) -> list[str]:
    """Make these the agent's documents; return the ids of the vectors that are no longer wanted."""
    number = own_number(db, agent_id)
    there = {
        key: (row, digest, vector)
        for row, key, digest, vector in db.execute(
            "SELECT id, key, digest, vector FROM documents WHERE agent = ?", (number,)
        )
    }
    wanted = {clean(document.key): document for document in documents}
    gone = [key for key, (_, digest, _) in there.items() if key not in wanted or wanted[key].digest != digest]
    for key in gone:
        db.execute("DELETE FROM documents WHERE id = ?", (there[key][0],))
        db.execute("DELETE FROM document_words WHERE rowid = ?", (there[key][0],))
    top = max((row for row, _, _ in there.values()), default=number << 32)
    fresh = [key for key in wanted if key not in there or key in gone]
    for row, key in enumerate(fresh, top + 1):
        _insert(db, row, number, wanted[key], wanted[key].vector_id(agent_id))
    return [there[key][2] for key in gone]


def _insert(db: sqlite3.Connection, row: int, number: int, document: IndexedDocument, vector: str) -> None:
    first, last = document.covers or (None, None)
    title, text = clean(document.title), clean(document.text)
    at, digest = document.timestamp, document.digest
    db.execute(
        "INSERT INTO documents (id, agent, key, kind, title, text, first, last, at, digest, vector) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (row, number, clean(document.key), document.kind, title, text, first, last, at, digest, vector),
    )
    db.execute("INSERT INTO document_words (rowid, title, text) VALUES (?, ?, ?)", (row, title, text))


def document_of(row: Sequence[Any]) -> IndexedDocument:
    """Return the document in a row that was selected as `DOCUMENT`."""
    key, kind, text, title, first, last, at = row[:7]
    return IndexedDocument(key, kind, text, title, None if first is None else (first, last), at)


def progress_of(db: sqlite3.Connection, agent_id: str) -> Progress:
    """Return how far the index of an agent is."""
    number = number_of(db, agent_id)
    waiting, total, behind, top = db.execute(
        "SELECT coalesce(sum(embedded = 0), 0), count(*), min(CASE WHEN embedded = 0 THEN first END), "
        "coalesce(max(last), 0) FROM documents WHERE agent = ?",
        (number,),
    ).fetchone()
    return Progress(through_of(db, agent_id), top if behind is None else max(0, behind - 1), waiting, total)


def telling(db: sqlite3.Connection, words: Sequence[str]) -> dict[str, float]:
    """Return how telling each word is: its inverse document frequency as BM25 has it, never below a trifle."""
    total = db.execute("SELECT coalesce(sum(through), 0) FROM agents").fetchone()[0]
    weights = {}
    for word in words:
        count = db.execute("SELECT count(*) FROM memories WHERE memories MATCH ?", (f'"{word}"',)).fetchone()[0]
        weights[word] = max(1e-6, math.log((total - count + 0.5) / (count + 0.5)) if count < total else 1e-6)
    return weights


def memory_shares(db: sqlite3.Connection, number: int, telling: Mapping[str, float]) -> dict[int, float]:
    """Return the best memories by BM25, as a share of what one average line with every word once would have."""
    wanted = " OR ".join(f'"{word}"' for word in telling)
    best = sum(telling.values())
    rows = db.execute(
        f"SELECT rowid, bm25(memories, 1.0, {ABOUT}) AS fit FROM memories "
        "WHERE memories MATCH ? AND rowid BETWEEN ? AND ? ORDER BY fit, rowid DESC LIMIT ?",
        (wanted, *span(number), CANDIDATES),
    )
    return {rowid & 0xFFFFFFFF: -fit / best for rowid, fit in rows}


def document_finds(
    db: sqlite3.Connection,
    number: int,
    telling: Mapping[str, float],
    kinds: Collection[str],
    cosines: Mapping[str, float],
) -> tuple[tuple[IndexedDocument, float | None, float | None], ...]:
    """Return the documents that have any of the words or were found by their vectors.

    A document's share is by the memories' word weights: there are too few documents to tell what is rare.

    Args:
        db: the index.
        number: the agent's number in it.
        telling: the words of the question with their weights.
        kinds: kinds of documents to look at.
        cosines: what the vectors found, by vector id.
    """
    shares: dict[int, float] = {}
    best = sum(telling.values()) or 1.0
    for word, weight in telling.items():
        rows = db.execute(
            "SELECT rowid FROM document_words WHERE document_words MATCH ? AND rowid BETWEEN ? AND ?",
            (f'"{word}"', *span(number)),
        )
        for (row,) in rows:
            shares[row] = shares.get(row, 0.0) + weight / best
    some = sorted(shares, key=lambda row: (-shares[row], row))[:DOCUMENTS]
    found = db.execute(
        f"SELECT {DOCUMENT} FROM documents WHERE id BETWEEN ? AND ? "
        f"AND (id IN ({','.join('?' * len(some))}) OR vector IN ({','.join('?' * len(cosines))}))",
        (*span(number), *some, *cosines),
    )
    finds = ((document_of(row), shares.get(row[8]), cosines.get(row[7])) for row in found)
    return tuple(find for find in finds if find[0].kind in kinds)


def span(number: int) -> tuple[int, int]:
    """Return the first and the last row id that an agent of this number can have."""
    return number << 32, number << 32 | 0xFFFFFFFF
