"""Names, numbers and sentences, found by rules."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.text.english import all_words, content_words, flat, names, numbers, quoted, sentences, unquoted


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("three coins", {"3"}),
        ("twenty-three coins and 23 more", {"23"}),
        ("two hundred and five steps", {"205"}),
        ("a hundred steps", {"100"}),
        ("1,000 pennies", {"1000"}),
        ("seven thousand nine hundred and seventy", {"7970"}),
        ("the code 0042", {"0042"}),
        ("at 7:30", {"7", "30"}),
        ("the third step", {"3"}),
        ("one of them, the one I know", set()),
        ("one hundred", {"100"}),
        ("two or three", {"2", "3"}),
        ("two, three", {"2", "3"}),
        ("3.5 miles", {"3.5"}),
        ("٤٢ dates", {"42"}),
        ("nobody", set()),
    ],
)
def test_numbers_in_digits_and_words_are_one(text: str, found: set[str]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize("word", ["Petra's", "Petra’s", "PETRA", "petra"])
def test_a_word_is_compared_without_case_and_possessive(word: str) -> None:
    assert all_words(word) == {"petra"}


def test_names_are_capitals_that_no_rule_explains() -> None:
    text = 'The mill. He said, "Go, Petra." We met Ulric and O\'Brien. Then Two more came to eBay.'
    assert names(text) == {"petra": "Petra", "ulric": "Ulric", "o'brien": "O'Brien", "ebay": "eBay"}


def test_a_quotation_is_not_split() -> None:
    text = 'I met Moss. He said, "Wait. I come." Then I left! Mr. Fox stayed.'
    assert sentences(text) == ["I met Moss.", 'He said, "Wait. I come."', "Then I left!", "Mr. Fox stayed."]


def test_a_text_is_made_flat_whatever_is_in_it() -> None:
    assert flat("  a  b ") == flat("a\x07b") == flat("a\n\tb") == "a b"


def test_quotations_are_taken_out() -> None:
    assert unquoted('He said, "I am Ada" and “I” went.') == 'He said, "" and "" went.'
    assert quoted("“one “two” «three «four»") == ["two", "four"]


def test_small_talk_words_tell_nothing() -> None:
    assert content_words("You see, I think the key lies under the stone.") == {"key", "lies", "stone"}


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    numbers(text)
    names(text)
    assert "".join(" ".join(sentences(text)).split()) == "".join(text.split())
    assert "\n" not in flat(text)


@pytest.mark.parametrize("mark", ["“", "«", '"'])
def test_many_marks_that_open_and_never_close_are_read_at_once(mark: str) -> None:
    text = f"{mark}hello " * 8001
    started = time.process_time()
    unquoted(text)
    sentences(text)
    assert time.process_time() - started < 1.5
