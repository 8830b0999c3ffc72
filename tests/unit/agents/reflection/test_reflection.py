"""What is seen by rules in what was lived: nothing that the memories do not say, and always where it comes from."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import Entry, read_reference
from agents.reflection.insights import CITED, MOST, Insight, fresh, insights, kept, parse_insights
from tests.unit.agents.reflection.telling import SAY, heard, made, reworded


def seen(*entries: Entry) -> list[Insight]:
    return list(insights(entries, "Eliza", SAY))


def test_who_did_what_they_promised_keeps_promises() -> None:
    promise = heard(1, "Moss", "I will mend your lantern tomorrow.")
    done = heard(5, "Moss", "I have mended the lantern, here it is.")
    assert Insight("Moss keeps promises.", (1, 5)) in seen(promise, done)
    other = heard(5, "Corvin", "I have mended the lantern.")
    assert [one for one in seen(promise, other) if "promises" in one.text] == []
    assert [one for one in seen(promise) if "promises" in one.text] == []


def test_a_thing_that_was_said_to_be_elsewhere_has_changed() -> None:
    old = heard(3, "Moss", "My key is under the bench.")
    new = heard(9, "Tamsin", "The key is now in the loft.")
    (change,) = [one for one in seen(old, new) if "Things changed" in one.text]
    assert change.cites == (3, 9)
    assert "the key is under the bench" in change.text
    assert "in the loft" in change.text
    assert [
        one for one in seen(old, heard(9, "Tamsin", "The key is under the old bench.")) if "changed" in one.text
    ] == []


def test_what_several_people_speak_of_again_and_again_is_what_people_come_back_to() -> None:
    lines = [heard(n, "Moss" if n % 2 else "Tamsin", f"I saw the lighthouse {n} times.") for n in range(1, 6)]
    assert Insight("People keep coming back to the lighthouse.", (1, 2, 3, 4, 5)) in seen(*lines)
    alone = [heard(n, "Moss", f"I saw the lighthouse {n} times.") for n in range(1, 6)]
    assert [one for one in seen(*alone) if "lighthouse" in one.text] == []


def test_where_one_mostly_is_needs_more_than_one_place() -> None:
    here = [made(n, "did", f"You hum {n}.", "The Library") for n in range(1, 6)]
    assert seen(*here) == []
    assert Insight("I am in The Library more than anywhere else.", (3, 4, 5)) in seen(
        *here, made(6, "did", "You hum.", "The Garden")
    )


def test_nobody_reflects_about_reflections_or_dreams() -> None:
    entries = [made(n, kind, "I saw the lighthouse.") for n, kind in enumerate(["thought", "dream", "note"] * 9, 1)]
    assert seen(*entries) == []


WORDS = ("the key is under the bench", "the key is in the loft", "I will mend the lantern", "I have mended the lantern")


@given(st.lists(st.tuples(st.sampled_from(["Moss", "Tamsin"]), st.sampled_from(WORDS)), max_size=30))
def test_every_insight_cites_a_few_memories_that_were_lived(told: list[tuple[str, str]]) -> None:
    entries = [heard(seq, actor, words) for seq, (actor, words) in enumerate(told, 7)]
    for one in seen(*entries):
        assert 0 < len(one.cites) <= CITED
        assert set(one.cites) <= {entry.seq for entry in entries}
        assert list(one.cites) == sorted(one.cites)


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
