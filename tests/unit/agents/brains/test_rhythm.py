"""Evening and morning: where agents sleep by the clock they say good night, look for a place to rest, and greet."""

from __future__ import annotations

import pytest

from agents.brains.instinct.activities import EVENING, LATE
from tests.unit.agents.brains.stage import VOICES, Stage

EXITS = {
    "The Garden": {"east": "The Lobby"},
    "The Lobby": {"west": "The Garden", "up": "The Loft"},
    "The Loft": {"down": "The Lobby"},
}
SEEDS = (1, 2)


def evening(seed: int, voice: str = "default") -> Stage:
    """Return a stage on which Eliza knows every location and it is a long time until her bedtime."""
    stage = Stage(seed, EXITS)
    stage.looks = {"The Loft": "A hammock hangs under the roof."}
    stage.mind("Eliza", voice_name=voice)
    stage.run(1200)
    stage.bedtime = stage.seconds + EVENING + 30
    return stage


@pytest.mark.parametrize("seed", SEEDS)
def test_in_the_evening_it_goes_where_it_can_rest_and_stays(seed: int) -> None:
    stage = evening(seed)
    stage.run(EVENING / 2)
    assert stage.where["Eliza"] == "The Loft"
    went = len([one for one in stage.done if one.verb == "go"])
    stage.run(EVENING / 2)
    assert len([one for one in stage.done if one.verb == "go"]) == went


@pytest.mark.parametrize("voice", VOICES)
def test_it_says_good_night_once_to_everybody_here(voice: str) -> None:
    stage = evening(1, voice)
    stage.where["Eliza"] = "The Loft"
    stage.enter("Anna", "The Loft")
    stage.run(EVENING - LATE)
    since = stage.seconds
    decisions = []
    while stage.seconds < since + LATE:
        stage.seconds += 8
        decisions.append(stage.think("Eliza"))
    assert len([one for one in decisions if one.text == "night.good"]) == 1


def test_without_hours_of_sleep_there_is_no_evening() -> None:
    stage = evening(1)
    stage.bedtime = None
    stage.enter("Anna", stage.where["Eliza"])
    for _ in range(100):
        stage.seconds += 8
        assert stage.think("Eliza").text not in ("night.good", "emote.yawn", "greet.morning", "think.morning")


@pytest.mark.parametrize("company", [True, False])
def test_who_wakes_greets_whoever_is_here_once_or_thinks_of_the_morning(company: bool) -> None:
    stage = evening(1)
    if company:
        stage.enter("Anna", stage.where["Eliza"])
        stage.run(30)
    stage.bedtime = None
    stage.woken.add("Eliza")
    texts = [stage.think("Eliza").text for _ in range(5)]
    assert texts[0] == ("greet.morning" if company else "think.morning")
    assert "greet.morning" not in texts[1:]


def test_woken_in_the_night_it_wishes_nobody_a_good_morning() -> None:
    stage = evening(1)
    stage.bedtime = 0.0
    stage.enter("Anna", stage.where["Eliza"])
    stage.woken.add("Eliza")
    assert "greet.morning" not in [stage.think("Eliza").text for _ in range(5)]


def test_who_is_spoken_to_on_waking_answers_first() -> None:
    stage = evening(1)
    stage.enter("Anna", stage.where["Eliza"])
    stage.run(30)
    stage.say("Anna", "The kettle is on the hearth.")
    stage.say("Anna", "Eliza, where is the kettle?")
    stage.woken.add("Eliza")
    assert "hearth" in (stage.think("Eliza").line or "")


def test_it_lies_down_where_it_slept_before() -> None:
    stage = evening(1)
    stage.where["Eliza"] = "The Lobby"
    stage.woken.add("Eliza")
    stage.think("Eliza")
    stage.run(EVENING)
    assert stage.where["Eliza"] == "The Lobby"
