"""Names, numbers and sentences, found by rules."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.wording import (
    _sentences_of,
    capitals,
    content_words,
    flat,
    key,
    names,
    numbers,
    quoted,
    sentences,
    unquoted,
)


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
    assert key(word) == "petra"


def test_capitals_know_where_they_stand() -> None:
    found = {one.word: (one.opens, one.article) for one in capitals('The mill. He said, "Go to the Well, Petra."')}
    assert found == {
        "The": (True, False),
        "He": (True, False),
        "Go": (True, False),
        "Well": (False, True),
        "Petra": (False, False),
    }


def test_names_are_capitals_that_no_rule_explains() -> None:
    assert set(names("We met Ulric and O'Brien. Then Two more came to eBay.")) == {"ulric", "o'brien", "ebay"}


def test_a_quotation_is_not_split() -> None:
    text = 'I met Moss. He said, "Wait. I come." Then I left! Mr. Fox stayed.'
    assert sentences(text) == ["I met Moss.", 'He said, "Wait. I come."', "Then I left!", "Mr. Fox stayed."]


def test_a_title_does_not_end_a_sentence_and_a_word_that_ends_like_one_does() -> None:
    assert sentences("I met Dr. Fox. He came first. Then he left.") == [
        "I met Dr. Fox.",
        "He came first.",
        "Then he left.",
    ]


def test_a_text_is_made_flat_whatever_is_in_it() -> None:
    assert flat("  a  b ") == flat("a\x07b") == flat("a\n\tb") == "a b"


def test_quotations_are_taken_out() -> None:
    assert unquoted('He said, "I am Ada" and “I” went.') == 'He said, "" and "" went.'


def test_small_talk_words_tell_nothing() -> None:
    assert content_words("You see, I think the key lies under the stone.") == {"key", "lies", "stone"}


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    numbers(text)
    capitals(text)
    assert "".join(" ".join(sentences(text)).split()) == "".join(text.split())
    assert "\n" not in flat(text)


SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
TENS = "x x twenty thirty forty fifty sixty seventy eighty ninety"


@given(st.integers(2, 99))
def test_every_spoken_number_is_read(number: int) -> None:
    small = SMALL.split()
    tens = TENS.split()
    spoken = small[number] if number < 20 else f"{tens[number // 10]}-{small[number % 10]}".removesuffix("-zero")
    assert numbers(spoken) == {str(number)}


@pytest.mark.parametrize("mark", ["“", "«", '"'])
def test_many_marks_that_open_and_never_close_are_read_at_once(mark: str) -> None:
    text = f"{mark}hello " * 8001
    assert min(seconds_for(text) for _ in range(3)) < 0.5


def seconds_for(text: str) -> float:
    started = time.process_time()
    unquoted(text)
    _sentences_of.__wrapped__(text)  # not remembered from the time before
    return time.process_time() - started


def test_a_mark_that_opens_again_begins_anew() -> None:
    assert quoted("“one “two” «three «four»") == ["two", "four"]
