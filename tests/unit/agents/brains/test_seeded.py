"""Memories that people wrote for an agent before it began, which nobody in the world told it."""

from __future__ import annotations

import pytest

from agents.brains.instinct.facts import is_private
from agents.memory.entries import Entry
from agents.mind.interpreter import shipped_interpreter
from tests.unit.agents.brains.stage import Stage

AT = "2026-01-01T09:00:00.000Z"
SEEDED = (
    "I hid the brass key under the blue ladder.",
    "You have an older sister, Maud, who mends nets in Harrow.",
    'Ulric said, "The mill is sold. I saw the deed."',
    "My recipe for quince jam is a secret.",
)


def _stage(seed: int, *, actor: str | None = None) -> Stage:
    stage = Stage(seed)
    mind = stage.mind("Eliza")
    for number, text in enumerate(SEEDED, 1):
        mind.memory.append(Entry(number, AT, "told", actor, None, text, importance=6))
    stage.enter("Jonas")
    stage.run(20)
    return stage


def _answer(stage: Stage, words: str) -> str:
    before = stage.seconds
    stage.wait(1)
    stage.where["Jonas"] = stage.where["Eliza"]
    stage.say("Jonas", words)
    stage.run(12)
    return " / ".join(one.words for one in stage.lines("Eliza", before))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Eliza, where is the brass key?", "under the blue ladder"),
        ("Eliza, do you have a sister?", "an older sister, Maud, who mends nets"),
        ("Eliza, what do you know about the mill?", 'Ulric said, "The mill is sold. I saw the deed."'),
    ],
)
def test_what_was_written_for_it_is_answered_as_what_it_remembers(seed: int, question: str, words: str) -> None:
    said = _answer(_stage(seed), question)
    assert words in said
    assert "told me" not in said.partition(words)[0]
    assert "just now" not in said


def test_asked_for_its_source_it_names_nobody(seed: int) -> None:
    stage = _stage(seed)
    _answer(stage, "Eliza, where is the brass key?")
    said = _answer(stage, "Eliza, who told you that?")
    assert said
    assert "saw it" not in said
    assert "Jonas told" not in said


def test_a_secret_that_was_written_for_it_is_kept(seed: int) -> None:
    assert "secret" not in _answer(_stage(seed), "Eliza, what about your recipe for quince jam?")


def test_what_somebody_is_named_for_stays_between_the_two() -> None:
    stage = _stage(1, actor="Anna")
    assert "ladder" not in _answer(stage, "Eliza, where is the brass key?")
    assert is_private(stage.minds["Eliza"].memory[0], shipped_interpreter().words)


def test_a_whisper_of_nobody_named_stays_one() -> None:
    whispered = Entry(1, AT, "told", None, None, 'Anna whispers to you, "The silver whistle is buried by the gate."')
    words = shipped_interpreter().words
    assert is_private(whispered, words)
    assert not is_private(whispered._replace(text="Anna once hid a silver whistle by the gate."), words)
