"""Numbers of several words are found however a text is cut into tokens."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from agents.compaction.judge.numbers import numbers_of
from agents.compaction.judge.reading import JudgedTexts

WORDS = (
    *(
        "one",
        "two",
        "Twenty",
        "twenty-three",
        "hundred",
        "thousand",
        "and",
        "a",
        "dozen",
        "third,",
        "12",
        "1,200",
        "7.",
    ),
    *("(forty", "two-storey", "-", "—", "Two's", "house.", "Ada", "Ada,", "promise", '"never', "go!", "½", "don't"),
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join) | st.text(max_size=60)


@given(TEXTS)
def test_the_numbers_of_a_text_are_those_of_its_runs_of_counting_words(text: str) -> None:
    assume("one" not in text.casefold())  # alone it counts nothing, and saves reading for numbers in words
    composed = JudgedTexts([text]).texts[0]
    assert JudgedTexts([text]).numbers == numbers_of(composed)
