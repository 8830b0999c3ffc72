"""The tables of the lexical index. Every function runs in its caller's transaction.

Row ids have the agent's number in the upper 32 bits and a memory's seq or a document's number in the lower. Long
memories have their text in `wholes` and a row per passage (lower half: seq x MAX_PASSAGES + part). Texts repeat often
("Petra yawns."), so only the first memory with a text gets a vector.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby
from typing import Any, NamedTuple

from agents.memory.corrections import FORGOTTEN
from agents.memory.entries import Entry
from agents.memory.perception import of_own_search
from agents.recall.documents import (
    LONG,
    MAX_PASSAGES,
    NOTE,
    SUMMARY,
    IndexedDocument,
    Record,
    clean,
    memory_records,
    passages,
    record_of,
    text_of,
)
from agents.recall.question import is_content_word, words_of

VERSION = 8
TOKENIZER = "porter unicode61 remove_diacritics 2"
FTS = f'detail=none, columnsize=0, tokenize = "{TOKENIZER}"'
"""Without positions and counts, which matching does not need: writing is two fifths faster."""
WORDS = {SUMMARY: f"{SUMMARY}_words", NOTE: f"{NOTE}_words"}
SCHEMA = f"""
    CREATE TABLE agents (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, through INTEGER NOT NULL DEFAULT 0,
        top INTEGER NOT NULL DEFAULT 0, embedded INTEGER NOT NULL DEFAULT 0, more INTEGER NOT NULL DEFAULT 0,
        corrected INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX unread ON agents (number) WHERE embedded < through;
    CREATE TABLE unembedded (agent INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (agent, seq)) WITHOUT ROWID;
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
    CREATE TABLE vocabulary (number INTEGER PRIMARY KEY, word TEXT NOT NULL, stem TEXT NOT NULL UNIQUE);
"""
TABLES = 16
"""With 1,000 agents of 1,000 memories, a match takes 12.8 ms with 1 table, 4.1 with 16, 4.2 with 64; 64 fill slower."""
ENTRY = "at, kind, actor, place, reason, failed, importance, source, digest, mark"
_STORED_ENTRY = "id, c0, c2, c3, c4, c5, c6, c7, c8, c9, c11"
"""The same columns in FTS5's content table; reading there is twice as fast."""
DOCUMENT = "key, kind, text, title, first, last, at, vector, documents.id, aliases"
ROWS_AT_ONCE = (512, 64, 8, 1)
MAX_KNOWN_WORDS = 200_000
"""Words cached in RAM, some 20 MB; then the cache is emptied."""
MAX_KNOWN_TEXTS = 4096
"""Texts cached, because several agents perceive the same."""
MAX_WORD_LENGTH = 40

Row = tuple[int, str, str, str, str, str | None, str | None, str | None, int, int, int, int, str | None]


class IndexProgress(NamedTuple):
    """Progress of one agent's index.

    Args:
        lexical_through: seq up to which all words are indexed.
        vector_through: seq up to which all texts have vectors.
        summaries_through: seq up to which all summaries have vectors.
        waiting_documents: number of summaries and notes without a vector.
        documents: number of summaries and notes.
    """

    lexical_through: int = 0
    vector_through: int = 0
    summaries_through: int = 0
    waiting_documents: int = 0
    documents: int = 0

    @property
    def waiting(self) -> int:
        return self.waiting_documents + self.lexical_through - self.vector_through


class RepeatedText(NamedTuple):
    first: int
    last: int
    times: int


def insert_rows(db: sqlite3.Connection, into: str, rows: Sequence[Sequence[object]], otherwise: str = "") -> None:
    """Insert many rows per statement: each releases the interpreter lock, which can cost five milliseconds."""
    start = 0
    for many in ROWS_AT_ONCE:
        if many > 1 and rows and many * len(rows[0]) > db.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER):
            continue
        while len(rows) - start >= many:
            places = ", ".join([f"({', '.join('?' * len(rows[start]))})"] * many)
            db.execute(f"{into} VALUES {places} {otherwise}", [*chain.from_iterable(rows[start : start + many])])
            start += many


