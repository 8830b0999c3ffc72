"""Scenes with one mind, Eliza, in a garden: people come, say something, and she answers."""

from __future__ import annotations

from agents.brains import Decision
from tests.unit.agents.brains.stage import Stage


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


def thought(stage: Stage, who: str, words: str) -> Decision:
    """Say something to Eliza and return how she decides to answer."""
    stage.say(who, f"Eliza, {words}")
    return stage.think("Eliza")
