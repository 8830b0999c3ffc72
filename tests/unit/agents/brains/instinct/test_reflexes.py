from __future__ import annotations

from agents.brains import Situation
from agents.brains.instinct.reflexes import Reflexes
from agents.mind.interpreter import shipped_interpreter
from agents.text.habits import Habit
from mud.world.events import Event, Perception

GATE = Habit("somebody leaves the gate open", "closes it", "the bees", reflex=True)
YARD = Habit("it rains", 'says "In with you!"', reflex=True, place="The Bee Yard")
HERE = Situation(
    "Wren", "", "wren", "The Garden", "", (), (), (), (), (), (), "", 0.0,
    habits=(Habit("mornings", "tends the hives"), YARD, GATE),
)  # fmt: skip


def _seen(text: str, kind: str = "action", actor: str | None = "Ann") -> Perception:
    return Perception("#1", "saw", text, actor, event=Event(kind, "#2", "#1001", text))


def test_a_reflex_follows_on_what_was_seen_once() -> None:
    reflexes = Reflexes(shipped_interpreter)
    reflexes.notice(_seen("Ann leaves the gate open."))
    assert reflexes.act(HERE).line == "emote closes it. | the bees"
    assert reflexes.act(HERE).line is None


def test_nothing_else_is_done_without_a_mind() -> None:
    reflexes = Reflexes(shipped_interpreter)
    reflexes.notice(_seen('Ann says, "Wren, good morning."', "speech"))
    assert reflexes.act(HERE).line is None


def test_a_reflex_of_another_place_waits_for_nobody() -> None:
    reflexes = Reflexes(shipped_interpreter)
    reflexes.notice(_seen("It rains.", "change", None))
    assert reflexes.act(HERE).line is None
    reflexes.notice(_seen("It rains.", "change", None))
    assert reflexes.act(HERE._replace(location="The Bee Yard")).line == "say In with you!"