def span(number: int) -> tuple[int, int]:
    """Return the first and the last possible row id of an agent."""
    return number << 32, number << 32 | 0xFFFFFFFF


# -- words ------------------------------------------------------------------------------------------------------------


class Stemmer:
    """Makes stems with SQLite's own tokenizer, so that they match the index."""

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}
        self._scratch: sqlite3.Connection | None = None

    def stems(self, words: Iterable[str]) -> dict[str, str]:
        """Return the stems of those words that are exactly one token; only those can be searched."""
        words = list(dict.fromkeys(words))
        new = [word for word in words if word not in self._known]
        if len(self._known) + len(new) > MAX_KNOWN_WORDS:
            self._known.clear()
            new = words
        if new:
            self._known.update(self._tokenized(new))
        return {word: stem for word in words if (stem := self._known[word]) is not None}

    def _tokenized(self, words: Sequence[str]) -> dict[str, str | None]:
        if self._scratch is None:
            self._scratch = sqlite3.connect(":memory:", isolation_level=None)
            self._scratch.executescript(
                f'CREATE VIRTUAL TABLE scratch USING fts5(word, content="", columnsize=0, tokenize="{TOKENIZER}");'
                "CREATE VIRTUAL TABLE tokens USING fts5vocab(scratch, instance);"
            )
        # A NUL would end the MATCH expression.
        rows = [(row, word) for row, word in enumerate(words) if "\0" not in word and clean(word) == word]
        self._scratch.execute("BEGIN")
        try:
            self._scratch.executemany("INSERT INTO scratch (rowid, word) VALUES (?, ?)", rows)
            found = self._scratch.execute("SELECT doc, term FROM tokens").fetchall()
        finally:
            self._scratch.execute("ROLLBACK")
        tokens: dict[int, list[str]] = {}
        for row, stem in found:
            tokens.setdefault(row, []).append(stem)
        stems: dict[str, str | None] = dict.fromkeys(words)
        return stems | {words[row]: of_word[0] for row, of_word in tokens.items() if len(of_word) == 1}

    def close(self) -> None:
        if self._scratch is not None:
            self._scratch.close()
        self._scratch = None


class Vocabulary:
    """Writes new words of indexed texts into the table `vocabulary`, one for each stem."""

    def __init__(self, stemmer: Stemmer) -> None:
        self._stemmer = stemmer
        self._words: set[str] = set()
        self._tokens: set[str] = set()
        """Blank-separated, with punctuation."""
        self._texts: set[str] = set()

    def forget(self) -> None:
        """Drop the cache, when the file was replaced or the transaction failed."""
        self._words.clear()
        self._tokens.clear()
        self._texts.clear()

    def learn(self, db: sqlite3.Connection, texts: Iterable[str]) -> None:
        if len(self._tokens) > MAX_KNOWN_WORDS:
            self.forget()
        if len(self._texts) > MAX_KNOWN_TEXTS:
            self._texts.clear()
        # Splitting only new texts and tokens into words is five times as fast.
        new_texts = [text for text in dict.fromkeys(texts) if text not in self._texts]
        self._texts.update(new_texts)
        tokens = [token for token in dict.fromkeys("\n".join(new_texts).split()) if token not in self._tokens]
        self._tokens.update(tokens)
        words = dict.fromkeys(words_of("\n".join(tokens)))
        new = [word for word in words if word not in self._words and _is_worth_learning(word)]
        if new:
            self._words.update(new)
            stems = self._stemmer.stems(new)
            db.executemany("INSERT OR IGNORE INTO vocabulary (word, stem) VALUES (?, ?)", stems.items())


def _is_worth_learning(word: str) -> bool:
    sized = 1 < len(word) <= MAX_WORD_LENGTH
    return sized and is_content_word(word) and not any(letter.isnumeric() for letter in word)


def words_after(db: sqlite3.Connection, number: int, limit: int) -> list[tuple[int, str]]:
    return db.execute(
        "SELECT number, word FROM vocabulary WHERE number > ? ORDER BY number LIMIT ?", (number, limit)
    ).fetchall()


# -- agents -----------------------------------------------------------------------------------------------------------


