"""How the judge reads words, names and numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.judge.reading import JudgedTexts, capitals_of, keys_of, neighbours_of, normalize


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Moss", "moss"),
        ("Moss's", "moss"),
        ("Moss’", "moss"),
        ("I'll", "i"),
        ("don't", "do"),
        ("O'Brien", "o'brien"),
        ("STRASSE", "strasse"),
    ],
)
def test_words_are_compared_without_case_possessive_and_contraction(written: str, key: str) -> None:
    assert normalize(written) == key


def test_names_are_capitals_that_no_rule_of_sentences_explains() -> None:
    read = JudgedTexts(['Moss says, "Petra went to Greywater. Nobody knows why, Old Pike says."', "Then Ada sat."])
    assert read.names == {"greywater": "Greywater", "ada": "Ada", "pike": "Pike", "old": "Old"}
    assert {"moss", "petra", "nobody", "then"} <= read.capitals
    assert {"moss", "petra", "why", "sat"} <= read.words


def test_what_opens_a_sentence_or_follows_an_article_is_told_apart() -> None:
    found = {one.word: (one.opens, one.article) for one in capitals_of('Rain fell. "Yes," said Moss at the Mill.')}
    assert found == {"Rain": (True, False), "Yes": (True, False), "Moss": (False, False), "Mill": (False, True)}


def test_names_side_by_side_make_a_row() -> None:
    assert [row for row in neighbours_of("I met Old Pike and Moss's Aunt Ada.") if row] == [
        ["old", "pike"],
        ["moss"],
        ["aunt", "ada"],
    ]


@pytest.mark.parametrize(
    ("text", "pledges", "cue"),
    [
        ("The rain fell.", False, False),
        ('Moss says, "I promise."', True, True),
        ("", False, False),
        ("Bring me bread.", False, True),
    ],
)
def test_a_line_tells_whether_it_may_promise_or_instruct(text: str, pledges: bool, cue: bool) -> None:
    read = JudgedTexts([text])
    assert (read.may_promise, read.may_instruct) == (pledges, cue)


TEXTS = st.lists(st.text(max_size=60), max_size=5)


@given(TEXTS)
def test_any_text_can_be_read_and_its_words_are_those_of_a_slow_reader(texts: list[str]) -> None:
    read = JudgedTexts(texts)
    slow = {key for text in texts for piece in text.split() for key in keys_of(piece)}
    assert read.words == slow
    assert read.names.keys() <= read.capitals <= read.words
    assert read.numbers is not None
    assert read.scripts is not None


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
