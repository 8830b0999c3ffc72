"""Scenes in which a mind must not make up what was said, nor who it is."""

from __future__ import annotations

import re

from tests.unit.agents.brains.test_instinct import ask, garden


def test_two_lines_are_never_quoted_as_one(seed: int) -> None:
    stage = garden(seed)
    for words in ("The soup was good.", "I like it when it snows on Sundays."):
        stage.say("Visitor", words)
        stage.run(9)
    answer = ask(stage, "Eliza, when do I like snow?")
    assert "Sundays" in answer
    assert "soup" not in answer


def test_asked_to_forget_or_what_she_is_she_is_honest(seed: int) -> None:
    stage = garden(seed)
    stage.say("Visitor", "Eliza, my tooth hurts.")
    stage.run(9)
    assert re.search(r"forget|kept|lost|stays|written", ask(stage, "Eliza, forget my tooth"))
    assert re.search(r"program|machine", ask(stage, "Eliza, are you a robot?"))


def test_a_line_without_words_is_not_understood(seed: int) -> None:
    stage = garden(seed)
    stage.say("Visitor", "Eliza, lol.")
    stage.run(9)
    assert "lol" not in ask(stage, "'?").casefold()


def test_who_says_their_name_is_heard(seed: int) -> None:
    stage = garden(seed)
    answer = ask(stage, "Eliza, my name is Peter")
    assert "Peter" in answer
    assert "your name" not in answer