def agent_row(db: sqlite3.Connection, agent_id: str) -> tuple[int, int, int]:
    """Return the agent's number, the seq up to which all is indexed, and its passages beyond one for each memory.

    All are 0 for an agent that was never indexed.
    """
    return db.execute("SELECT number, through, more FROM agents WHERE id = ?", (agent_id,)).fetchone() or (0, 0, 0)


def number_of(db: sqlite3.Connection, agent_id: str) -> int:
    return agent_row(db, agent_id)[0]


def ensure_number(db: sqlite3.Connection, agent_id: str) -> int:
    number = number_of(db, agent_id)
    if not number:
        db.execute("INSERT INTO agents (id) VALUES (?)", (agent_id,))
        number = number_of(db, agent_id)
        unindexed = ENTRY.replace(",", " UNINDEXED,")
        columns = f"text, about, {unindexed} UNINDEXED"
        db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {table_of(number)} USING fts5({columns}, {FTS})")
        db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {passages_of(number)} USING fts5(text, about, {FTS})")
    return number


def table_of(number: int) -> str:
    return f"memories_{number % TABLES:02}"


def passages_of(number: int) -> str:
    return f"passages_{number % TABLES:02}"


def through_of(db: sqlite3.Connection, agent_id: str) -> int:
    """Return the seq up to which all memories of the agent are indexed."""
    return agent_row(db, agent_id)[1]


