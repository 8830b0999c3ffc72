"""How the instinct goes after a goal: it walks, looks, asks, tells once what it came to, and rests."""

from __future__ import annotations

import pytest

from agents.brains import Decision
from tests.unit.agents.brains.stage import VOICES, Stage

EXITS = {
    "The Garden": {"east": "The Lobby", "gate": "The Towpath"},
    "The Lobby": {"west": "The Garden", "up": "The Loft"},
    "The Loft": {"down": "The Lobby"},
    "The Towpath": {"gate": "The Garden"},
}
SEEDS = (1, 2)


def with_goal(goal: str, seed: int, voice: str = "default") -> Stage:
    stage = Stage(seed, EXITS)
    stage.mind("Eliza", voice_name=voice)
    stage.goals["Eliza"] = goal
    return stage


def thoughts(stage: Stage, seconds: float) -> list[Decision]:
    """Let it live, and return all it decided."""
    end, found = stage.seconds + seconds, []
    while stage.seconds < end:
        stage.seconds += 8
        found.append(stage.think("Eliza"))
    return found


def whys(decisions: list[Decision], beginning: str) -> list[Decision]:
    return [one for one in decisions if one.why.removeprefix("of its own accord: ").startswith(beginning)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_location_is_walked_to_told_of_once_and_noted(seed: int) -> None:
    stage = with_goal("Go to the Loft.", seed)
    lived = thoughts(stage, 1200)
    assert len(whys(lived, "reached what it wanted")) == 1
    assert [title for title in stage.minds["Eliza"].notes if title.startswith("Goal")] == ["Goal, the Loft"]
    assert not whys(lived[-60:], "looks for")


@pytest.mark.parametrize("seed", SEEDS)
def test_after_a_new_start_a_goal_that_was_reached_is_not_begun_again(seed: int) -> None:
    stage = with_goal("Go to the Loft.", seed)
    thoughts(stage, 1200)
    stage.restart("Eliza")
    stage.where["Eliza"] = "The Garden"
    lived = thoughts(stage, 400)
    assert not whys(lived, "looks for")
    assert not whys(lived, "reached")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_thing_to_be_fetched_is_taken_and_one_to_be_found_is_left_where_it_is(seed: int) -> None:
    for goal, has in (("Fetch the bronze fin.", ("bronze fin",)), ("Find the bronze fin.", ())):
        stage = with_goal(goal, seed)
        stage.items = {"The Loft": ("gilt hand", "bronze fin")}
        lived = thoughts(stage, 1500)
        assert stage.carried.get("Eliza", ()) == has
        assert len(whys(lived, "reached what it wanted")) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_who_is_here_is_asked_after_it_once(seed: int) -> None:
    stage = with_goal("Find the bronze fin.", seed)
    stage.items = {"The Loft": ("bronze fin",)}
    stage.enter("Anna")
    stage.think("Eliza")
    lived = thoughts(stage, 60)
    asked = whys(lived, "asks after its goal")
    assert len(asked) == 1
    assert "fin" in (asked[0].line or "")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_answer_to_a_question_is_told_with_who_gave_it(seed: int) -> None:
    stage = with_goal("Find out who broke the sundial.", seed)
    stage.enter("Anna")
    stage.think("Eliza")
    lived = thoughts(stage, 60)
    assert len(whys(lived, "asks after its goal")) == 1
    stage.where["Eliza"] = "The Garden"
    stage.say("Anna", "A carter from the mill broke the sundial with his wheel.")
    lived = thoughts(stage, 60)
    (told,) = whys(lived, "reached what it wanted")
    assert "carter" in (told.line or "")
    assert told.cites


@pytest.mark.parametrize("seed", SEEDS)
def test_a_search_without_an_end_comes_to_rest_and_says_so_once(seed: int) -> None:
    stage = with_goal("Find the silver unicorn.", seed)
    lived = thoughts(stage, 1700)
    assert len(whys(lived, "cannot find the silver unicorn")) == 1
    assert not whys(lived, "reached")


@pytest.mark.parametrize("voice", VOICES)
def test_it_speaks_of_its_goal_when_asked(voice: str) -> None:
    stage = with_goal("Find the silver unicorn.", 1, voice)
    stage.enter("Anna")
    stage.run(20)
    stage.where["Eliza"] = "The Garden"
    stage.say("Anna", "Eliza, what do you want?")
    stage.run(8)
    assert "unicorn" in stage.lines("Eliza")[-1].words
    stage.goals.clear()
    stage.where["Eliza"] = "The Garden"
    cleared = stage.seconds
    stage.say("Anna", "And what do you want now, Eliza?")
    stage.run(20)
    (answer, *_) = stage.lines("Eliza", cleared)
    assert "unicorn" not in answer.words


def test_a_new_goal_takes_the_place_of_the_old_one() -> None:
    stage = with_goal("Find the silver unicorn.", 2)
    thoughts(stage, 200)
    stage.goals["Eliza"] = "Go to the Towpath."
    lived = thoughts(stage, 600)
    assert len(whys(lived, "reached what it wanted: the Towpath")) == 1
    assert not whys(lived, "looks for the silver unicorn")
