"""A quotation within a quotation that is cut keeps its marks; an apostrophe is none."""

from __future__ import annotations

import time

import pytest

from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import SummarySource
from agents.compaction.summarizers._inner_marks import missing
from agents.compaction.summarizers._prose import retell
from agents.compaction.summarizers._reading import spoken
from agents.compaction.summarizers.extractive import extract
from agents.compaction.wording import sentences
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
    assert retell(heard(words)) == f'Moss said, "{told}"'


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
        ("No marks. At all.", ["+", "+"]),
    ],
)
def test_the_marks_that_a_sentence_lacks_by_itself(text: str, marks: list[str]) -> None:
    assert ["+".join(one) for one in missing(text, sentences(text))] == marks


def test_a_question_out_of_a_quotation_keeps_its_marks() -> None:
    asks = "You asked: 'Does Wendell keep the sealed jar? Where does Orla keep the brass key of the mill?'"
    text = extract(SummarySource("Eliza", "longterm", (heard(asks), *([heard(LONG)] * 9)), shape=SECTIONS))
    assert "Moss asked, \"You asked: 'Does Wendell keep the sealed jar?'\"" in text


@pytest.mark.parametrize("words", ["“hello. ", "‘hello. ", "'hello. ", "'Hello. You.' "])
@pytest.mark.parametrize("head", ["", "You "])
def test_very_many_marks_are_retold_at_once(head: str, words: str) -> None:
    entry = heard("")._replace(text=head + words * 8000)
    assert min(seconds_for(entry) for _ in range(3)) < 1.5


def seconds_for(entry: Entry) -> float:
    started = time.process_time()
    retell(entry)
    spoken(entry.text)
    return time.process_time() - started