def agents_of(db: sqlite3.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT id FROM agents ORDER BY number")]


def progress_of(db: sqlite3.Connection, agent_id: str) -> IndexProgress:
    return progress_of_all(db, [agent_id])[agent_id]


def progress_of_all(db: sqlite3.Connection, agent_ids: Collection[str]) -> dict[str, IndexProgress]:
    found = db.execute(
        "SELECT agents.id, through, agents.embedded, min(CASE WHEN documents.embedded = 0 THEN first END), "
        "coalesce(max(documents.last), 0), coalesce(sum(documents.embedded = 0), 0), count(documents.key) "
        "FROM agents LEFT JOIN documents ON agent = number WHERE agents.id IN (SELECT value FROM json_each(?)) "
        "GROUP BY number",
        (json.dumps(list(agent_ids)),),
    )
    progress = dict.fromkeys(agent_ids, IndexProgress())
    for agent_id, through, embedded, behind, top, waiting, total in found:
        summaries = top if behind is None else max(0, behind - 1)
        progress[agent_id] = IndexProgress(through, embedded, summaries, waiting, total)
    return progress


def all_waiting(db: sqlite3.Connection, memories: bool) -> tuple[int, int]:
    """Return how many documents (and memories) of all agents have no vector, and how many there are."""
    row = db.execute("SELECT coalesce(sum(embedded = 0), 0), count(*) FROM documents").fetchone()
    lives = db.execute("SELECT coalesce(sum(through - embedded), 0), coalesce(sum(through), 0) FROM agents")
    more = lives.fetchone() if memories else (0, 0)
    return int(row[0] + more[0]), int(row[1] + more[1])


# -- memories ---------------------------------------------------------------------------------------------------------


def add_memories(db: sqlite3.Connection, batch: Mapping[str, Sequence[Entry]], vocabulary: Vocabulary) -> None:
    """Insert new memories, sorted by table and row id: unsorted, an insert takes twice as long.

    There are few statements for all agents together, as many of them perceive the same and get one row each.
    """
    known = {row[0]: row[1:] for row in db.execute(
        "SELECT id, number, through, top FROM agents WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(batch)),),
    )}  # fmt: skip
    rows: list[Row] = []
    ends: list[tuple[int, str, int, int]] = []
    for agent_id, entries in batch.items():
        number, through, top = known.get(agent_id, (0, 0, 0))
        if entries and entries[-1].seq > through:
            number = number or ensure_number(db, agent_id)
            through, top, new = _new_rows(db, number, through, top, entries)
            rows += new
            ends.append((number, agent_id, through, top))
    moved = "ON CONFLICT (number) DO UPDATE SET through = excluded.through, top = excluded.top"
    insert_rows(db, "INSERT INTO agents (number, id, through, top)", ends, moved)
    _count_texts(db, rows)
    rows.sort(key=lambda row: ((row[0] >> 32) % TABLES, row[0]))
    store_rows(db, rows, vocabulary)


def store_rows(db: sqlite3.Connection, rows: Sequence[Row], vocabulary: Vocabulary) -> None:
    """Insert rows, sorted by table."""
    long = [row for row in rows if len(row[1]) > LONG and len(passages(row[1])) > 1]
    cut = {row[0] for row in long}  # their words are in the passages' table
    stored = [(row[0], "", "", *row[3:]) if row[0] in cut else row for row in rows] if long else rows
    for table, some in groupby(stored, key=lambda row: table_of(row[0] >> 32)):
        insert_rows(db, f"INSERT INTO {table} (rowid, text, about, {ENTRY})", list(some))
    times = sorted((row[0] >> 32, row[3], row[0] & 0xFFFFFFFF) for row in rows if row[4] != FORGOTTEN)
    insert_rows(db, "INSERT INTO times (agent, at, seq)", times)
    _insert_passages(db, long)
    if rows:
        vocabulary.learn(db, (part for row in rows for part in row[1:3]))


def _insert_passages(db: sqlite3.Connection, rows: Sequence[Row]) -> None:
    insert_rows(db, "INSERT INTO wholes (id, text)", [row[:2] for row in rows])
    for row in rows:
        number, seq, texts = row[0] >> 32, row[0] & 0xFFFFFFFF, passages(row[1])
        about = " ".join(one for one in (row[5], row[7]) if one)
        some = [(number << 32 | passage_row(seq, part), text, about) for part, text in enumerate(texts)]
        insert_rows(db, f"INSERT INTO {passages_of(number)} (rowid, text, about)", some)
        db.execute("UPDATE agents SET more = more + ? WHERE number = ?", (len(texts) - 1, number))
        db.execute("UPDATE texts SET parts = ? WHERE agent = ? AND digest = ?", (len(texts), number, row[11]))


def passage_row(seq: int, part: int) -> int:
    return seq * MAX_PASSAGES + part


def _new_rows(
    db: sqlite3.Connection, number: int, before: int, top: int, entries: Sequence[Entry]
) -> tuple[int, int, list[Row]]:
    """Return the seqs up to which all is indexed with these entries and of the last one, and the rows to insert."""
    low, high = span(number)
    beyond_gap: set[int] = set()
    if top > before:
        found = db.execute(f"SELECT id FROM {table_of(number)}_content WHERE id > ? AND id <= ?", (low | before, high))
        beyond_gap = {row & 0xFFFFFFFF for (row,) in found}
    new = {entry.seq: entry for entry in entries if entry.seq > before and entry.seq not in beyond_gap}
    through = before
    # It moves only over memories without a gap.
    while through + 1 in new or through + 1 in beyond_gap:
        through += 1
    return through, max(top, *new, through), [row_of(low | seq, entry) for seq, entry in new.items()]


def _count_texts(db: sqlite3.Connection, rows: Iterable[Row]) -> None:
    texts: dict[tuple[int, int], tuple[int, int, int]] = {}
    for row in rows:
        agent, seq, digest = row[0] >> 32, row[0] & 0xFFFFFFFF, row[11]
        first, last, times = texts.get((agent, digest), (seq, seq, 0))
        texts[agent, digest] = min(first, seq), max(last, seq), times + 1
    insert_rows(
        db,
        "INSERT INTO texts (agent, digest, first, last, times)",
        [(*text, *texts[text]) for text in sorted(texts)],
        "ON CONFLICT DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last), "
        "times = times + excluded.times",
    )


@lru_cache(maxsize=4096)
def _digest(text: str) -> int:
    """A 64-bit hash: among a million texts, a collision has a chance of 1 to 40 million."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def row_of(rowid: int, entry: Entry) -> Row:
    _, at, kind, actor, place, text, reason, failed, importance, source, mark, *_ = entry
    text, about, actor, place, reason, digest = _read(kind, actor, place, text, reason, mark)
    return rowid, text, about, clean(at), kind, actor, place, reason, int(failed), importance, source, digest, mark


@lru_cache(maxsize=4096)
def _read(
    kind: str, actor: str | None, place: str | None, text: str, reason: str | None, mark: str | None
) -> tuple[str, str, str | None, str | None, str | None, int]:
    """Return text, further words to find it by, actor, place, reason and digest; cached for all who perceived it."""
    entry = Entry(0, "", kind, actor, place, text, reason, mark=mark)
    if of_own_search(entry):
        # It would only quote other memories, and hide them from repeated questions.
        entry = entry._replace(text="", reason=None)
    text, reason = clean(entry.text), entry.reason
    actor, place, reason = (clean(one) if one else one for one in (actor, place, reason))
    about = " ".join(one for one in (actor, reason) if one and one not in text)
    return text, about, actor, place, reason, _digest(text_of(entry))


def set_importance(db: sqlite3.Connection, agent_id: str, values: Mapping[int, int]) -> None:
    """Change the importance of memories in the content table, as the column is not in the full-text index."""
    if number := number_of(db, agent_id):
        low, _ = span(number)
        rows = [(value, low | seq) for seq, value in sorted(values.items())]
        db.executemany(f"UPDATE {table_of(number)}_content SET c8 = ? WHERE id = ?", rows)


def delete_memories(db: sqlite3.Connection, agent_id: str) -> None:
    if number := number_of(db, agent_id):
        for table in (table_of(number), passages_of(number), "wholes"):
            db.execute(f"DELETE FROM {table} WHERE rowid BETWEEN ? AND ?", span(number))
        for table in ("texts", "times", "unembedded"):
            db.execute(f"DELETE FROM {table} WHERE agent = ?", (number,))
        db.execute(
            "UPDATE agents SET through = 0, top = 0, embedded = 0, more = 0, corrected = 0 WHERE number = ?", (number,)
        )


def entries_of(db: sqlite3.Connection, number: int, seqs: Collection[int]) -> dict[int, Entry]:
    if not number or not seqs:
        return {}
    low, _ = span(number)
    # One JSON text for all: a list of placeholders would be compiled each time.
    ids = str([low | seq for seq in sorted(seqs)])
    rows = db.execute(
        f"SELECT {_STORED_ENTRY} FROM {table_of(number)}_content WHERE id IN (SELECT value FROM json_each(?))", (ids,)
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


def last_memory(db: sqlite3.Connection, agent_id: str) -> tuple[int, str | None]:
    """Return the seq up to which all memories of the agent are indexed, and the text of that memory."""
    through = through_of(db, agent_id)
    entry = entries_of(db, number_of(db, agent_id), [through]).get(through)
    return through, entry.text if entry is not None else None


def last_row(db: sqlite3.Connection, table: str, number: int) -> int:
    """Return the lower half of the agent's last row id in a table, even after a gap; 0 for none."""
    row = db.execute(f"SELECT max(id) FROM {table} WHERE id BETWEEN ? AND ?", span(number)).fetchone()
    return int(row[0] or 0) & 0xFFFFFFFF


def repeated(db: sqlite3.Connection, number: int, seqs: Collection[int]) -> dict[int, RepeatedText]:
    if not number or not seqs:
        return {}
    low, _ = span(number)
    rows = db.execute(
        f"SELECT id & 0xFFFFFFFF, first, last, times FROM {table_of(number)}_content JOIN texts INDEXED BY repeated "
        "ON agent = ? AND digest = c10 AND times > 1 WHERE id IN (SELECT value FROM json_each(?))",
        (number, str([low | seq for seq in sorted(seqs)])),
    )
    return {seq: RepeatedText(first, last, times) for seq, first, last, times in rows}


# -- vectors of memories ----------------------------------------------------------------------------------------------


def memories_waiting(
    db: sqlite3.Connection, limit: int, after: str, without: Collection[str], lives: int = 1
) -> list[tuple[str, int, list[Record]]]:
    """Return agents, the seq of the last memory looked at of each, and records for its new texts.

    Agents take turns: the one in `after` was served last. There are at most `lives` of them, with `limit` records in
    all; one memory may have more. Call `lives_embedded` next, even if there are no records.
    """
    waiting = db.execute(
        "SELECT number, id, embedded, through FROM agents WHERE embedded < through "
        "AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY number <= ?, number LIMIT ?",
        (json.dumps(list(without)), number_of(db, after), lives),
    ).fetchall()
    found: list[tuple[str, int, list[Record]]] = []
    for number, agent_id, embedded, through in waiting:
        if limit <= 0:
            break
        seqs = range(embedded + 1, min(through, embedded + limit) + 1)
        last, records = _records_waiting(db, agent_id, number, seqs, limit)
        found.append((agent_id, last, records))
        limit -= max(1, len(records))
    return found


def _records_waiting(
    db: sqlite3.Connection, agent_id: str, number: int, seqs: range, limit: int
) -> tuple[int, list[Record]]:
    """Return the seq of the last memory looked at, and at most `limit` records for new texts."""
    entries = entries_of(db, number, seqs)
    again = {seq for seq, text in repeated(db, number, entries).items() if text.first != seq}
    records: list[Record] = []
    for seq, entry in entries.items():
        new = [] if seq in again else memory_records(agent_id, entry)
        if records and len(records) + len(new) > limit:
            return seq - 1, records  # a question has to wait for the whole batch
        records += new
    return seqs[-1], records


def lives_embedded(db: sqlite3.Connection, ends: Iterable[tuple[str, int]]) -> None:
    rows = [(through, agent_id) for agent_id, through in ends]
    db.executemany("UPDATE agents SET embedded = max(embedded, min(through, ?)) WHERE id = ?", rows)


def vectors_expected(db: sqlite3.Connection, agent_id: str) -> int:
    row = db.execute(
        "SELECT coalesce(sum(parts), 0) FROM texts JOIN agents ON agent = number WHERE id = ? AND first <= embedded",
        (agent_id,),
    ).fetchone()
    return int(row[0])


def samples(db: sqlite3.Connection, agent_id: str) -> list[Record]:
    """Return the first, middle and last of the agent's memories that must have a vector."""
    number = number_of(db, agent_id)
    firsts = "SELECT first FROM texts JOIN agents ON agent = number WHERE number = ? AND first <= embedded"
    row = db.execute(
        f"SELECT min(first), max(first), (SELECT min(first) FROM ({firsts}) WHERE first >= (SELECT embedded / 2 "
        f"FROM agents WHERE number = ?)) FROM ({firsts})",
        (number, number, number),
    ).fetchone()
    entries = entries_of(db, number, {seq for seq in row if seq is not None})
    return [memory_records(agent_id, entry)[0] for _, entry in sorted(entries.items())]


def vectors_of(db: sqlite3.Connection, agent_ids: Iterable[str]) -> dict[str, tuple[int, list[Record]]]:
    """Return for each agent how many vectors of memories must be stored, and `samples` of them."""
    return {agent_id: (vectors_expected(db, agent_id), samples(db, agent_id)) for agent_id in agent_ids}


# -- documents --------------------------------------------------------------------------------------------------------


def files_of(db: sqlite3.Connection, agent_id: str) -> dict[str, str]:
    """Map file names to document keys, for documents in files that never change."""
    return dict(
        db.execute(
            "SELECT file, key FROM documents WHERE agent = ? AND file != ''", (number_of(db, agent_id),)
        ).fetchall()
    )


def sync_documents(
    db: sqlite3.Connection, agent_id: str, wanted: Mapping[str, IndexedDocument | None]
) -> tuple[list[str], bool]:
    """Replace the agent's documents, None keeping one; return obsolete vector ids and whether anything changed."""
    number = number_of(db, agent_id)
    there = {
        key: (row, kind, digest, vector)
        for row, key, kind, digest, vector in db.execute(
            "SELECT id, key, kind, digest, vector FROM documents WHERE agent = ?", (number,)
        )
    }
    new = {key: document for key, document in wanted.items() if document is not None}
    gone = {key for key in there if key not in wanted}
    gone |= {key for key, document in new.items() if key in there and there[key][2] != document.digest}
    fresh = {key: document for key, document in new.items() if key not in there or key in gone}
    for key in gone:
        row, kind, _, _ = there[key]
        db.execute("DELETE FROM documents WHERE id = ?", (row,))
        db.execute(f"DELETE FROM {WORDS[kind]} WHERE rowid = ?", (row,))
    same = [(document.file, there[key][0]) for key, document in new.items() if document.file and key not in fresh]
    db.executemany("UPDATE documents SET file = ? WHERE id = ?", same)
    if fresh:
        number = ensure_number(db, agent_id)
        top = max((row for row, _, _, _ in there.values()), default=number << 32)
        for row, (key, document) in enumerate(fresh.items(), top + 1):
            _insert_document(db, row, key, document, document.vector_id(agent_id))
    return [there[key][3] for key in gone], bool(gone or fresh)


def _insert_document(db: sqlite3.Connection, row: int, key: str, document: IndexedDocument, vector: str) -> None:
    first, last = document.covers or (None, None)
    title, aliases, text = clean(document.title), clean("\n".join(document.aliases)), clean(document.text)
    db.execute(
        "INSERT INTO documents (id, agent, key, kind, title, aliases, text, first, last, at, digest, vector, file) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (row, row >> 32, key, document.kind, title, aliases, text, first, last, document.timestamp, document.digest,
         vector, clean(document.file)),
    )  # fmt: skip
    db.execute(
        f"INSERT INTO {WORDS[document.kind]} (rowid, title, text) VALUES (?, ?, ?)", (row, clean(document.names), text)
    )


