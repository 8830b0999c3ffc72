"""Stems, the vocabulary of all agents, and posting lists. Used in the index's thread only.

SQLite's own tokenizer makes the stems, so that they match the index. Memories are only appended, so a cached posting
list is extended instead of read again; those of 100,000 memories take 4 MB.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from itertools import compress
from operator import itemgetter

from agents.recall.documents import clean
from agents.recall.question import is_content_word, words_of

TOKENIZER = "porter unicode61 remove_diacritics 2"
MAX_KNOWN_WORDS = 200_000
"""Words cached in RAM, some 20 MB; then the cache is emptied."""
MAX_KNOWN_TEXTS = 4096
"""Texts cached, because several agents perceive the same."""
MAX_WORD_LENGTH = 40
MAX_POSTINGS_BYTES = 16_000_000
LIST_OVERHEAD = 400
CHUNK = 50_000
"""Rows converted at once; this holds the interpreter lock for some milliseconds."""
FEW_LOOKUPS = 16
"""Up to this number of lookups, no table is built for a long list."""
LONG_LIST = 1000
"""Minimum rows of a list for which a table is worth building."""

VOCABULARY_SCHEMA = """
    CREATE TABLE vocabulary (number INTEGER PRIMARY KEY, word TEXT NOT NULL, stem TEXT NOT NULL UNIQUE);
"""


class Stemmer:
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


def span(number: int) -> tuple[int, int]:
    """Return the first and the last possible row id of an agent."""
    return number << 32, number << 32 | 0xFFFFFFFF


class PostingList:
    """Ascending row numbers (at least 1) with a fast membership test."""

    def __init__(self, rows: Sequence[int] = ()) -> None:
        self.rows = array("I", rows)
        self._table = bytearray()

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def size(self) -> int:
        return LIST_OVERHEAD + 4 * len(self.rows) + len(self._table)

    def extend(self, rows: Sequence[int]) -> None:
        self.rows.extend(rows)
        if self._table:
            self._mark(rows)

    def among(self, wanted: Sequence[int]) -> Collection[int]:
        rows = self.rows
        if not rows or not wanted:
            return ()
        if len(wanted) > FEW_LOOKUPS and len(rows) >= LONG_LIST and len(rows) > len(wanted):
            return self._by_table(wanted)
        if len(rows) <= 8 * len(wanted):
            return set(wanted).intersection(rows)
        end = len(rows)
        return [row for row in wanted if (place := bisect_left(rows, row)) < end and rows[place] == row]

    def _by_table(self, wanted: Sequence[int]) -> Collection[int]:
        if not self._table:
            self._mark(self.rows)
        try:
            # One call for all: a twentieth of a microsecond each.
            return list(compress(wanted, itemgetter(*wanted)(self._table)))
        except IndexError:
            return [row for row in wanted if row < len(self._table) and self._table[row]]

    def _mark(self, rows: Sequence[int]) -> None:
        table = self._table
        if rows and rows[-1] >= len(table):
            # With room for later memories.
            table.extend(bytes(rows[-1] * 9 // 8 + 64 - len(table)))
        for row in rows:
            table[row] = 1


class Postings:
    def __init__(self, max_bytes: int = MAX_POSTINGS_BYTES) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._lists: OrderedDict[tuple[str, int, str], tuple[int, PostingList, int]] = OrderedDict()

    def rows(
        self, db: sqlite3.Connection, table: str, number: int, stem: str, word: str, through: int, top: int
    ) -> PostingList:
        """Return the rows of an agent that contain a word, as lower halves of row ids.

        Rows up to `through` never change and are cached; `top` is the last row.
        """
        key = (table, number, stem)
        upto, rows, before = self._lists.pop(key, (0, PostingList(), 0))
        if upto < through:
            _read(db, table, number, word, upto + 1, through, rows)
        self._lists[key] = (through, rows, rows.size)
        self._size += rows.size - before
        while self._size > self._max_bytes:
            self._size -= self._lists.popitem(last=False)[1][2]
        if through < top:
            rows = PostingList(rows.rows)
            _read(db, table, number, word, through + 1, top, rows)
        return rows

    def forget(self, table: str, number: int) -> None:
        for key in [key for key in self._lists if key[:2] == (table, number)]:
            self._size -= self._lists.pop(key)[2]

    def clear(self) -> None:
        self._lists.clear()
        self._size = 0


def _read(db: sqlite3.Connection, table: str, number: int, word: str, first: int, last: int, into: PostingList) -> None:
    """Append the rows from `first` to `last`; joined as text, which is three times as fast as Python objects."""
    low, _ = span(number)
    quoted = '"' + word.replace('"', '""') + '"'
    while True:
        found, end, text = db.execute(
            f"SELECT count(*), max(row), group_concat(row) FROM (SELECT rowid & 0xFFFFFFFF AS row FROM {table} "
            f"WHERE {table} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT {CHUNK})",
            (quoted, low | first, low | last),
        ).fetchone()
        if found:
            into.extend(json.loads(f"[{text}]"))
        if found < CHUNK:
            return
        first = end + 1
