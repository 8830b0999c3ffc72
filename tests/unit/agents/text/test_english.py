"""Sentences, quotations and repetition, found by rules."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.text.english import (
    LOOKBACK,
    THRESHOLD,
    RepetitionRate,
    apart,
    flat,
    missing_marks,
    promises_joined,
    quoted,
    repeats,
    sayings,
    sentences,
    similarity,
    together,
    unquoted,
    words_of,
)


def test_a_quotation_is_not_split() -> None:
    text = 'I met Moss. He said, "Wait. I come." Then I left! Mr. Fox stayed.'
    assert sentences(text) == ["I met Moss.", 'He said, "Wait. I come."', "Then I left!", "Mr. Fox stayed."]


def test_a_text_is_made_flat_whatever_is_in_it() -> None:
    assert flat("  a  b ") == flat("a\x07b") == flat("a\n\tb") == "a b"


def test_quotations_are_taken_out() -> None:
    assert unquoted('He said, "I am Ada" and “I” went.') == 'He said, "" and "" went.'
    assert quoted("“one “two” «three «four»") == ["two", "four"]


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert "".join(" ".join(sentences(text)).split()) == "".join(text.split())
    assert "\n" not in flat(text)


@pytest.mark.parametrize("mark", ["“", "«", '"'])
def test_many_marks_that_open_and_never_close_are_read_at_once(mark: str) -> None:
    text = f"{mark}hello " * 8001
    started = time.process_time()
    unquoted(text)
    sentences(text)
    assert time.process_time() - started < 1.5


BEES = 'Ada said, "I keep bees."'
LISBON = 'Ada said, "I came from Lisbon."'
BRIDGE = 'Moss said, "Run! The bridge is closed!"'
FLOOD = 'More than once Petra said, "The flood came in 1764."'
LAMP = "I took the lamp."


def test_what_one_person_said_in_a_row_is_put_together_first() -> None:
    told = [BRIDGE, FLOOD, BEES, LISBON]
    assert together(told, 4) == told
    assert together(told, 3) == [BRIDGE, FLOOD, 'Ada said, "I keep bees" and "I came from Lisbon."']


def test_quotations_share_a_sentence_only_where_there_may_be_few() -> None:
    told = [BEES, BRIDGE, LAMP, FLOOD, LISBON]
    assert together(told, 5) == told
    assert together(told, 3) == [
        'Ada said, "I keep bees"; Moss said, "Run! The bridge is closed!"',
        LAMP,
        'More than once Petra said, "The flood came in 1764"; Ada said, "I came from Lisbon."',
    ]
    assert together([BEES, FLOOD], 1) == [
        'Ada said, "I keep bees"; more than once Petra said, "The flood came in 1764."'
    ]


def test_what_is_no_quotation_keeps_a_sentence_of_its_own() -> None:
    assert together([LAMP, BEES, LAMP], 1) == [LAMP, BEES, LAMP]


def test_what_one_person_promised_is_one_sentence_where_the_first_promise_stood() -> None:
    jar, rent, oath = 'I promised, "I will bring it."', 'I promised, "I will pay."', 'Ada promised, "I will stay."'
    told = promises_joined([LAMP, jar, BEES, oath, rent])
    assert told == [LAMP, 'I promised, "I will bring it" and "I will pay."', BEES, oath]
    assert [one for text in told for one in apart(text)] == [LAMP, jar, rent, BEES, oath]
    assert promises_joined([BEES, LAMP, LISBON]) == [BEES, LAMP, LISBON]


def test_a_sentence_that_only_looks_like_one_is_left_as_it_is() -> None:
    for text in (LAMP, 'I said, "; the".', 'He called it "the mill" and "the house" at once.', "I ate; Moss slept."):
        assert apart(text) == [text]


SAID = st.lists(st.sampled_from(["the", "mill", "7", "burned", "'down'", "林", "and", "I;"]), min_size=1, max_size=6)
LINES = st.lists(
    st.builds(
        lambda who, said, end: f'{who}, "{" ".join(said)}{end}"',
        st.sampled_from(["Ada said", "Moss said", "I promised", "Ada whispered to me", "Again and again Petra said"]),
        SAID,
        st.sampled_from(".!?"),
    ),
    min_size=1,
    max_size=7,
)


@given(LINES, st.integers(1, 7))
def test_whatever_is_put_together_comes_apart_without_loss(lines: list[str], most: int) -> None:
    told = together(lines, most)
    assert len(told) <= most
    assert len(sentences(" ".join(told))) == len(told)
    assert [one for text in told for one in apart(text)] == lines


def test_a_speech_comes_apart_into_sentences_of_whoever_made_it_and_nothing_else_does() -> None:
    assert sayings('Moss said, "It rained. Was it cold? Mr. Ash knew."') == [
        'Moss said, "It rained."',
        'Moss said, "Was it cold?"',
        'Moss said, "Mr. Ash knew."',
    ]
    for other in ("It rained. I slept.", 'Moss said, "A." and "B."', 'A sign reads "Shut. Go."'):
        assert sayings(other) == [other]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("He said: 'A. B.' C.", ["+'", "'+", "+"]),
        ("He said: 'A. B. C.'", ["+'", "'+'", "'+"]),
        ("I like rock 'n' roll. And 'em too. The '90s were good.", ["+", "+", "+"]),
        ("It's Moss' hat. It is the dogs' day.", ["+", "+"]),
        ("He calls it 'the mill' and goes. It's old. 'Come,' he says. Well.", ["+"] * 4),
        ("He calls them 'the mills' and goes. It's old.", ["+", "+"]),
        ("An end is missing: 'A. B.", ["+", "+"]),
    ],
)
def test_the_marks_that_a_sentence_lacks_by_itself(text: str, marks: list[str]) -> None:
    assert ["+".join(one) for one in missing_marks(text, sentences(text))] == marks


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
