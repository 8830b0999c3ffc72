"""A fact is told and small talk is not, whatever either is about."""

from __future__ import annotations

import pytest

from agents.compaction.summarizer import SummarySource
from agents.compaction.summarizers.extractive import extract
from agents.memory.entries import Entry

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
    "What a long day it has been.",
    "You are late this morning.",
    "Wow, that is so cool, thank you!",
)


def summary(*words: str) -> str:
    """Return what is told of a talk of Joss, who says this and chats."""
    said = [*words, *["The kettle is on."] * 20]
    entries = [Entry(1, "", "heard", "Joss", "The Quay", f'Joss says, "{one}"', importance=4) for one in said]
    return extract(SummarySource("Eliza", "recent", tuple(entries), max_sentences=4))


@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_is_told_and_small_talk_is_not(fact: str) -> None:
    text = summary(*SMALL_TALK, fact)
    assert fact.rstrip(".") in text
    assert not [talk for talk in SMALL_TALK if talk.rstrip(".!") in text]


def test_of_a_guess_and_what_was_said_for_sure_the_latter_is_told() -> None:
    text = summary("I think the ring lies under the mill, or so they say.", "The comb lies under the mill.")
    assert "comb" in text
    assert "ring" not in text
