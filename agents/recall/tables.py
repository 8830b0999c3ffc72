"""The tables of the lexical index, its agents and documents; every function works within its caller's transaction.

A row id is the agent's number in the upper 32 bits, and in the lower its memory's seq or its document's own number, so
that one range holds all of one agent. The words of a long memory stand in the table of passages instead, a row for
each, and its text among the wholes; a passage's lower half is the memory's seq and, in the last bits, which one it is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from agents.recall import vocabulary
from agents.recall.documents import NOTE, SUMMARY, IndexedDocument, Record, clean, record_of
from agents.recall.postings import span
from agents.recall.vocabulary import TOKENIZER

VERSION = 6
FTS = f'detail=none, columnsize=0, tokenize = "{TOKENIZER}"'
"""Of a word only where it is, not how often or where in it: two fifths quicker to write, and matching needs no more."""

SCHEMA = f"""
    CREATE TABLE agents (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, through INTEGER NOT NULL DEFAULT 0,
        embedded INTEGER NOT NULL DEFAULT 0, more INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE texts (agent INTEGER NOT NULL, digest INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
        times INTEGER NOT NULL, parts INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (agent, digest)) WITHOUT ROWID;
    CREATE TABLE times (agent INTEGER NOT NULL, at TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (agent, at, seq))
        WITHOUT ROWID;
    CREATE TABLE wholes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE INDEX repeated ON texts (agent, digest) WHERE times > 1;
    CREATE TABLE documents (id INTEGER PRIMARY KEY, agent INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL,
        title TEXT NOT NULL, aliases TEXT NOT NULL, text TEXT NOT NULL, first INTEGER, last INTEGER, at TEXT NOT NULL,
        digest TEXT NOT NULL, vector TEXT NOT NULL UNIQUE, file TEXT NOT NULL, embedded INTEGER NOT NULL DEFAULT 0,
        UNIQUE (agent, key));
    CREATE INDEX waiting ON documents (id) WHERE embedded = 0;
    CREATE VIRTUAL TABLE {SUMMARY}_words USING fts5(title, text, {FTS});
    CREATE VIRTUAL TABLE {NOTE}_words USING fts5(title, text, {FTS});
    {vocabulary.SCHEMA}
"""
TABLES = 16
"""FTS tables for memories, an agent's all in the same. With 1,000 agents of 1,000 memories matching takes 12.8 ms with
1 table, 4.1 with 16 and 4.2 with 64; 19,500 memories a second go into 16, 16,500 into 64 (on a busy machine)."""
ENTRY = "at, kind, actor, place, reason, failed, importance, source, digest, mark"
"""What is kept of a memory beside its words."""
MANY = (512, 64, 8, 1)
"""Rows that are inserted with one statement."""
DOCUMENT = "key, kind, text, title, first, last, at, vector, documents.id, aliases"
WORDS = {SUMMARY: f"{SUMMARY}_words", NOTE: f"{NOTE}_words"}
"""The table with the words of each kind of document."""


class IndexProgress(NamedTuple):
    """How far the index of one agent is.

    Args:
        lexical_through: the last memory up to which every word is indexed.
        vector_through: the last memory up to which every text has its vector.
        summaries_through: the last memory up to which every summary has its vector.
        waiting_documents: summaries and notes without a vector.
        documents: all summaries and notes.
    """

    lexical_through: int = 0
    vector_through: int = 0
    summaries_through: int = 0
    waiting_documents: int = 0
    documents: int = 0

    @property
    def waiting(self) -> int:
        """Documents and memories without a vector."""
        return self.waiting_documents + self.lexical_through - self.vector_through

    @property
    def total(self) -> int:
        """All documents and memories."""
        return self.documents + self.lexical_through


def insert(db: sqlite3.Connection, into: str, rows: Sequence[Sequence[object]], otherwise: str = "") -> None:
    """Insert rows, as many with one statement as there is room for.

    With every statement the interpreter is let go and taken again; while the world's thread is at work, each time
    costs a wait of up to five milliseconds.

    Args:
        db: the index.
        into: the statement up to its values.
        rows: the values, of all rows equally many.
        otherwise: what follows the values.
    """
    start = 0
    for many in MANY:
        if many > 1 and rows and many * len(rows[0]) > db.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER):
            continue
        while len(rows) - start >= many:
            places = ", ".join([f"({', '.join('?' * len(rows[start]))})"] * many)
            db.execute(f"{into} VALUES {places} {otherwise}", [*chain.from_iterable(rows[start : start + many])])
            start += many


# -- agents -----------------------------------------------------------------------------------------------------------


def number_of(db: sqlite3.Connection, agent_id: str) -> int:
    """Return the agent's number; 0, which is nobody's, when nothing of it was ever indexed."""
    row = db.execute("SELECT number FROM agents WHERE id = ?", (agent_id,)).fetchone()
    return int(row[0]) if row else 0


def own_number(db: sqlite3.Connection, agent_id: str) -> int:
    """Return the agent's number, a new one when it has none."""
    number = number_of(db, agent_id)
    if not number:
        db.execute("INSERT INTO agents (id) VALUES (?)", (agent_id,))
        number = number_of(db, agent_id)
        kept = ENTRY.replace(",", " UNINDEXED,")
        db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {table_of(number)} USING fts5(text, about, {kept} UNINDEXED, {FTS})"
        )
        db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {passages_of(number)} USING fts5(text, about, {FTS})")
    return number