def document_of(row: Sequence[Any]) -> IndexedDocument:
    key, kind, text, title, first, last, at = row[:7]
    aliases = tuple(row[9].split("\n")) if row[9] else ()
    return IndexedDocument(key, kind, text, title, None if first is None else (first, last), at, aliases)


def documents_found(
    db: sqlite3.Connection, number: int, rows: Iterable[int], cosines: Mapping[str, float], kinds: Collection[str]
) -> list[tuple[int, IndexedDocument, float | None]]:
    """Return number, document and cosine of those found by words (`rows`) or vectors; ignores unknown ids."""
    found = db.execute(
        f"SELECT {DOCUMENT} FROM documents WHERE id BETWEEN ? AND ? "
        "AND (id IN (SELECT value FROM json_each(?)) OR vector IN (SELECT value FROM json_each(?))) ORDER BY id",
        (*span(number), json.dumps([number << 32 | row for row in rows]), json.dumps(list(cosines))),
    )
    return [(row[8] & 0xFFFFFFFF, document_of(row), cosines.get(row[7])) for row in found if row[1] in kinds]


def documents_waiting(db: sqlite3.Connection, limit: int, without: Collection[str]) -> list[Record]:
    """Return documents without a vector, oldest first, skipping the agents in `without`."""
    rows = db.execute(
        f"SELECT {DOCUMENT}, agents.id FROM documents JOIN agents ON number = agent "
        f"WHERE documents.embedded = 0 AND agents.id NOT IN ({', '.join('?' * len(without))}) "
        "ORDER BY documents.id LIMIT ?",
        (*without, limit),
    ).fetchall()
    return [record_of(row[-1], row[7], document_of(row)) for row in rows]


def documents_embedded(db: sqlite3.Connection, ids: Iterable[str]) -> None:
    db.executemany("UPDATE documents SET embedded = 1 WHERE vector = ?", [(one,) for one in ids])


def reconcile(db: sqlite3.Connection, ids: Collection[str]) -> list[str]:
    """Record that exactly these document vectors are stored; return those that no document has."""
    db.execute("UPDATE documents SET embedded = 0 WHERE embedded = 1")
    documents_embedded(db, ids)
    wanted = {row[0] for row in db.execute("SELECT vector FROM documents")}
    return [one for one in ids if one not in wanted]


def forget_vectors(db: sqlite3.Connection, agent_id: str | None = None, beyond: int = 0) -> None:
    """Record that no vector is stored, of one agent or at all; of memories only where more than `beyond` may be."""
    whose = "SELECT number FROM agents" if agent_id is None else "SELECT number FROM agents WHERE id = ?"
    given = () if agent_id is None else (agent_id,)
    db.execute(f"UPDATE documents SET embedded = 0 WHERE embedded = 1 AND agent IN ({whose})", given)
    db.execute(f"UPDATE agents SET embedded = 0 WHERE embedded + more > {beyond} AND number IN ({whose})", given)
