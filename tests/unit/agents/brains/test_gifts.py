"""Things that are given to a mind, and that it gives."""

from __future__ import annotations

import pytest

from agents.brains.language import ANSWER_AFTER, LanguageBrain
from agents.mind.interpreter import shipped_interpreter
from mud.world.events import Event, Perception
from tests.unit.agents.brains.scenes import thought
from tests.unit.agents.brains.stage import TEXTS, VOICES, Stage, voice

SEEDS = range(4)


def garden(seed: int) -> Stage:
    stage = Stage(seed)
    stage.mind("Eliza")
    stage.enter("Ann")
    stage.run(20)
    return stage


@pytest.mark.parametrize("seed", SEEDS)
def test_who_gives_something_is_thanked_once(seed: int) -> None:
    stage = garden(seed)
    since = stage.seconds
    stage.give("Ann", "Eliza", "lamp glass")
    stage.run(6)
    [thanks] = [one for one in stage.done if one.at >= since]
    assert (thanks.verb, thanks.text) == ("say", "ack.gift")
    stage.run(60)
    assert [one.text for one in stage.done if one.at >= since].count("ack.gift") == 1


def test_who_gave_something_and_left_is_thanked_no_more() -> None:
    stage = garden(1)
    stage.give("Ann", "Eliza", "lamp glass")
    stage.leave("Ann")
    since = stage.seconds
    stage.run(20)
    assert all(one.text != "ack.gift" for one in stage.done if one.at >= since)


@pytest.mark.parametrize("asked", ["give me the lamp glass, please", "could you lend me the lamp glass?"])
def test_what_was_given_is_given_back_on_request(asked: str) -> None:
    stage = garden(1)
    stage.give("Ann", "Eliza", "lamp glass")
    stage.run(20)
    assert (thought(stage, "Ann", asked).line or "").startswith("give lamp glass to Ann")
    assert stage.carried["Eliza"] == ()


def test_a_gift_between_others_is_nobody_elses() -> None:
    stage = garden(2)
    since = stage.seconds
    seen = Event("gift", "Ann", "", "Ann gives Moss the rope.", to="Moss", thing="rope")
    stage.minds["Eliza"].run.notice(Perception("Eliza", "saw", seen.text, "Ann", event=seen), since)
    stage.run(30)
    assert all(one.text != "ack.gift" for one in stage.done if one.at >= since)


def test_a_model_thinks_at_once_of_what_it_is_given() -> None:
    brain = LanguageBrain("Eliza", voice, frozenset({"say"}), shipped_interpreter)
    gift = Event("gift", "Ann", "", "Ann gives Eliza the rope.", to="Eliza", thing="rope")
    assert brain.notice(Perception("Eliza", "saw", "Ann gives you the rope.", "Ann", event=gift), 0.0) == ANSWER_AFTER
    assert brain.notice(Perception("Moss", "saw", "Ann gives Eliza the rope.", "Ann", event=gift), 0.0) is None


def test_every_voice_can_thank_for_a_gift() -> None:
    for name in VOICES:
        assert TEXTS.variants(f"instinct.{name}.ack.gift")
