"""Scenes in which somebody is asked to tell somebody else something, and to come along to a place by its name."""

from __future__ import annotations

import re

import pytest

from agents.brains.instinct.mind import ERRANDS
from tests.unit.agents.brains.scenes import thought
from tests.unit.agents.brains.stage import Stage

SEEDS = (1, 2)

THREE = {
    "The Garden": {"east": "The Lobby", "library": "The Library"},
    "The Lobby": {"west": "The Garden", "north": "The Library"},
    "The Library": {"south": "The Lobby"},
}


def with_jonas(seed: int) -> Stage:
    """Return a garden in which Jonas stands before Eliza, who has met Moss in the library, where he still is."""
    stage = Stage(seed, THREE)
    stage.mind("Eliza", "The Library")
    stage.mind("Moss", "The Library")
    stage.run(20)
    stage.where["Moss"] = "The Library"
    stage.where["Eliza"] = "The Garden"
    stage.enter("Jonas")
    stage.think("Eliza")
    return stage


def meet(stage: Stage) -> list[str]:
    """Bring Moss to Eliza; return what she says within a minute of it."""
    stage.where["Moss"] = stage.where["Eliza"]
    began = stage.seconds
    for _ in range(6):
        stage.wait(10)
        stage.think("Eliza")
    return [one.line.replace("The ", "the ") for one in stage.lines("Eliza", began)]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_somebody_asked_it_to_tell_is_told_once_when_they_meet_with_the_source(seed: int) -> None:
    stage = with_jonas(seed)
    decision = thought(stage, "Jonas", "please tell Moss that the herring is coming.")
    assert decision.text == "reply.errand"
    assert "Moss" in (decision.line or "")
    told = [line for line in meet(stage) if "the herring is coming" in line]
    assert len(told) == 1
    assert told[0].startswith("say ")
    assert "Jonas" in told[0]
    assert not [line for line in meet(stage) if "the herring is coming" in line]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_asked_in_a_whisper_is_told_in_a_whisper(seed: int) -> None:
    stage = with_jonas(seed)
    stage.whisper("Jonas", "Eliza", "Tell Moss that the key is under the mat.")
    assert (stage.think("Eliza").line or "").startswith("whisper Jonas")
    told = [line for line in meet(stage) if "the key is under the mat" in line]
    assert len(told) == 1
    assert told[0].startswith("whisper Moss")


@pytest.mark.parametrize("seed", SEEDS)
def test_an_errand_outlives_a_new_start_and_one_that_was_done_does_not(seed: int) -> None:
    stage = with_jonas(seed)
    thought(stage, "Jonas", "please tell Moss that the herring is coming.")
    stage.restart("Eliza")
    assert [line for line in meet(stage) if "the herring is coming" in line]
    stage.restart("Eliza")
    assert not [line for line in meet(stage) if "the herring is coming" in line]


def test_of_many_errands_the_newest_are_kept_and_told() -> None:
    stage = with_jonas(1)
    for number in range(40):
        stage.say("Jonas", f"Eliza, please tell Moss that sheep number {number} is in.")
        stage.wait(5)
        stage.think("Eliza")
    stage.where["Moss"] = stage.where["Eliza"]
    decisions = []
    for _ in range(20):
        stage.wait(10)
        decisions.append(stage.think("Eliza"))
    told = [re.findall(r"number (\d+) is in", one.line or "")[0] for one in decisions if one.text == "talk.errand"]
    assert len(set(told)) == len(told) >= 4
    assert set(map(int, told)) <= set(range(40 - ERRANDS, 40))
    assert not [one for one in decisions if "no words for it" in one.why], "what it cannot say anew waits"


def test_who_is_unkind_sends_nobody() -> None:
    stage = with_jonas(1)
    for words in ("Eliza, you are stupid.", "Eliza, you are useless.", "Eliza, I hate you."):
        thought(stage, "Jonas", words.removeprefix("Eliza, "))
        stage.wait(5)
    assert thought(stage, "Jonas", "tell Moss that the herring is coming.").text != "reply.errand"


@pytest.mark.parametrize("seed", SEEDS)
def test_who_was_asked_along_to_a_place_goes_there_though_the_other_went_by_another(seed: int) -> None:
    stage = with_jonas(seed)
    decision = thought(stage, "Jonas", "come with me to the library, please.")
    assert decision.text == "reply.follow"
    stage.walk("Jonas", "The Lobby")
    stage.where["Jonas"] = "The Library"
    stage.run(30)
    assert stage.where["Eliza"] == "The Library"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("asked", ["did you tell Moss about the herring?", "have you given Moss my message?"])
def test_whether_an_errand_is_done_is_known_to_who_gave_it_also_after_a_new_start(seed: int, asked: str) -> None:
    stage = with_jonas(seed)
    thought(stage, "Jonas", "please tell Moss that the herring is coming.")
    assert thought(stage, "Jonas", asked).text == "reply.errand_open"
    meet(stage)
    stage.where["Jonas"] = stage.where["Eliza"]
    stage.wait(60)
    assert thought(stage, "Jonas", asked).text == "reply.errand_done"
    stage.restart("Eliza")
    stage.think("Eliza")
    stage.wait(60)
    stage.where["Jonas"] = stage.where["Eliza"]
    assert thought(stage, "Jonas", asked).text == "reply.errand_done"


@pytest.mark.parametrize("seed", SEEDS)
def test_who_is_asked_along_to_a_place_it_never_saw_goes_where_it_is_named_else_where_the_other_went(seed: int) -> None:
    for named, reached in (("the library", "The Library"), ("the moon", "The Lobby")):
        stage = Stage(seed, THREE)
        stage.mind("Eliza", "The Garden")
        stage.enter("Jonas")
        stage.think("Eliza")
        thought(stage, "Jonas", f"come with me to {named}.")
        stage.walk("Jonas", "The Lobby")
        stage.run(4)
        stage.run(8)
        assert stage.where["Eliza"] == reached


@pytest.mark.parametrize("seed", SEEDS)
def test_an_errand_asked_while_others_talk_outlives_a_new_start(seed: int) -> None:
    stage = with_jonas(seed)
    stage.enter("Bea")
    stage.run(20)
    stage.say("Jonas", "Eliza, please tell Moss that the herring is coming.")
    stage.say("Bea", "Eliza, please tell Moss that the nets are torn.")
    stage.say("Bea", "The wind has turned.")
    stage.run(30)
    stage.restart("Eliza")
    told = meet(stage)
    assert [line for line in told if "the herring is coming" in line]
