"""Several quotations in one sentence come apart again as they were, and inner ones keep their marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.text.english import sentences
from agents.text.quotations import apart, missing_marks, promises_joined, sayings, together

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
    for text in (LAMP, 'He called it "the mill" and "the house" at once.', "I ate; Moss slept."):
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
