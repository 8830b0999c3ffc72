"""One pass over texts, and how words are compared."""

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
