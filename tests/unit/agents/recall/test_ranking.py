from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import Entry
from agents.recall.documents import IndexedDocument
from agents.recall.ranking import MOST_WORDS, Found, lent, neighbours_of, rank, telling_words
from agents.recall.settings import RecallSettings
from mud.clock import iso

NOW = datetime(2026, 6, 1, tzinfo=UTC)
FLAT = RecallSettings(recency=0.0, importance=0.0, neighbours=0.0)


def entry(seq: int, text: str = "", at: datetime = NOW, importance: int = 3) -> Entry:
    return Entry(seq, iso(at), "heard", "Moss", "The Library", text or f"line {seq}", importance=importance)


def found(shares: dict[int, float], entries: list[Entry]) -> Found:
    return Found(shares, {one.seq: one for one in entries})


def test_the_words_that_every_question_has_are_left_out() -> None:
    assert telling_words("Where did you tell me that the Brass Key is?") == ["brass", "key"]
    assert telling_words("Wo ist der Schlüssel, Éloïse?") == ["wo", "ist", "der", "schlüssel", "éloïse"]


def test_a_question_of_common_words_alone_keeps_them() -> None:
    assert telling_words("Who are you?") == ["who", "are", "you"]
    assert telling_words("?!") == []


@given(st.text(max_size=3000))
def test_words_are_few_lower_case_and_each_once(text: str) -> None:
    words = telling_words(text)
    assert len(words) <= MOST_WORDS
    assert len(set(words)) == len(words)
    assert all(word.isalnum() and '"' not in word for word in words)


def test_neighbours_of_the_first_memory_begin_with_it() -> None:
    assert neighbours_of([1, 9]) == {1, 2, 3, 7, 8, 9, 10, 11}


def test_a_memory_lends_to_the_two_on_either_side() -> None:
    assert lent({10: 1.0}, 0.5) == {8: 0.25, 9: 0.5, 10: 1.0, 11: 0.5, 12: 0.25}


def test_the_answer_in_the_next_line_is_found() -> None:
    entries = [entry(1), entry(2, "Where is the key?"), entry(3, "Under the pot."), entry(4), entry(5)]
    hits = rank(found({2: 1.0}, entries), 2, NOW, replace(FLAT, neighbours=0.5))
    assert [hit.text for hit in hits] == ["Where is the key?", "Under the pot."]
    assert rank(found({2: 1.0}, entries), 5, NOW, FLAT) == hits[:1]


def test_the_younger_memory_is_raised_gently() -> None:
    old, young = entry(1, at=NOW - timedelta(days=7)), entry(2)
    weights = replace(FLAT, recency=0.2, recency_half_life=7.0)
    first, second = rank(found({1: 1.0, 2: 1.0}, [old, young]), 2, NOW, weights)
    assert (first.seq, first.recency, second.recency) == (2, 1.0, 0.5)
    assert (round(first.score, 9), round(second.score, 9)) == (1.2, 1.1)
    longer = rank(found({1: 1.0}, [old]), 1, NOW, replace(weights, recency_half_life=14.0))
    assert longer[0].score > second.score
    assert rank(found({1: 1.3, 2: 1.0}, [old, young]), 2, NOW, weights)[0].seq == 1


def test_the_more_important_memory_is_raised_gently() -> None:
    entries = [entry(1, importance=10), entry(2, importance=1)]
    first, second = rank(found({1: 1.0, 2: 1.0}, entries), 2, NOW, replace(FLAT, importance=0.2))
    assert (first.seq, first.importance, second.importance) == (1, 1.0, 0.0)
    assert (round(first.score, 9), second.score) == (1.2, 1.0)


def test_a_time_that_cannot_be_read_raises_nothing() -> None:
    (hit,) = rank(found({1: 1.0}, [replace(entry(1), at="long ago")]), 1, NOW, replace(FLAT, recency=0.2))
    assert (hit.recency, hit.score) == (None, 1.0)


def test_of_memories_with_the_same_text_only_the_best_is_shown() -> None:
    entries = [entry(1, "Silas yawns."), entry(2, "Silas yawns."), entry(3, "The bell rings.")]
    hits = rank(found({1: 0.5, 2: 0.9, 3: 0.7}, entries), 9, NOW, FLAT)
    assert [hit.seq for hit in hits] == [2, 3]


def test_words_and_vector_of_a_document_are_weighed() -> None:
    note = IndexedDocument("notes/a", "note", "The key.", "Key", timestamp=iso(NOW))
    (hit,) = rank(Found({}, {}, ((note, 0.4, 0.8),)), 1, NOW, replace(FLAT, vector_weight=0.75))
    assert (round(hit.score, 9), hit.lexical, hit.vector, hit.title, hit.seq) == (0.7, 0.4, 0.8, "Key", None)
    (hit,) = rank(Found({}, {}, ((note, 0.4, 0.8),)), 1, NOW, replace(FLAT, vector_weight=0.0))
    assert hit.score == 0.4


def test_without_its_vector_a_document_counts_by_its_words() -> None:
    note = IndexedDocument("notes/a", "note", "The key.", "Key", timestamp="")
    (hit,) = rank(Found({}, {}, ((note, 0.4, None),)), 1, NOW, FLAT)
    assert (hit.score, hit.vector) == (0.4, None)


def test_a_document_that_the_vectors_passed_over_counts_as_the_least_they_found() -> None:
    note = IndexedDocument("notes/a", "note", "The key.", "Key", timestamp="")
    (hit,) = rank(Found({}, {}, ((note, 0.4, None),), floor=0.2), 1, NOW, replace(FLAT, vector_weight=0.5))
    assert (round(hit.score, 9), hit.vector) == (0.3, None)


def test_two_notes_that_say_the_same_are_two() -> None:
    notes = tuple((IndexedDocument(f"notes/{name}", "note", "Same.", name), 1.0, None) for name in "ab")
    assert [hit.title for hit in rank(Found({}, {}, notes), 9, NOW, FLAT)] == ["a", "b"]


@given(
    st.dictionaries(st.integers(1, 40), st.floats(0.001, 2.0), max_size=12),
    st.integers(-1, 30),
)
def test_hits_are_sorted_cut_and_do_not_hang_on_the_order_found(shares: dict[int, float], k: int) -> None:
    entries = [entry(seq) for seq in sorted(neighbours_of(list(shares)))]
    hits = rank(found(shares, entries), k, NOW, RecallSettings())
    assert len(hits) <= max(0, k)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    turned = found(dict(reversed(shares.items())), entries[::-1])
    assert [hit.seq for hit in rank(turned, k, NOW, RecallSettings())] == [hit.seq for hit in hits]
