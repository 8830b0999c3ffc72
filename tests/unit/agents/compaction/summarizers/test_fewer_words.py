"""A quotation is told without the words that tell nothing, and keeps its inner marks where it is cut."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import SummarySource
from agents.compaction.summarizers.extractive import extract
from agents.memory.entries import Entry


def told(text: str) -> str:
    """Return how Oriel tells a memory beside a note, which is not told."""
    who = text.partition(" says, ")[0]
    entry = Entry(1, "", "said" if who == text else "heard", None if who == text else who, None, text)
    return extract(SummarySource("Oriel", "recent", (entry, entry._replace(kind="note", text="." * 200))))


@pytest.mark.parametrize(
    ("said", "promised"),
    [
        ("I'll mend the oar by dusk, my word on it.", "I'll mend the oar by dusk."),
        ("I will not sell the mare. I promise.", "I will not sell the mare."),
        ("If the thaw comes I shall sail with you, I swear it!", "If the thaw comes I shall sail with you."),
        ("I will wait unless it snows – you can count on me.", "I will wait unless it snows."),
        ("I’ll pay on Friday and not before. That's a promise.", "I’ll pay on Friday and not before."),
        ("I will be at the lock, and you have my word.", "I will be at the lock."),
    ],
)
def test_a_promise_is_told_by_what_is_promised(said: str, promised: str) -> None:
    assert told(f'Mrs Ogden says, "{said}"') == f'Mrs Ogden promised, "{promised}"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Ada says, "I am Ada, and I keep bees."', 'Ada said, "I keep bees."'),
        ('Ada says, "My name is Ada. My father drowned."', 'Ada said, "My father drowned."'),
        ('You say, "I\'m Oriel, I bake."', 'I said, "I bake."'),
        ('Ada says, "To tell you the truth, I moved the peg."', 'Ada said, "I moved the peg."'),
        ('Ada says, "Well, the flood took it."', 'Ada said, "The flood took it."'),
        ('Ada says, "Then I shall write."', 'Ada said, "I shall write."'),
        ('You say, "I will keep the kettle hot for you, Yusuf. I promise."',
         'I promised, "I will keep the kettle hot for you, Yusuf."'),
        *(
            (f'{who} says, "{words}"', f'{who} said, "{words}"')
            for who, words in (
                ("Ada", "I am Ada, the miller."),
                ("Ada", "I am Ada Thorne, and I keep bees."),
                ("Ada", "I am not Ada, and I keep bees."),
                ("Ada", "Then the bell rang."),
                ("Bo", "I am Ada, and I keep bees."),
                ("Bo", "I will come, but I promise nothing."),
                ("Bo", "The mare is lame, I swear."),
                ("Bo", "I will not say that I promise."),
                ("Bo", "You have my word that I will come."),
                ("Bo", "There are bridges I will not cross, I swear."),
            )
        ),
    ],
)  # fmt: skip
def test_what_the_sentence_tells_anyway_is_not_told_and_all_else_is(text: str, expected: str) -> None:
    assert told(text) == expected


WORDS = ("I will", "not", "if", "unless", "promise", "swear", "Well,", "it.", "Ada,", "am", "and", "my word", "on")


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join))
def test_no_condition_is_lost_and_no_word_is_made_up(said: str) -> None:
    text = told(f'Ada says, "The mill burned in 1764; {said}."')
    for word in ("not", "if", "unless"):
        assert re.findall(rf"\b{word}\b", text) == re.findall(rf"\b{word}\b", said)
    known = {*re.findall(r"\w+", said.lower()), *["ada", "said", "promised", "the", "mill", "burned", "in", "1764"]}
    assert set(re.findall(r"\w+", text.lower())) <= known


MIA = "In The Roofless Hall, Jonas, you said: 'I have a daughter called Mia, she is six. She loves frogs.'"
LONG = "I have carried stones and jars up to the mill in Greywater for Petra, Ulric and Wendell since the flood."

DULL = "And so it was and so it always is with all of us, as we all say to one another now and then, or not at all."


def heard(words: str) -> Entry:
    return Entry(1, "", "heard", "Moss", "The Mill", f'Moss says, "{words}"', importance=9)


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
