from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.recall.words import LIST_OVERHEAD, LONG_LIST, PostingList, Postings

ROWS = st.sets(st.integers(1, 6000), max_size=40)


@given(ROWS, ROWS, ROWS)
def test_who_is_among_the_rows_is_told_rightly(rows: set[int], more: set[int], wanted: set[int]) -> None:
    rowlist = PostingList(sorted(rows))
    assert set(rowlist.among(list(wanted))) == rows & wanted
    later = {row + 6000 for row in more}
    rowlist.extend(sorted(later))
    asked = wanted | {row + 6000 for row in wanted}
    assert set(rowlist.among(list(asked))) == (rows | later) & asked


@given(st.integers(2, 7), st.sets(st.integers(1, 60_000), min_size=17, max_size=60))
def test_a_long_list_answers_the_same_while_it_grows(step: int, wanted: set[int]) -> None:
    rows = list(range(step, step * LONG_LIST * 2, step))
    rowlist = PostingList(rows)
    assert set(rowlist.among(list(wanted))) == set(rows) & wanted
    before = rowlist.size
    rowlist.extend(range(20_000, 50_000, 3))
    assert set(rowlist.among(list(wanted))) == {*rows, *range(20_000, 50_000, 3)} & wanted
    assert rowlist.size > before


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE words USING fts5(text, detail=none)")
        for number in (1, 2):
            rows = [(number << 32 | row, "fox owl" if row % number == 0 else "fox") for row in range(1, 9)]
            db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", rows)
        yield db


def read(postings: Postings, db: sqlite3.Connection, number: int, word: str, through: int, top: int) -> list[int]:
    return list(postings.rows(db, "words", number, word, word, through, top).rows)


@pytest.mark.parametrize("most", [0, 2 * LIST_OVERHEAD, 1_000_000])
def test_lists_are_the_same_whatever_was_let_go_of(db: sqlite3.Connection, most: int) -> None:
    postings = Postings(most)
    for _ in range(3):
        assert read(postings, db, 1, "fox", 8, 8) == list(range(1, 9))
        assert read(postings, db, 2, "owl", 8, 8) == [2, 4, 6, 8]
        assert read(postings, db, 2, "heron", 8, 8) == []


def test_a_list_is_read_on_from_where_it_stopped(db: sqlite3.Connection) -> None:
    postings = Postings()
    assert read(postings, db, 1, "fox", 3, 3) == [1, 2, 3]
    assert read(postings, db, 1, "fox", 5, 7) == [1, 2, 3, 4, 5, 6, 7]
    db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (1 << 32 | 9, "fox"))
    assert read(postings, db, 1, "fox", 9, 9) == list(range(1, 10))


def test_a_forgotten_list_is_read_anew(db: sqlite3.Connection) -> None:
    postings = Postings()
    for number in (1, 2):
        assert len(read(postings, db, number, "fox", 8, 8)) == 8
    db.execute("DELETE FROM words")
    postings.forget("words", 1)
    assert read(postings, db, 1, "fox", 8, 8) == []
    assert len(read(postings, db, 2, "fox", 8, 8)) == 8
    postings.clear()
    assert read(postings, db, 2, "fox", 8, 8) == []
