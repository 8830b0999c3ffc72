"""Scenes in which somebody asks what the mind knows of them: their name, who they are, all of it."""

from __future__ import annotations

import re

import pytest

from tests.unit.agents.brains.scenes import room, said, thought
from tests.unit.agents.brains.stage import Stage

SEEDS = (1, 2)


def told(seed: int, *lines: str) -> Stage:
    """Return a garden in which Nina has said some lines."""
    stage = room(seed, "Nina")
    for line in lines:
        said(stage, "Nina", line)
        stage.wait(120)
    return stage


@pytest.mark.parametrize("asked", ["what's my name?", "do you remember my name?"])
def test_asked_for_their_name_she_says_the_name_and_no_more(asked: str) -> None:
    stage = told(1, "I am a baker from Ulm.", "My train leaves at 6:45.")
    answer = said(stage, "Nina", asked)[1]
    assert "Nina" in answer
    assert not re.search("baker|train", answer)


def test_who_somebody_is_is_told_with_their_name_and_with_what_they_told_of_themselves() -> None:
    stage = told(1, "My brother Tomas is a sailor.", "The sundial is broken.")
    answer = said(stage, "Nina", "do you know who I am?")[1]
    assert all(word in answer for word in ("Nina", "Tomas"))
    assert "sundial" not in answer


@pytest.mark.parametrize("seed", SEEDS)
def test_asked_for_all_of_it_she_tells_three_things_and_nothing_that_was_confided(seed: int) -> None:
    stage = told(
        seed,
        "My train leaves at 6:45.",
        "I am a baker from Ulm.",
        "I love old maps.",
        "The sundial is broken.",
        "My sister Ada lives in Graz.",
        "Between us, I stole my coat.",
    )
    answer = said(stage, "Nina", "what do you know about me?")[1]
    assert len(re.findall("baker|maps|Graz|train", answer)) == 3
    assert not re.search("sundial|coat", answer)


@pytest.mark.parametrize("words", ["hello, anybody here?", "Hello! Is anyone there?", "is anybody there?"])
def test_who_calls_into_the_room_is_greeted(words: str) -> None:
    stage = told(1, "My cat Mimi hates rain.")
    assert thought(stage, "Nina", words).text == "greet.back"
    assert thought(stage, "Nina", "is anybody else here?").text != "greet.back"


@pytest.mark.parametrize("asked", ["what are you wearing?", "what do you look like?"])
def test_what_she_wears_she_tells_from_her_profile_or_lightly(asked: str) -> None:
    stage = told(1, "My cat Mimi hates rain.")
    assert thought(stage, "Nina", asked).text == "self.wearing"
    stage.profiles["Eliza"] = "You are the ferryman. You wear a green coat."
    assert "I wear a green coat." in said(stage, "Nina", asked)[1]


def test_to_lend_a_thing_is_a_wish() -> None:
    stage = told(1, "My cat Mimi hates rain.")
    assert thought(stage, "Nina", "can you lend me your pole?").text == "reply.wish"
    stage.carried["Eliza"] = ("long pole",)
    assert (thought(stage, "Nina", "could you lend me your pole?").line or "").startswith("give long pole to Nina")


@pytest.mark.parametrize("seed", SEEDS)
def test_who_never_says_or_does_anything_is_greeted_once(seed: int) -> None:
    stage = Stage(seed)
    stage.mind("Eliza")
    stage.where["Margery"] = "The Garden"
    greeted = []
    for _ in range(12):
        stage.wait(3600)
        stage.where["Margery"] = stage.where["Eliza"]
        greeted += [decision.text for _ in range(6) if (decision := stage.think("Eliza")).text.startswith("greet.")]
    assert len(greeted) == 1
