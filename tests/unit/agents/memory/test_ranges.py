"""Ranges: what is missing, and several as few."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import merged, missing

NUMBERS = st.sets(st.integers(3, 30))


@given(NUMBERS)
def test_what_is_there_and_what_is_missing_make_the_whole(numbers: set[int]) -> None:
    gaps = missing(sorted(numbers), 3, 30)
    lost = [number for first, last in gaps for number in range(first, last + 1)]
    assert sorted([*numbers, *lost]) == list(range(3, 31))
    assert merged(gaps) == gaps


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 5))))
def test_merged_ranges_hold_the_same_numbers_and_lie_apart(pairs: list[tuple[int, int]]) -> None:
    ranges = [(first, first + more) for first, more in pairs]
    found = merged(ranges)
    assert {n for a, b in found for n in range(a, b + 1)} == {n for a, b in ranges for n in range(a, b + 1)}
    assert all(later[0] > earlier[1] + 1 for earlier, later in pairwise(found))
