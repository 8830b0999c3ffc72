from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.llm.tokens import estimate


def test_nothing_takes_no_token() -> None:
    assert estimate("") == 0


@given(st.text())
def test_the_estimate_is_between_a_third_of_the_bytes_and_all_of_them_with_one_more_a_word(text: str) -> None:
    size = len(text.encode())
    assert size / 3 <= estimate(text) <= size + len(text.split())


@given(st.text(), st.text())
def test_more_text_never_takes_fewer_tokens(text: str, more: str) -> None:
    assert estimate(text + more) >= estimate(text)


def test_half_a_surrogate_pair_is_counted_too() -> None:
    assert estimate("\ud800") > 0
