"""What others did to an agent, as it reads it from its own memories, and what it says of that."""

from __future__ import annotations

import pytest

from tests.unit.agents.brains.stage import VOICES, Stage

PROMISE = "I promise to bring you a jar of honey tomorrow."


def asked(stage: Stage, who: str, words: str) -> str:
    since = stage.seconds
    stage.say(who, words)
    stage.run(6)
    found = [one for one in stage.lines("Eliza", since) if not one.words.startswith("Hello")]
    return found[-1].words if found else ""


def with_friends(voice: str, seed: int = 3) -> Stage:
    stage = Stage(seed, {"The Garden": {}})
    stage.mind("Eliza", voice_name=voice)
    for person in ("Anna", "Bea"):
        stage.enter(person)
    stage.run(30)
    for who, words in (
        ("Anna", "Eliza, you are wonderful."),
        ("Anna", f"Eliza, {PROMISE}"),
        ("Bea", "Eliza, you are stupid and useless."),
    ):
        stage.say(who, words)
        stage.run(8)
    return stage


@pytest.mark.parametrize("voice", VOICES)
def test_what_it_thinks_of_somebody_rests_on_what_they_said(voice: str) -> None:
    stage = with_friends(voice)
    assert "wonderful" in asked(stage, "Bea", "Eliza, what do you think of Anna?")
    assert "stupid" in asked(stage, "Anna", "Eliza, what do you think of Bea?")
    assert "stupid" in asked(stage, "Bea", "Eliza, what do you think of me?")


@pytest.mark.parametrize("voice", VOICES)
def test_promises_are_told_with_their_words_and_none_is_made_up(voice: str) -> None:
    stage = with_friends(voice)
    assert "honey" in asked(stage, "Anna", "Eliza, what did I promise you?")
    assert "honey" in asked(stage, "Bea", "Eliza, what did Anna promise?")
    assert "honey" not in asked(stage, "Bea", "Eliza, did I promise you anything?")
    assert "honey" not in asked(stage, "Anna", "Eliza, what did you promise me?")


def test_after_a_long_life_the_deed_is_looked_up_again() -> None:
    stage = with_friends("default")
    for number in range(80):
        stage.say("Anna", f"The {number}th swallow came over the wall.")
        stage.wait(60)
    stage.restart("Eliza")
    stage.run(8)
    assert "stupid" in asked(stage, "Bea", "Eliza, what do you think of me?")
    assert "honey" in asked(stage, "Anna", "Eliza, what did I promise you?")


def test_who_was_rude_is_greeted_coolly_and_does_not_get_their_way() -> None:
    stage = with_friends("default")
    stage.say("Bea", "Eliza, come with me.")
    decision = stage.think("Eliza")
    assert decision.text == "reply.unwilling"
    stage.say("Anna", "Eliza, come with me.")
    decision = stage.think("Eliza")
    assert decision.text == "reply.follow"
    stage.say("Anna", "Eliza, stay here.")
    stage.think("Eliza")
    for person in ("Anna", "Bea"):
        stage.leave(person)
    for person, keys in (("Bea", ("greet.cool",)), ("Anna", ("greet.remembers", "greet.warm", "greet.known"))):
        stage.wait(2000)
        stage.enter(person)
        assert stage.think("Eliza").text in keys
        stage.leave(person)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (PROMISE, "ack.promise"),
        ("I swear that I will mend the gate for you.", "ack.promise"),
        ("this loaf of bread is for you.", "ack.gift"),
        ("here is a loaf of fresh bread for you.", "ack.gift"),
        ("I baked this for you", "ack.gift"),
        ("I bought a new lantern for you.", "ack.gift"),
        ("I gave you a lantern from the market.", "ack.gift"),
    ],
)
def test_a_promise_and_a_gift_are_answered_as_such(words: str, text: str) -> None:
    stage = Stage(1, {"The Garden": {}})
    stage.mind("Eliza")
    stage.enter("Anna")
    stage.run(30)
    stage.say("Anna", f"Eliza, {words}")
    assert stage.think("Eliza").text == text


def test_who_keeps_a_promise_is_told_so_once() -> None:
    stage = Stage(1, {"The Garden": {}})
    stage.mind("Eliza")
    stage.enter("Anna")
    stage.run(30)
    texts = []
    for words in (PROMISE, "here is the jar of honey.", "the honey is from my own bees in the orchard."):
        stage.say("Anna", f"Eliza, {words}")
        texts.append(stage.think("Eliza").text)
        stage.run(30)
    assert texts[:2] == ["ack.promise", "ack.kept"]
    assert texts[2] not in ("ack.promise", "ack.kept", "ack.gift")
