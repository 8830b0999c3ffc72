"""Scenes in which somebody comes back and asks: when did we meet, when did I tell you, what did I say last."""

from __future__ import annotations

import re

import pytest

from tests.unit.agents.brains.scenes import said, thought
from tests.unit.agents.brains.stage import Stage

CAT = "My cat Mimi hates the rain."
UMBRELLA = "I lost my green umbrella on the ferry."


def acquaintance(seed: int) -> Stage:
    """Return a library to which Nina has come back: she spoke of her cat in the garden hours ago."""
    stage = Stage(seed, {"The Garden": {}, "The Library": {}})
    stage.mind("Eliza")
    stage.enter("Nina")
    stage.run(30)
    said(stage, "Nina", CAT)
    stage.wait(600)
    said(stage, "Nina", UMBRELLA)
    stage.act("Nina", "Nina goes away.")
    del stage.where["Nina"]
    stage.wait(5 * 3600)
    stage.where["Eliza"] = "The Library"
    stage.enter("Nina", "The Library")
    stage.run(30)
    return stage


@pytest.mark.parametrize(
    "asked",
    [
        "when did I tell you about my cat?",
        "where did I tell you about my umbrella?",
        "where were we when I told you about my cat?",
        "when was it that I told you about the umbrella?",
        "when did I mention my cat?",
        "do you remember when I told you about my cat?",
    ],
)
def test_when_and_where_a_thing_was_told_is_answered_with_time_and_place(seed: int, asked: str) -> None:
    stage = acquaintance(seed)
    decision = thought(stage, "Nina", asked)
    assert decision.text == "answer.telling_you"
    assert "5 hours ago" in (decision.line or "").casefold()
    assert "The Garden" in (decision.line or "")
    cited = next(entry for entry in stage.minds["Eliza"].memory if str(entry.seq) in decision.cites)
    assert ("cat" if "cat" in asked else "umbrella") in cited.text


def test_that_means_what_was_just_answered(seed: int) -> None:
    stage = acquaintance(seed)
    assert "Mimi" in said(stage, "Nina", "what do you know about my cat?")[1]
    assert "The Garden" in said(stage, "Nina", "where were we when I told you that?")[1]


def test_a_question_for_what_was_told_is_none_for_the_telling(seed: int) -> None:
    stage = acquaintance(seed)
    assert "ferry" in said(stage, "Nina", "where did I say I lost my umbrella?")[1]


def test_when_somebody_else_told_it_is_answered_unless_it_was_whispered(seed: int) -> None:
    stage = acquaintance(seed)
    stage.enter("Bea", "The Library")
    said(stage, "Bea", "The mill wheel is broken.")
    said(stage, "Bea", "The ruby is in the chimney.", whisper=True)
    stage.wait(600)
    assert thought(stage, "Nina", "when did Bea tell you about the mill?").text == "answer.telling"
    assert thought(stage, "Nina", "when did Bea tell you about the ruby?").text.startswith("unknown.")
    assert said(stage, "Bea", "when did I tell you about the ruby?")[0] == "whisper"


@pytest.mark.parametrize("asked", ["where did we meet?", "when did we first meet?", "do you remember where we met?"])
def test_the_first_meeting_is_remembered(seed: int, asked: str) -> None:
    decision = thought(acquaintance(seed), "Nina", asked)
    assert decision.text == "answer.met_first"
    assert re.search(r"The Garden|5 hours ago", decision.line or "", re.I)


@pytest.mark.parametrize(
    "asked", ["when did we last meet?", "when did you last see me?", "when was the last time we met?"]
)
def test_the_last_meeting_is_the_one_before_this_and_is_put_into_words(seed: int, asked: str) -> None:
    decision = thought(acquaintance(seed), "Nina", asked)
    assert decision.text == "answer.met_last"
    assert "5 hours ago" in (decision.line or "").casefold()
    assert "goes away" not in (decision.line or "")


def test_who_was_never_here_before_is_told_of_the_first_moment(seed: int) -> None:
    stage = acquaintance(seed)
    stage.enter("Bea", "The Library")
    stage.run(10)
    assert thought(stage, "Bea", "when did we last meet?").text == "answer.met_first"


def test_the_first_and_the_last_words_are_remembered(seed: int) -> None:
    stage = acquaintance(seed)
    for asked in ("what did I tell you first?", "what was the first thing I ever told you?"):
        assert "Mimi" in said(stage, "Nina", asked)[1]
    assert "umbrella" in said(stage, "Nina", "what did we talk about last time?")[1]
    assert "umbrella" in said(stage, "Nina", "what was the last thing I said to you?")[1]
    said(stage, "Nina", "where does the sexton live?")
    assert "sexton" in said(stage, "Nina", "what did I just say?")[1]
    said(stage, "Nina", "The bells rang at noon.")
    for asked in ("what was the last thing I said to you?", "what did I just say?"):
        assert re.search(r"bells|last thing", said(stage, "Nina", asked)[1])


def test_where_somebody_is_who_went_away_is_not_quoted_as_it_was_seen(seed: int) -> None:
    stage = Stage(seed, {"The Garden": {}})
    stage.mind("Eliza")
    for person in ("Nina", "Bea"):
        stage.enter(person)
    stage.run(30)
    stage.act("Nina", "Nina goes away.")
    del stage.where["Nina"]
    answer = said(stage, "Bea", "where is Nina?")[1]
    assert "The Garden" in answer
    assert "goes away" not in answer
