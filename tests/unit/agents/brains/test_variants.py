"""No line of an agent comes again within its last twenty, in any voice; and every text has words enough for that."""

from __future__ import annotations

import pytest

from agents.brains._texts import TEXTS as KEYS
from agents.text.english import LOOKBACK, repeats
from tests.unit.agents.brains.stage import VOICES, Stage, voice

SPOKEN = ("greet", "reply", "self", "goal", "ack", "opinion", "answer", "unknown", "talk", "night", "think", "emote")
"""Sections whose texts others hear or see, or the agent itself thinks."""
EXITS = {
    "The Garden": {"east": "The Lobby", "stile": "The Bee Yard"},
    "The Lobby": {"west": "The Garden"},
    "The Bee Yard": {"stile": "The Garden"},
}
TALK = (
    "Eliza, how are you?",
    "Eliza, where is the silver key?",
    "Moss, what do you think of this place?",
    "Eliza, thank you.",
    "What is new, Moss?",
    "Moss, tell me a joke.",
    "The bees swarmed at noon.",
    "Eliza, you are very kind.",
    "Moss, what should I do?",
    "Eliza, what do you want?",
    "Moss, who are you?",
    "Eliza, where is the silver key?",
    "Moss, do you know me?",
    "Eliza, what did I promise you?",
    "I promise to bring you a lantern, Eliza.",
    "Moss, you are wrong.",
    "Eliza, what did I say about the bees?",
    "Goodbye for now, Eliza.",
)


@pytest.mark.parametrize("name", VOICES)
def test_nothing_is_said_again_within_twenty_lines_in_any_voice(name: str) -> None:
    stage = Stage(7, EXITS)
    stage.items = {"The Lobby": ("tall clock", "row of keys"), "The Bee Yard": ("straw hives",)}
    stage.goals["Eliza"] = "Find the silver unicorn."
    for mind in ("Eliza", "Moss"):
        stage.mind(mind, voice_name=name)
    stage.enter("Anna")
    for number in range(120):
        stage.where["Anna"] = stage.where["Eliza"] if number % 2 else stage.where["Moss"]
        stage.say("Anna", TALK[number % len(TALK)])
        stage.run(15)
    for mind in stage.minds:
        lines = [one.words for one in stage.lines(mind)]
        assert len(lines) > 2 * LOOKBACK
        again = [line for at, line in enumerate(lines) if repeats(line, lines[max(0, at - LOOKBACK) : at])]
        assert again == []


@pytest.mark.parametrize("name", VOICES)
def test_every_text_that_is_spoken_has_variants(name: str) -> None:
    least = 3 if name == "default" else 2
    counts = {key: len(set(voice(name, key))) for key in KEYS if key.split(".")[0] in SPOKEN}
    assert {key: count for key, count in counts.items() if count < least} == {}
