"""Numbers as the judge reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.judge.reading import JudgedTexts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("two coins, the second of them twice", {"2"}),
        ("twenty-three ropes and 23 nails", {"23"}),
        ("two thousand five hundred and six", {"2506"}),
        ("one hundred and five thousand", {"105000"}),
        ("a dozen eggs", {"12"}),
        ("nineteen eighty-four", {"19", "84"}),
        ("one two three", {"1", "2", "3"}),
        ("three million two", {"3000002"}),
        ("hundreds of them, a thousand", {"100", "1000"}),
        ("two thirds of it", {"2", "3"}),
        ("1,200 at 12:30 for 3.5 in 0417", {"1200", "12", "30", "3.5", "0417"}),
        ("the 3rd and the 21st", {"3", "21"}),
        ("one of them", set()),
        ("a second ago some seconds passed", {"2"}),
        ("٣ keys, ½ a loaf", {"3", "½"}),
        ("nobody counts", set()),
    ],
)
def test_numbers_are_found_in_figures_and_in_words(text: str, found: set[str]) -> None:
    assert JudgedTexts([text]).numbers == found


SMALL = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def in_words(number: int) -> str:
    if number < 20:
        return SMALL.split()[number]
    if number < 100:
        return TENS.split()[number // 10 - 2] + (f"-{SMALL.split()[number % 10]}" if number % 10 else "")
    for scale, word in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= scale:
            rest = f" and {in_words(number % scale)}" if number % scale else ""
            return f"{in_words(number // scale)} {word}{rest}"
    raise AssertionError(number)


@given(st.integers(2, 999_999_999))
def test_every_number_in_words_is_the_same_in_figures(number: int) -> None:
    assert JudgedTexts([f"there were {in_words(number)} of them"]).numbers == {str(number)}
