"""What is told of oneself by one's own name is told with I, me and my, or not at all."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.text.english import unquoted
from agents.text.grammar import first_person, second_person


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ada brushes dry earth from her cuffs.", "I brushed dry earth from my cuffs."),
        ("Ada carries the jar and sets it down.", "I carried the jar and set it down."),
        ("Ada quickly hides the letter.", "I quickly hid the letter."),
        ("Ada reaches for the latch, then thinks better of it.", "I reached for the latch, then thought better of it."),
        ("Ada frowns as if somebody owed her a screw.", "I frowned as if somebody owed me a screw."),
        ("Ada walks on as if she knows the way.", "I walked on as if I knew the way."),
        ('Ada whispers, "Ada knows nothing of it."', 'I whispered, "Ada knows nothing of it."'),
        ("Ada studies cups and plates for a while.", "I studied cups."),
        ("Moss nods at Ada, once, like a hammer.", "Moss nods at me, once, like a hammer."),
        ("Moss gives Ada the blue lamp.", "Moss gives me the blue lamp."),
        ("Moss mends Ada's lamp.", "Moss mends my lamp."),
        ("Ada's brother died.", "My brother died."),
        ("Ada’s lamp is out, and Moss mends Ada's stove.", "My lamp is out, and Moss mends my stove."),
        ("Moss waits.", "Moss waits."),
        ("I told Moss about Adamant Row.", "I told Moss about Adamant Row."),
    ],
)
def test_a_sentence_about_oneself_is_told_with_i(text: str, told: str) -> None:
    assert first_person(text, "Ada") == told


@pytest.mark.parametrize(
    "text",
    [
        "Ada hands Moss his hat.",  # whose hat it is
        "Ada tilts their head.",  # who they are
        "Moss and Ada leave the mill.",
        "Moss says that Ada lied.",
        "Ada the brave.",
        "Moss hands Ada a key and whispers to Ada that she must run.",  # who must run
        'Moss says to Ada, "Run!", and then he leaves.',
    ],
)
def test_what_cannot_be_told_for_sure_is_left_out(text: str) -> None:
    assert first_person(text, "Ada") == ""


@pytest.mark.parametrize("name", ["Simonides the cat", "Καλλιόπη", "O'Brien"])
def test_any_name_is_known_whatever_its_script(name: str) -> None:
    assert first_person(f"{name} lifts a paw.", name) == "I lifted a paw."
    assert first_person(f"Moss bows to {name}.", name) == "Moss bows to me."


WORDS = st.lists(
    st.sampled_from(
        ["Ada", "Ada's", "Moss", "her", "his", "she", "they", "and", "then", ",", "looks", "takes", "plates", "at",
         "the", "lamp", "gives", '"Ada says"', "to", "Adam"]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)  # fmt: skip


@given(WORDS)
def test_nothing_that_is_told_names_its_owner_outside_of_quotations(text: str) -> None:
    assert not re.search(r"\bAda\b", unquoted(first_person(text, "Ada")))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ada smiles at Edmund.", "You smile at Edmund."),
        ("Ada smiles and nods.", "You smile and nod."),
        ("Ada quietly carries the jar off and sets it down.", "You quietly carry the jar off and set it down."),
        ("Ada wipes her hands on a rag. She sits down.", "You wipe your hands on a rag. You sit down."),
        (
            "Ada leans close to the chair, hands behind her back.",
            "You lean close to the chair, hands behind your back.",
        ),
        ("Ada takes a step, hands the key to Moss.", "You take a step, hand the key to Moss."),
        ("Ada takes three steps and bows to Moss.", "You take three steps and bow to Moss."),
        ("Ada puts her hand on Moss's arm.", "You put your hand on Moss's arm."),
        ("Ada hugs herself, as if somebody owed her a screw.", "You hug yourself, as if somebody owed you a screw."),
        ("Ada is happy, and has a look at it.", "You are happy, and have a look at it."),
        ("Ada sat down.", "You sat down."),
        ("Ada tiptoes off and unties the string.", "You tiptoe off and untie the string."),
        ("Ada waltzes and focuses on the beat.", "You waltz and focus on the beat."),
        ('Ada whispers, "Ada knows."', 'You whisper, "Ada knows."'),
    ],
)
def test_what_one_did_is_told_to_one_with_you(text: str, told: str) -> None:
    assert second_person(text, "Ada") == told


@pytest.mark.parametrize(
    "text",
    [
        "Ada hands Moss his hat.",  # whose hat it is
        "Ada tilts their head.",  # who they are
        "Ada studies cups and plates.",  # what plates are
        "Ada sings and birds answer.",
        'Ada says "Yes" and waves.',
        "Ada the brave.",
        "Ada's lamp goes out.",
        "Adam smiles.",
        "You take the lamp.",
        "Ada",
        "",
    ],
)
def test_what_cannot_be_told_for_sure_is_told_as_it_was(text: str) -> None:
    assert second_person(text, "Ada") == text
    assert second_person(text, "") == text


@given(st.text(max_size=80), st.sampled_from(["Ada", "O'Brien", "Margery the heron", "A.*"]))
def test_what_anybody_does_can_be_told_and_what_is_said_stays(words: str, name: str) -> None:
    told = second_person(f"{name} {words}", name)
    assert told.startswith((f"{name} ", "You "))
    assert re.findall(r'"[^"]*"', told) == re.findall(r'"[^"]*"', f"{name} {words}")
