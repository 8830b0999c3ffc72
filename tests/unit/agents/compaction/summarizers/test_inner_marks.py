"""A quotation within a quotation that is cut keeps its marks; an apostrophe is none."""

from __future__ import annotations

import time

import pytest

from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import SummarySource
from agents.compaction.summarizers.extractive import extract
from agents.memory.entries import Entry

MIA = "In The Roofless Hall, Jonas, you said: 'I have a daughter called Mia, she is six. She loves frogs.'"
LONG = "I have carried stones and jars up to the mill in Greywater for Petra, Ulric and Wendell since the flood."

DULL = "And so it was and so it always is with all of us, as we all say to one another now and then, or not at all."


def heard(words: str, kind: str = "heard") -> Entry:
    return Entry(1, "", kind, "Moss", "The Mill", f'Moss says, "{words}"', importance=9)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (MIA, "In The Roofless Hall, Jonas, you said: 'I have a daughter called Mia, she is six.'"),
        (MIA.replace("'", "’").replace(": ’", ": ‘"), "In The Roofless Hall, Jonas, you said: ‘I have a daughter"
         " called Mia, she is six.’"),
        (f"You said: '{DULL} {LONG} {DULL}'", f"'{LONG}'"),
        (f"You said: '{DULL} {LONG}' {DULL}", f"'{LONG}'"),
        (f"It's the dogs' bone. {LONG} {LONG}", f"It's the dogs' bone. {LONG}"),
        (f"'Tis the dogs' bone. {LONG} {LONG}", f"'Tis the dogs' bone. {LONG}"),
        (f"You said: 'The dogs' bone is Orla's. {LONG} {LONG}'", f"You said: 'The dogs' bone is Orla's. {LONG}'"),
    ],
)  # fmt: skip
def test_what_is_cut_of_a_quotation_within_a_quotation_is_closed(words: str, told: str) -> None:
    source = SummarySource("Eliza", "recent", (heard(words)._replace(place=None),))
    assert extract(source) == f'Moss said, "{told}"'


def test_a_question_out_of_a_quotation_keeps_its_marks() -> None:
    asks = "You asked: 'Does Wendell keep the sealed jar? Where does Orla keep the brass key of the mill?'"
    text = extract(SummarySource("Eliza", "longterm", (heard(asks), *([heard(LONG)] * 9)), shape=SECTIONS))
    assert "Moss asked, \"You asked: 'Does Wendell keep the sealed jar?'\"" in text


@pytest.mark.parametrize("words", ["“hello. ", "‘hello. ", "'hello. ", "'Hello. You.' "])
@pytest.mark.parametrize("head", ["", "You "])
def test_very_many_marks_are_retold_at_once(head: str, words: str) -> None:
    source = SummarySource("Eliza", "recent", (heard("")._replace(text=head + words * 8000),))
    started = time.process_time()
    extract(source)
    assert time.process_time() - started < 4.0
