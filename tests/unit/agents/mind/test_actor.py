from __future__ import annotations

from pathlib import Path

from agents.definition import AgentDefinition
from agents.memory.entries import Entry
from agents.memory.memory import Memory
from agents.memory.notes import Notes
from agents.mind.actor import Actor, situate
from mud.clock import VirtualClock
from mud.world.events import Perception
from tests.worlds import ANN, ELIZA, do, left_with, make_engine, small_world

ELIZA_IS = AgentDefinition("eliza", ELIZA, "Eliza", profile="Curious.", goal="the fin")


def _memory(tmp_path: Path) -> Memory:
    memory = Memory("Eliza", tmp_path, VirtualClock())
    memory.open(writable=True)
    return memory


def test_what_one_step_left_is_kept_in_order_and_told_on_once(tmp_path: Path) -> None:
    told: list[list[Entry]] = []
    memory = _memory(tmp_path)
    Actor(memory, lambda entries: told.append(list(entries))).perceive(
        7, "2026-01-01T00:00:00.000Z", [Perception(ELIZA, "saw", "one"), Perception(ELIZA, "heard", "two", "Ann")]
    )
    (entries,) = told
    assert [(one.seq, one.text, one.source) for one in entries] == [(1, "one", 7), (2, "two", 7)]
    memory.close()


def test_a_mind_submits_with_the_rank_of_an_agent(tmp_path: Path) -> None:
    engine = make_engine()
    actor = Actor(_memory(tmp_path), lambda entries: None)
    assert not actor.submit(engine, ELIZA, "say hello").failed
    assert actor.submit(engine, ELIZA, "@save").failed


def test_a_character_perceives_where_it_stands_and_nothing_else(tmp_path: Path) -> None:
    memory = _memory(tmp_path)
    here = situate(ELIZA_IS, small_world(), memory, Notes(tmp_path / "notes"), 5.0)
    assert here is not None
    assert (here.location, here.exits, here.items) == ("The Garden", ("north", "gate"), ("brass lamp", "sundial"))
    assert [(one.name, one.thinks) for one in here.people] == [("Margery", False), ("Ann", False)]
    assert (here.name, here.profile, here.goal, here.seconds) == ("Eliza", "Curious.", "the fin", 5.0)
    assert here.carrying == ()
    memory.close()


def test_what_it_carries_and_remembers_is_in_the_situation(tmp_path: Path) -> None:
    engine, memory, notes = make_engine(), _memory(tmp_path), Notes(tmp_path / "notes")
    do(engine, "take lamp", ELIZA)
    notes.add("Sundial", "No fin.", "2026-01-01T00:00:00.000Z", None, None)
    memory.append([Perception(ELIZA, "saw", "a heron")], "2026-01-01T00:00:00.000Z", 1)
    here = situate(ELIZA_IS, engine.world, memory, notes, 0.0)
    assert here is not None
    assert (here.carrying, here.notes) == (("brass lamp",), ("Sundial",))
    assert [entry.text for entry in here.recent] == ["a heron"]
    memory.close()


def test_one_who_is_nowhere_has_no_situation(tmp_path: Path) -> None:
    nobody = AgentDefinition("x", "#9", "X")
    memory = _memory(tmp_path)
    assert situate(nobody, small_world(), memory, Notes(tmp_path / "notes"), 0.0) is None


def test_a_person_perceives_as_an_agent_does() -> None:
    engine = make_engine()
    step = do(engine, "say good morning", ELIZA)
    assert left_with(step, ANN) == ['Eliza says, "good morning"']
