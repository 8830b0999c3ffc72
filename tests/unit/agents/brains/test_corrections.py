"""Scenes in which somebody takes back what they said, or asks whether they said it: the newest word holds."""

from __future__ import annotations

import pytest

from tests.unit.agents.brains.scenes import room, said, thought
from tests.unit.agents.brains.test_instinct import is_ignorant


@pytest.mark.parametrize(
    ("first", "then", "asked", "right", "wrong"),
    [
        ("my horse is called Juno.", "oh wait, my horse is called Hera.", "what is my horse called?", "Hera", "Juno"),
        ("I live in Oslo.", "hold on, I live in Bergen.", "where do I live?", "Bergen", "Oslo"),
        ("I am a dentist.", "actually I am a vet, not a dentist.", "what was my job?", "vet", ""),
    ],
)
def test_a_correction_is_taken_as_one_and_holds(
    seed: int, first: str, then: str, asked: str, right: str, wrong: str
) -> None:
    stage = room(seed, "Anna")
    said(stage, "Anna", first)
    assert thought(stage, "Anna", then).text.startswith("ack.")
    stage.run(20)
    answer = said(stage, "Anna", asked)[1]
    assert right in answer
    assert not wrong or wrong not in answer


def test_of_a_line_that_corrects_itself_the_second_half_holds(seed: int) -> None:
    stage = room(seed, "Anna")
    said(stage, "Anna", "my dog is called Rex. No, sorry, my dog is called Max.")
    answer = said(stage, "Anna", "what is my dog called?")[1]
    assert "Max" in answer
    assert "Rex" not in answer


@pytest.mark.parametrize("asked", ["did I ever tell you about my horse?", "have I told you about my horse?"])
def test_what_was_told_is_not_denied_in_whatever_words_it_is_asked(seed: int, asked: str) -> None:
    stage = room(seed, "Anna")
    said(stage, "Anna", "my horse is called Juno.")
    assert "Juno" in said(stage, "Anna", asked)[1]


def test_a_wish_to_ask_somebody_else_is_an_errand_and_no_news(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    for words in ("please ask Bea where the bronze fin is.", "please ask Bea to sing"):
        assert thought(stage, "Anna", words).text == "reply.errand"
        stage.run(30)
    assert is_ignorant(said(stage, "Bea", "what do you know about the bronze fin?")[1])


def test_an_insult_hurts_and_is_told_to_nobody_once_it_was_forgiven(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    assert thought(stage, "Anna", "you are an idiot.").text == "reply.insult"
    stage.run(30)
    assert "idiot" in said(stage, "Bea", "who was unkind to you?")[1]
    said(stage, "Anna", "I am sorry, I did not mean that.")
    stage.run(30)
    assert "idiot" not in said(stage, "Bea", "who was rude to you?")[1]


def test_who_says_it_is_wrong_is_asked_how_it_is(seed: int) -> None:
    assert thought(room(seed, "Anna"), "Anna", "you are wrong.").text == "reply.blame"