def table_of(number: int) -> str:
    """Return the table that holds the memories of the agent of this number."""
    return f"memories_{number % TABLES:02}"


def passages_of(number: int) -> str:
    """Return the table that holds the passages of the long memories of the agent of this number."""
    return f"passages_{number % TABLES:02}"


def more_of(db: sqlite3.Connection, number: int) -> int:
    """Return how many passages an agent's memories have beyond the first of each."""
    row = db.execute("SELECT more FROM agents WHERE number = ?", (number,)).fetchone()
    return int(row[0]) if row else 0


def through_of(db: sqlite3.Connection, agent_id: str) -> int:
    """Return up to which memory of the agent every one is indexed."""
    row = db.execute("SELECT through FROM agents WHERE id = ?", (agent_id,)).fetchone()
    return int(row[0]) if row else 0


def progress_of(db: sqlite3.Connection, agent_id: str) -> IndexProgress:
    """Return how far the index of an agent is."""
    row = db.execute("SELECT number, through, embedded FROM agents WHERE id = ?", (agent_id,)).fetchone()
    if row is None:
        return IndexProgress()
    waiting, total, behind, top = db.execute(
        "SELECT coalesce(sum(embedded = 0), 0), count(*), min(CASE WHEN embedded = 0 THEN first END), "
        "coalesce(max(last), 0) FROM documents WHERE agent = ?",
        (row[0],),
    ).fetchone()
    return IndexProgress(row[1], row[2], top if behind is None else max(0, behind - 1), waiting, total)


# -- documents --------------------------------------------------------------------------------------------------------


def files_of(db: sqlite3.Connection, agent_id: str) -> dict[str, str]:
    """Return the keys of the documents of an agent that stand in files which never change, by those files' names."""
    rows = db.execute(
        "SELECT file, key FROM documents WHERE agent = ? AND file != ''", (number_of(db, agent_id),)
    ).fetchall()
    return dict(rows)


def sync(db: sqlite3.Connection, agent_id: str, wanted: Mapping[str, IndexedDocument | None]) -> tuple[list[str], bool]:
    """Make these the agent's documents.

    Args:
        db: the index.
        agent_id: whose.
        wanted: by key; None for one that stays as it is.

    Returns:
        The ids of the vectors that are no longer wanted, and whether anything changed.
    """
    number = number_of(db, agent_id)
    there = {
        key: (row, kind, digest, vector)
        for row, key, kind, digest, vector in db.execute(
            "SELECT id, key, kind, digest, vector FROM documents WHERE agent = ?", (number,)
        )
    }
    new = {key: document for key, document in wanted.items() if document is not None}
    gone = {key for key, (_, _, digest, _) in there.items() if key not in wanted}
    gone |= {key for key, document in new.items() if key in there and there[key][2] != document.digest}
    fresh = {key: document for key, document in new.items() if key not in there or key in gone}
    for key in gone:
        row, kind, _, _ = there[key]
        db.execute("DELETE FROM documents WHERE id = ?", (row,))
        db.execute(f"DELETE FROM {WORDS[kind]} WHERE rowid = ?", (row,))
    same = [(document.file, there[key][0]) for key, document in new.items() if document.file and key not in fresh]
    db.executemany("UPDATE documents SET file = ? WHERE id = ?", same)
    if fresh:
        number = own_number(db, agent_id)
        top = max((row for row, _, _, _ in there.values()), default=number << 32)
        for row, (key, document) in enumerate(fresh.items(), top + 1):
            _insert(db, row, number, key, document, document.vector_id(agent_id))
    return [there[key][3] for key in gone], bool(gone or fresh)


