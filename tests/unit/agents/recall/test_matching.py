from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.recall.matching import Term, WeightedTerms, best, idf, shares_of
from agents.recall.postings import PostingList

LISTS = st.sets(st.integers(1, 60), max_size=40).map(sorted)
TERMS = st.tuples(st.floats(0.01, 9.0), LISTS)
ASKED = st.lists(st.lists(TERMS, max_size=3), min_size=1, max_size=4).map(
    lambda groups: WeightedTerms(
        tuple(tuple(Term(value, PostingList(rows)) for value, rows in group) for group in groups),
        sum(max((value for value, _ in group), default=1.0) for group in groups),
    )
)


def plain(asked: WeightedTerms) -> dict[int, float]:
    shares = {}
    for row in range(1, 61):
        parts = [max((term.value for term in group if row in term.rows.rows), default=0.0) for group in asked.groups]
        if sum(parts):
            shares[row] = sum(parts) / asked.whole
    return shares


@given(ASKED, st.integers(1, 70))
def test_the_best_are_those_of_a_plain_reckoning(asked: WeightedTerms, most: int) -> None:
    expected = plain(asked)
    found = best(asked, most)
    assert found == {row: pytest.approx(expected[row]) for row in found}
    values = sorted(expected.values(), reverse=True)[:most]
    assert list(found.values()) == pytest.approx(values)


@given(ASKED, st.integers(0, 80))
def test_with_any_budget_the_shares_are_right_and_whoever_has_a_short_list_is_there(
    asked: WeightedTerms, budget: int
) -> None:
    expected = plain(asked)
    found = best(asked, 60, budget)
    assert found == {row: pytest.approx(expected[row]) for row in found}
    left = budget
    for term in sorted((term for group in asked.groups for term in group), key=lambda term: -term.value):
        if len(term.rows) > left:
            break
        left -= len(term.rows)
        assert found.keys() >= set(term.rows.rows)


@given(ASKED, st.sets(st.integers(1, 99)))
def test_any_rows_can_be_asked_for(asked: WeightedTerms, rows: set[int]) -> None:
    expected = {row: share for row, share in plain(asked).items() if row in rows}
    assert shares_of(asked, list(rows)) == {row: pytest.approx(share) for row, share in expected.items()}


def test_the_younger_comes_first_among_equals() -> None:
    asked = WeightedTerms(((Term(2.0, PostingList([3, 5, 9])), Term(1.0, PostingList([5, 7]))),), 2.0)
    assert list(best(asked, 9).items()) == [(9, 1.0), (5, 1.0), (3, 1.0), (7, 0.5)]
    assert list(best(asked, 2)) == [9, 5]


@given(st.integers(0, 500), st.integers(0, 500))
def test_a_rarer_word_tells_more_and_none_tells_nothing(count: int, total: int) -> None:
    assert idf(count, total) > 0
    assert idf(count, total) >= idf(count + 1, total)
