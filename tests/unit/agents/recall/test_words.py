from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.lexical import LexicalIndex
from agents.recall.searching import LONG_LIST, PostingList, Postings
from agents.recall.tables import Stemmer
from tests.examples import examples


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LexicalIndex]:
    index = LexicalIndex(tmp_path / "lexical.sqlite3")
    yield index
    index.close()


def entry(seq: int, text: str, actor: str | None = None) -> Entry:
    return Entry(seq, "2026-01-01T00:00:00.000Z", "heard", actor, None, text)


def words(index: LexicalIndex) -> list[str]:
    return [word for _, word in index.do(tables.words_after, 0, 1000)]


def test_every_word_is_kept_once_in_the_order_it_came(index: LexicalIndex) -> None:
    index.add({"#1": [entry(1, "The fox walks; the owl walked.", "Moss")]})
    assert words(index) == ["fox", "walks", "owl", "moss"]
    index.add({"#2": [entry(1, "A fox is walking to the Mill.")]})
    assert index.do(tables.words_after, 3, 1) == [(4, "moss")]
    assert index.do(tables.words_after, 4, 9) == [(5, "mill")]


def test_what_says_nothing_by_itself_is_no_word(index: LexicalIndex) -> None:
    index.add({"#1": [entry(1, f"He said 17 x b2 ½ ² {'a' * 500} of it")]})
    assert words(index) == []


def test_the_numbers_go_on_after_closing(index: LexicalIndex) -> None:
    index.add({"#1": [entry(1, "fox owl")]})
    index.close()
    index.add({"#1": [entry(2, "owl heron foxes")]})
    assert index.do(tables.words_after, 0, 9) == [(1, "fox"), (2, "owl"), (3, "heron")]


def test_words_of_an_index_that_was_lost_are_learned_again(index: LexicalIndex, tmp_path: Path) -> None:
    index.add({"#1": [entry(1, "fox owl")]})
    (tmp_path / "lexical.sqlite3").unlink()
    index.add({"#1": [entry(1, "owl")]})
    assert index.do(tables.words_after, 0, 9) == [(1, "owl")]


def test_only_what_is_one_word_has_a_stem() -> None:
    stemmer = Stemmer()
    try:
        assert stemmer.stems(["walking", "two words", "", "Éloïse", 'a"b', "ab\0cd", "ab\ud800"]) == {
            "walking": "walk",
            "Éloïse": "elois",
        }
    finally:
        stemmer.close()


@given(st.lists(st.text(max_size=12), max_size=8))
@settings(max_examples=examples(60), deadline=None)
def test_a_stem_hangs_on_nothing_but_the_word(texts: list[str]) -> None:
    together, alone = Stemmer(), Stemmer()
    try:
        stems = together.stems(texts)
        assert stems == {word: stem for text in texts for word, stem in alone.stems([text]).items()}
        assert together.stems(texts) == stems
    finally:
        together.close()
        alone.close()


# -- posting lists ----------------------------------------------------------------------------------------------------

ROWS = st.sets(st.integers(1, 6000), max_size=40)


@pytest.mark.parametrize(("max_bytes", "kept"), [(10_000, [1]), (1, [])])
def test_lists_of_the_one_whose_words_changed_are_read_anew_and_others_while_there_is_room_for_them_are_not(
    max_bytes: int, kept: list[int]
) -> None:
    db, postings = sqlite3.connect(":memory:"), Postings(max_bytes)
    db.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    for number in (1, 2):
        db.execute("INSERT INTO words (rowid, text) VALUES (?, 'fox')", (tables.span(number)[0] + 1,))

    def rows(number: int) -> list[int]:
        return list(postings.rows(db, "words", number, "fox", "fox", 1, 1).rows)

    assert [rows(1), rows(2)] == [[1], [1]]
    db.execute("DELETE FROM words")
    postings.forget("words", 1)
    assert [rows(1), rows(2)] == [[], kept]
    db.close()


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
