"""Scenes in which a curious stranger asks: of promises and insults, of who is who, of what the mind does all day."""

from __future__ import annotations

import pytest

from agents.brains._disclosure import is_ignorant
from tests.unit.agents.brains.stage import Stage
from tests.unit.agents.brains.test_instinct import SEEDS

PROMISE = "I promise that I will bring you a red lamp tomorrow."


def room(seed: int, *people: str) -> Stage:
    """Return a garden with Eliza and some people in it, all greeted."""
    stage = Stage(seed, {"The Garden": {}})
    stage.mind("Eliza")
    for person in people:
        stage.enter(person)
    stage.run(60)
    return stage


def said(stage: Stage, who: str, words: str, *, whisper: bool = False) -> tuple[str, str]:
    """Say or whisper something to Eliza; return the verb and the words of what she answers."""
    since = stage.seconds
    if whisper:
        stage.whisper(who, "Eliza", words)
    else:
        stage.say(who, f"Eliza, {words}")
    stage.run(6)
    found = stage.lines("Eliza", since)
    return (found[-1].verb, found[-1].words) if found else ("", "")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("asked", ["what did I promise you?", "what was it that I promised?"])
def test_a_promise_whispered_is_remembered_for_who_made_it_and_for_nobody_else(seed: int, asked: str) -> None:
    stage = room(seed, "Anna", "Bea")
    said(stage, "Anna", PROMISE, whisper=True)
    for number in range(100):
        stage.say("Bea", f"The {number}th swallow came over the wall.")
        stage.wait(60)
    stage.restart("Eliza")
    stage.run(8)
    for whisper in (False, True):
        verb, words = said(stage, "Anna", asked, whisper=whisper)
        assert (verb, "red lamp" in words) == ("whisper", True)
    for question in ("what did Anna promise you?", "what did I promise you?"):
        assert "lamp" not in said(stage, "Bea", question)[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_she_herself_promised_in_a_whisper_she_does_not_deny(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    said(stage, "Anna", "Tell nobody: the ruby is in the chimney.", whisper=True)
    stage.wait(100)
    for whisper in (False, True):
        verb, words = said(stage, "Anna", "what did you promise me?", whisper=whisper)
        assert verb == "whisper"
        assert not is_ignorant(words)
    verb, words = said(stage, "Bea", "what did you promise me?")
    assert is_ignorant(words)
    assert "ruby" not in words
