"""Insights of a model: only what the cited memories bear out is kept; in a form whose numbers can be looked up."""

from __future__ import annotations

import re

import pytest

from agents.memory.references import read_reference
from agents.reflection.insights import MOST, Insight, fresh, kept, parse_insights
from tests.unit.agents.reflection.telling import SAY, heard, made, reworded

SHOWN = [
    heard(12, "Moss", "I will bring you the brass key."),
    heard(40, "Moss", "Here is the brass key I promised."),
    made(41, "thought", "I have come to think: all is well."),
    heard(77, "Tamsin", "Moss came 3 times with bread."),
]


def taken(reply: str) -> list[Insight]:
    return parse_insights(reply, SHOWN, "Eliza")


@pytest.mark.parametrize(
    ("line", "text", "cites"),
    [
        ("Moss brings what Moss promised. (memories 12, 40)", "Moss brings what Moss promised.", (12, 40)),
        ("1. I can rely on Moss for the key (12 and 40)", "I can rely on Moss for the key", (12, 40)),
        ("Moss brings what Moss promised. (Erinnerungen 12, 40)", "Moss brings what Moss promised.", (12, 40)),
        (
            "<think>\nWho is Moss? (12)\n</think>\nHere are the insights:\n\n- Moss keeps promises well. (12, 40)",
            "Moss keeps promises well.",
            (12, 40),
        ),
        ("I cannot do without Moss and the key. (12)", "I cannot do without Moss and the key.", (12,)),
        ("- I have come to think: Moss came 3 times. [memory 77]", "Moss came 3 times.", (77,)),
    ],
)
def test_what_the_memories_bear_out_is_taken(line: str, text: str, cites: tuple[int, ...]) -> None:
    assert taken(line) == [Insight(text, cites)]


@pytest.mark.parametrize(
    "line",
    [
        "Corvin is a thief of keys. (memories 12, 40)",
        "Moss came 5 times with bread. (memories 77)",
        "Moss brings what Moss promised. (memories 12, 99)",
        "Moss brings what Moss promised.",
        "I can rely on myself in everything. (memories 41)",
        "You can rely on Moss here. (memories 12)",
        "Is Moss somebody to rely on? (memories 12)",
        "Moss is good. I like Moss. (memories 12)",
        "Moss. (memories 12)",
        "As a language model I cannot reflect. (memories 12)",
        "I'm sorry, I cannot do that (12)",
        "I cannot help with this request (12)",
        "The user wants to know of Moss (memories 12)",
        "<think>\nMoss brings what Moss promised. (memories 12, 40)\n</think>\nNothing.",
        "Moss brings what Moss promised. (memories 12, 40)\n</think>\nNothing.",
        "<thinking>\nMoss brings what Moss promised. (memories 12, 40)",
        "",
        "(12)",
        "(" * 5000 + "12",
    ],
)
def test_what_they_do_not_bear_out_is_not(line: str) -> None:
    assert taken(line) == []


def test_an_insight_is_kept_with_numbers_that_the_archive_takes() -> None:
    text = kept(Insight("Moss keeps promises", (12, 40, 77)), SAY)
    assert text == "I have come to think: Moss keeps promises. (memories 12, 40, 77)"
    assert kept(Insight("Moss keeps promises.", (12,)), SAY).endswith("Moss keeps promises. (memory 12)")
    for number in re.findall(r"\d+", text):
        found = read_reference(number)
        assert found is not None
        assert (found.first, found.last) == (int(number), int(number))


def test_nobody_comes_to_the_same_insight_twice_and_to_few_at_once() -> None:
    same = Insight("Moss keeps promises.", (12,))
    assert fresh([same, same], ()) == [same]
    assert fresh([Insight("moss keeps promises.", (40, 77))], [kept(same, SAY)]) == []
    many = [Insight(f"Moss came {n} times.", (77,)) for n in range(9)]
    assert fresh(many, ()) == many[:MOST]


def test_an_insight_is_the_same_in_whatever_words_it_was_kept() -> None:
    german = reworded("minds", "reflect", thought="Ich meine: {insight} ({memories})", one="Erinnerung {seq}")
    same = Insight("Moss keeps promises.", (12,))
    assert kept(same, german) == "Ich meine: Moss keeps promises. (Erinnerung 12)"
    assert fresh([same], [kept(same, german)]) == []


def test_an_insight_about_somebody_is_not_known_by_one_about_a_longer_name() -> None:
    about_ann = Insight("Ann keeps promises.", (3,))
    assert fresh([about_ann], [kept(Insight("Joann keeps promises.", (1,)), SAY)]) == [about_ann]
