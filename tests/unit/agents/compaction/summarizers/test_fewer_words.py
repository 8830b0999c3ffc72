"""A quotation is told without the words that tell nothing, and a promise by what is promised."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.summarizers._fewer_words import fewer_words
from agents.compaction.summarizers._prose import retell
from agents.compaction.summarizers._reading import read
from agents.memory.entries import Entry


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
    assert fewer_words(f'Mrs Ogden said, "{said}"') == f'Mrs Ogden promised, "{promised}"'


@pytest.mark.parametrize(
    "said",
    [
        "I will come, but I promise nothing.",
        "I swear it.",
        "The mare is lame, I swear.",
        "I will not say that I promise.",
        "Shall I say that I will come, I promise?",
        "You have my word that I will come.",
        "I'll take the watch again. Not before he asks.",
        "There are bridges I will not cross, I swear.",
    ],
)
def test_a_vow_stays_where_it_says_more_or_nothing_is_promised_without_it(said: str) -> None:
    assert fewer_words(f'Bo said, "{said}"') == f'Bo said, "{said}"'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('Ada said, "I am Ada, and I keep bees."', 'Ada said, "I keep bees."'),
        ('Ada said, "My name is Ada. My father drowned."', 'Ada said, "My father drowned."'),
        ('I said, "I\'m Oriel, I bake."', 'I said, "I bake."'),
        ('Ada said, "To tell you the truth, I moved the peg."', 'Ada said, "I moved the peg."'),
        ('Ada said, "Well, the flood took it."', 'Ada said, "The flood took it."'),
        ('Ada said, "Then I shall write."', 'Ada said, "I shall write."'),
        *(
            (text, text)
            for text in (
                'Ada said, "I am Ada, the miller."',
                'Ada said, "I am Ada Thorne, and I keep bees."',
                'Bo said, "I am Ada, and I keep bees."',
                'Ada said, "I am not Ada, and I keep bees."',
                'Ada said, "Well dug, and I know wells."',
                'Ada said, "Then the bell rang."',
                "I took the lamp.",
            )
        ),
    ],
)
def test_what_the_sentence_tells_anyway_is_not_told(text: str, told: str) -> None:
    assert fewer_words(text, "Oriel") == told


def test_a_memory_is_retold_so() -> None:
    own = Entry(1, "", "said", None, None, 'You say, "I will keep the kettle hot for you, Yusuf. I promise."')
    assert retell(own, "Oriel") == 'I promised, "I will keep the kettle hot for you, Yusuf."'


WORDS = [
    "I",
    "will",
    "not",
    "if",
    "unless",
    "promise",
    "swear",
    "Well,",
    "it.",
    "Ada,",
    "am",
    "and",
    "my",
    "word",
    "on",
]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join))
def test_no_condition_is_lost_and_no_word_is_made_up(said: str) -> None:
    told = fewer_words(f'Ada said, "{said}."')
    for word in ("not", "if", "unless"):
        assert re.findall(rf"\b{word}\b", told) == re.findall(rf"\b{word}\b", said)
    assert set(re.findall(r"\w+", told.lower())) <= {*re.findall(r"\w+", said.lower()), "ada", "said", "promised"}
    assert " promised, " not in told or read(told).binds
