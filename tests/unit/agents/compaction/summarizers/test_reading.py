"""What the summarizer's own rules find in a statement, and that facts are worth more than small talk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.summarizers._choice import SMALL
from agents.compaction.summarizers._reading import StatementContent, read, spoken

FACTS = (
    "I taught you to read the tide tables when you first came to the harbour.",
    "You swore to return the copper lamp to Harlan before the thaw.",
    "My sister Ines vanished in the storm; if you hear of her, tell me.",
    "Whatever happens, I am on your side, here at the Smithy as anywhere.",
    "The ferryman will not carry red cloth since his son drowned.",
    "I was a drummer in the southern army before I baked bread.",
    "The lighthouse was lit first in 1764.",
    "I decided to leave for the coast at the end of the month.",
    "The spare key is kept under the blue jug.",
    "Do not forget: the grey mare must be back with Joss by the full moon.",
)
SMALL_TALK = (
    "The fish is fresh today.",
    "Well, my back hurts again.",
    "You see, the gulls are early at the Old Quay.",
    "What a long day it has been.",
    "You are late this morning.",
    "Harlan was at the Smithy with a copper lamp, I believe.",
    "So they say, the roads are muddy at Saint Martin.",
    "Have you seen the market?",
    "Wow, that is so cool, thank you!",
    "I 100% agree, Mel.",
    "<3",
)


@pytest.mark.parametrize("text", FACTS)
def test_a_fact_is_worth_more_than_small_talk(text: str) -> None:
    assert read(text).worth > SMALL


@pytest.mark.parametrize("text", SMALL_TALK)
def test_small_talk_is_worth_little(text: str) -> None:
    assert read(text).worth <= SMALL


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I promise it.", {"promise"}),
        ("I will carry it to Moss.", {"promise", "binds"}),
        ("If the thaw comes I will carry it to Moss.", {"promise", "binds"}),
        ("You know I will carry it to Moss.", {"promise", "binds"}),
        ("Thank you, I will carry it to Moss.", {"promise"}),
        ("There are bridges I will not cross.", set()),
        ("She has a tune I shall never play, even drunk.", set()),
        ("It will rain.", set()),
        ("There are 74 drops.", {"counted"}),
        ("Take the seventh door.", {"counted", "asks"}),
        ("You must take it.", {"promise", "asks"}),
        ("Where is it?", {"question"}),
        ("It lies under the step.", {"placed"}),
        ("Perhaps it broke.", {"hedged"}),
        ("Please help me.", {"asks"}),
        ("I'll never forget the sea.", {"promise"}),
        ("She met Orla there.", set()),
    ],
)
def test_every_mark_is_found_where_it_is_and_nowhere_else(text: str, found: set[str]) -> None:
    marks = ("counted", "promise", "question", "hedged", "placed", "asks", "binds")
    assert {mark for mark in marks if getattr(read(text), mark)} == found


def test_a_name_and_a_number_make_a_statement_and_a_question_states_nothing() -> None:
    assert read("She met Orla there.").states
    assert read("There are 74 drops.").states
    assert not read("She met her there.").states
    assert not read("Has she met Orla there?").states


def test_a_guess_is_worth_less_than_what_was_said_for_sure() -> None:
    assert read("I think the ring lies under the mill.").worth < read("The ring lies under the mill.").worth - 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('Moss says, "Wait. I come."', "Wait. I come."),
        ("Moss says, “Wait.”", "Wait."),
        ("Moss waves.", "Moss waves."),
        ('Moss says, "Wait', 'Moss says, "Wait'),
    ],
)
def test_what_was_said_is_what_stands_in_quotation_marks(text: str, said: str) -> None:
    assert spoken(text) == said


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(read(text), StatementContent)
    assert read(text).names <= read(text).words