def _insert(db: sqlite3.Connection, row: int, number: int, key: str, document: IndexedDocument, vector: str) -> None:
    first, last = document.covers or (None, None)
    title, aliases, text = clean(document.title), clean("\n".join(document.aliases)), clean(document.text)
    db.execute(
        "INSERT INTO documents (id, agent, key, kind, title, aliases, text, first, last, at, digest, vector, file) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (row, number, key, document.kind, title, aliases, text, first, last, document.timestamp, document.digest,
         vector, clean(document.file)),
    )  # fmt: skip
    db.execute(
        f"INSERT INTO {WORDS[document.kind]} (rowid, title, text) VALUES (?, ?, ?)", (row, clean(document.names), text)
    )


def document_of(row: Sequence[Any]) -> IndexedDocument:
    """Return the document in a row that was selected as `DOCUMENT`."""
    key, kind, text, title, first, last, at = row[:7]
    aliases = tuple(row[9].split("\n")) if row[9] else ()
    return IndexedDocument(key, kind, text, title, None if first is None else (first, last), at, aliases)


def top_document(db: sqlite3.Connection, number: int) -> int:
    """Return the highest number of a document of the agent; 0 for none."""
    row = db.execute("SELECT max(id) FROM documents WHERE id BETWEEN ? AND ?", span(number)).fetchone()
    return int(row[0] or 0) & 0xFFFFFFFF


def documents_found(
    db: sqlite3.Connection, number: int, rows: Iterable[int], cosines: Mapping[str, float], kinds: Collection[str]
) -> list[tuple[int, IndexedDocument, float | None]]:
    """Return the documents of these kinds that words or vectors found: number, document, cosine.

    Args:
        db: the index.
        number: the agent's number in it.
        rows: the documents' own numbers that the words found.
        cosines: what the vectors found, by vector id; an id that is not (or no longer) a document's is ignored.
        kinds: the kinds that are wanted.
    """
    found = db.execute(
        f"SELECT {DOCUMENT} FROM documents WHERE id BETWEEN ? AND ? "
        "AND (id IN (SELECT value FROM json_each(?)) OR vector IN (SELECT value FROM json_each(?))) ORDER BY id",
        (*span(number), json.dumps([number << 32 | row for row in rows]), json.dumps(list(cosines))),
    )
    return [(row[8] & 0xFFFFFFFF, document_of(row), cosines.get(row[7])) for row in found if row[1] in kinds]


def documents_waiting(db: sqlite3.Connection, limit: int, without: Collection[str] = ()) -> list[Record]:
    """Return documents without a vector, oldest first, but for those of some agents."""
    rows = db.execute(
        f"SELECT {DOCUMENT}, agents.id FROM documents JOIN agents ON number = agent "
        f"WHERE documents.embedded = 0 AND agents.id NOT IN ({', '.join('?' * len(without))}) "
        "ORDER BY documents.id LIMIT ?",
        (*without, limit),
    ).fetchall()
    return [record_of(row[-1], row[7], document_of(row)) for row in rows]


def reconcile(db: sqlite3.Connection, ids: Collection[str]) -> list[str]:
    """Note that these documents' vectors, and no others, are there; return those that are no document's."""
    db.execute("UPDATE documents SET embedded = 0 WHERE embedded = 1")
    db.executemany("UPDATE documents SET embedded = 1 WHERE vector = ?", [(one,) for one in ids])
    wanted = {row[0] for row in db.execute("SELECT vector FROM documents")}
    return [one for one in ids if one not in wanted]


def forget_vectors(db: sqlite3.Connection, agent_id: str | None) -> None:
    """Note that no vector is there, of one agent or of anybody."""
    whose = "SELECT number FROM agents" if agent_id is None else "SELECT number FROM agents WHERE id = ?"
    given = () if agent_id is None else (agent_id,)
    db.execute(f"UPDATE documents SET embedded = 0 WHERE embedded = 1 AND agent IN ({whose})", given)
    db.execute(f"UPDATE agents SET embedded = 0 WHERE embedded > 0 AND number IN ({whose})", given)
