from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.text.repetition import LOOKBACK, THRESHOLD, RepetitionRate, repeats, similarity, words_of


def test_the_similarity_is_the_share_of_common_words() -> None:
    assert similarity("the moss grows", "the moss sleeps") == pytest.approx(0.5)


def test_case_and_marks_do_not_count() -> None:
    assert similarity("Hello, Moss!", "hello moss") == 1
    assert words_of("Don’t") == words_of("don't")


def test_a_line_with_one_word_more_repeats_and_a_new_one_does_not() -> None:
    said = ["The roses open in the morning sun"]
    assert repeats("The roses open in the bright morning sun", said) == said[0]
    assert repeats("Have you seen the pond at night?", said) is None


def test_lines_without_words_are_alike_only_when_they_are_the_same() -> None:
    assert similarity("...", "...") == 1
    assert similarity("...", "?!") == 0
    assert similarity("...", "word") == 0


def test_the_first_line_that_is_repeated_is_told() -> None:
    assert repeats("yes", ["no", "Yes.", "yes"]) == "Yes."


@given(st.text(max_size=80), st.text(max_size=80))
def test_similarity_is_mutual_and_between_nothing_and_all(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, one) == 1


def test_the_rate_is_the_share_of_lines_that_repeat_one_of_their_speakers_own() -> None:
    rate = RepetitionRate()
    assert rate.rate == 0
    told = [rate.add(who, words) for who, words in (("Eliza", "A heron!"), ("Moss", "a heron"), ("Eliza", "A heron."))]
    assert told == [False, False, True]
    assert (rate.lines, rate.repeated) == (3, 1)
    assert rate.rate == pytest.approx(1 / 3)


def test_a_line_older_than_the_last_twenty_is_forgotten() -> None:
    rate = RepetitionRate()
    rate.add("Eliza", "A heron!")
    for number in range(LOOKBACK):
        rate.add("Eliza", f"word{number}")
    assert not rate.add("Eliza", "A heron!")


@given(st.lists(st.text(alphabet="ab c!", max_size=8), max_size=30))
def test_the_rate_counts_what_the_similarity_says(lines: list[str]) -> None:
    rate = RepetitionRate()
    for at, line in enumerate(lines):
        again = any(similarity(line, other) >= THRESHOLD for other in lines[max(0, at - LOOKBACK) : at])
        assert rate.add("Eliza", line) is again
