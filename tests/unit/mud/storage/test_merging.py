from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.storage.merging import merge

BASE = "a\nb\nc\nd\ne\n"


def test_changes_of_different_lines_come_together() -> None:
    assert merge(BASE, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n") == "A\nb\nc\nd\nE\n"
    assert merge(BASE, "b\nc\nd\ne\n", BASE + "f\n") == "b\nc\nd\ne\nf\n"


@pytest.mark.parametrize(("one", "other"), [("a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n"), ("a\ne\n", "a\nb\nC\nd\ne\n")])
def test_changes_of_the_same_lines_are_left_to_people(one: str, other: str) -> None:
    assert merge(BASE, one, other) is None


def test_the_same_change_is_made_once() -> None:
    assert merge(BASE, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\nE\n") == "a\nX\nc\nd\nE\n"


TEXT = st.lists(st.sampled_from("abcd"), max_size=6).map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(TEXT, TEXT)
def test_one_change_alone_is_that_change(base: str, one: str) -> None:
    assert merge(base, one, base) == merge(base, base, one) == merge(base, one, one) == one


@given(TEXT, TEXT, TEXT)
def test_it_does_not_matter_which_change_comes_first(base: str, one: str, other: str) -> None:
    assert merge(base, one, other) == merge(base, other, one)
