"""Row lists: which memories or documents of one agent have a word. Read from the index, kept in RAM while asked for.

A life only grows at its end, so a list that was read once is read on from where it stopped. The lists of a long life of
100,000 memories are some 4 MB altogether. Used in the index's thread only.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import bisect_left
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Sequence
from itertools import compress
from operator import itemgetter

MOST_BYTES = 16_000_000
"""What all lists may take in RAM."""
OVERHEAD = 400
"""Bytes that a list takes besides its rows."""
CHUNK = 50_000
"""Rows turned into numbers at once: the world's thread waits for that, some milliseconds."""
FEW = 16
"""Rows that are looked up singly sooner than a table of a long list is made."""
LONG = 1000
"""Rows of a list of which a table is worth making."""

Key = tuple[str, int, str]


def span(number: int) -> tuple[int, int]:
    """Return the first and the last row id that an agent of this number can have."""
    return number << 32, number << 32 | 0xFFFFFFFF


class PostingList:
    """Rows in ascending order, and a quick way to tell which of others are among them.

    Args:
        rows: the rows, at least 1.
    """

    def __init__(self, rows: Sequence[int] = ()) -> None:
        self.rows = array("I", rows)
        self._table = bytearray()

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return OVERHEAD + 4 * len(self.rows) + len(self._table)

    def extend(self, rows: Sequence[int]) -> None:
        """Add rows that come after all that are there."""
        self.rows.extend(rows)
        if self._table:
            self._mark(rows)

    def among(self, wanted: Sequence[int]) -> Collection[int]:
        """Return those of `wanted` that are rows of this list."""
        rows = self.rows
        if not rows or not wanted:
            return ()
        if len(wanted) > FEW and len(rows) >= LONG and len(rows) > len(wanted):
            return self._by_table(wanted)
        if len(rows) <= 8 * len(wanted):
            return set(wanted).intersection(rows)
        end = len(rows)
        return [row for row in wanted if (place := bisect_left(rows, row)) < end and rows[place] == row]

    def _by_table(self, wanted: Sequence[int]) -> Collection[int]:
        if not self._table:
            self._mark(self.rows)
        try:
            # One call for all of them: a twentieth of a microsecond each.
            return list(compress(wanted, itemgetter(*wanted)(self._table)))
        except IndexError:
            return [row for row in wanted if row < len(self._table) and self._table[row]]

    def _mark(self, rows: Sequence[int]) -> None:
        table = self._table
        if rows and rows[-1] >= len(table):
            # With room for what is lived next.
            table.extend(bytes(rows[-1] * 9 // 8 + 64 - len(table)))
        for row in rows:
            table[row] = 1


class Postings:
    """Row lists of all agents.

    Args:
        most: bytes that they may take in RAM.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._size = 0
        self._lists: OrderedDict[Key, tuple[int, PostingList, int]] = OrderedDict()
        self._stems: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
        """The stems of which there are lists, by table and agent."""

    def rows(
        self, db: sqlite3.Connection, table: str, number: int, stem: str, word: str, through: int, top: int
    ) -> PostingList:
        """Return what of an agent has a word, by the lower halves of the row ids.

        Args:
            db: the index.
            table: the FTS table.
            number: the agent's number.
            stem, word: the word's stem, and the word, which is exactly one for the index.
            through: up to which row nothing will ever come in between; that far the list is kept.
            top: the last row there is.
        """
        key = (table, number, stem)
        upto, rows, before = self._lists.pop(key, (0, PostingList(), 0))
        if upto < through:
            _read(db, table, number, word, upto + 1, through, rows)
        self._lists[key] = (through, rows, rows.size)
        self._stems[table, number].add(stem)
        self._size += rows.size - before
        while self._size > self._most:
            (other, whose, oldest), (_, _, size) = self._lists.popitem(last=False)
            self._stems[other, whose].discard(oldest)
            self._size -= size
        if through < top:
            rows = PostingList(rows.rows)
            _read(db, table, number, word, through + 1, top, rows)
        return rows

    def forget(self, table: str, number: int) -> None:
        """Read the lists of an agent in this table anew."""
        for stem in self._stems.pop((table, number), ()):
            self._size -= self._lists.pop((table, number, stem), (0, None, 0))[2]

    def clear(self) -> None:
        """Read everything anew."""
        self._lists.clear()
        self._stems.clear()
        self._size = 0


def _read(db: sqlite3.Connection, table: str, number: int, word: str, first: int, last: int, into: PostingList) -> None:
    """Append the rows from `first` to `last`; as one text, because a Python object for each takes thrice as long."""
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
