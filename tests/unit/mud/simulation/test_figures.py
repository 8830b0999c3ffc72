from __future__ import annotations

from pathlib import Path

import pytest

from mud.clock import VirtualClock
from mud.engine.engine import Engine, Step
from mud.server.wiring import Parts, opened
from mud.simulation.figures import ANSWER, Figures, resident, state_hash
from mud.world.changes import FallAsleep, Leave, Put, Remove
from mud.world.roles import Role
from tests.vaults import copy_vault, without_vectors
from tests.worlds import ANN, ELIZA, GARDEN, LIBRARY, LOBBY, LOFT, MOSS, make_engine, small_world


class Stage:
    """The small world, with a clock and figures, in which somebody does something."""

    def __init__(self, steps: int = 100) -> None:
        self.clock = VirtualClock()
        self.engine: Engine = make_engine(small_world())
        self.figures = Figures([ELIZA, MOSS], [GARDEN, LOBBY, LIBRARY, LOFT], self.clock, steps)
        self.engine.observe(self.figures.observe)

    def do(self, who: str, line: str, after: float = 0.0) -> Step:
        self.clock.advance(after)
        step = self.engine.step(who, line, Role.AGENT)
        self.figures.submitted(step)
        return step

    def told(self, key: str) -> object:
        return self.figures.record()[key]


def test_lines_commands_and_events_are_counted() -> None:
    stage = Stage()
    stage.do(ELIZA, "say good morning")
    stage.do(ELIZA, "take the moon")
    stage.do(ELIZA, "go north")
    assert (stage.figures.steps, stage.figures.commands, stage.figures.events) == (3, 2, 3)


def test_a_location_counts_as_visited_when_somebody_walks_in() -> None:
    stage = Stage()
    assert (stage.told("locations_visited"), stage.told("locations")) == (0, 4)
    stage.do(ELIZA, "go north")
    stage.do(ELIZA, "go north")
    stage.do(ELIZA, "go south")
    assert stage.told("locations_visited") == 2


def test_only_an_answer_soon_after_makes_two_speak_with_each_other() -> None:
    stage = Stage()
    stage.do(ELIZA, "go north")
    stage.do(ELIZA, "go north")
    stage.do(ELIZA, "say good morning, Moss")
    assert stage.told("fewest_spoken_with") == 0
    stage.do(MOSS, "say you are late", after=ANSWER + 1)
    assert stage.told("fewest_spoken_with") == 0
    stage.do(ELIZA, "whisper Moss I know", after=ANSWER)
    assert stage.told("fewest_spoken_with") == 1


def test_who_stands_elsewhere_is_not_spoken_with() -> None:
    stage = Stage()
    for who in (ELIZA, MOSS, ELIZA, MOSS):
        stage.do(who, "say is there nobody?")
    assert stage.told("fewest_spoken_with") == 0


def test_the_longest_silence_is_that_of_one_agent_and_lasts_until_now() -> None:
    stage = Stage()
    stage.do(ELIZA, "look", after=5)
    stage.do(MOSS, "look", after=5)
    stage.do(ELIZA, "look", after=40)
    assert stage.told("longest_silence_seconds") == 45
    stage.clock.advance(10)
    assert stage.told("longest_silence_seconds") == 50


def test_who_does_nothing_in_the_last_tenth_is_silent_at_the_end() -> None:
    stage = Stage(20)
    for number in range(19):
        stage.do(MOSS if number < 18 else ANN, "look")
    assert stage.told("silent_at_the_end") == 2
    stage.do(ELIZA, "look")
    assert stage.told("silent_at_the_end") == 1


def test_repeated_lines_are_those_of_one_speaker() -> None:
    stage = Stage()
    for who in (ELIZA, MOSS, ELIZA, ELIZA):
        stage.do(who, "say the moss grows slowly")
    assert (stage.told("lines_spoken"), stage.told("lines_repeated"), stage.figures.repetition_rate) == (4, 2, 0.5)


def test_the_memory_of_this_process_is_some_megabytes() -> None:
    size = resident()
    assert size is None or size > 10


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


def _hash(parts: Parts) -> str:
    return state_hash(parts.engine.world, parts.minds.opened())


def test_the_same_state_has_the_same_hash_whoever_is_named_first_and_however_often_it_is_opened(vault: Path) -> None:
    with opened(vault, writable=True) as parts:
        parts.minds.get("Eliza").memory.append_raw([{"text": "A pear fell."}])
        first = _hash(parts)
        assert state_hash(parts.engine.world, reversed(parts.minds.opened())) == first
        assert len(first) == 64
    with opened(vault, writable=False) as parts:
        assert _hash(parts) == first


def test_every_change_of_the_world_changes_it(vault: Path) -> None:
    with opened(vault, writable=False) as parts:
        world, hashes = parts.engine.world, [_hash(parts)]
        eliza, moss = (parts.minds.get(name).id for name in ("Eliza", "Moss"))
        for change in (Put(eliza, "#1002"), FallAsleep(eliza), Put("#1102", eliza), Leave(moss), Remove("#1102")):
            world.apply([change])
            hashes.append(_hash(parts))
        assert len(set(hashes)) == len(hashes)


def test_every_memory_and_every_fold_changes_it_and_the_time_does_not(vault: Path) -> None:
    with opened(vault, writable=True) as parts:
        eliza, moss = parts.minds.get("Eliza"), parts.minds.get("Moss")
        hashes = [_hash(parts)]
        eliza.memory.append_raw([{"text": "A pear fell.", "at": "2026-01-01T00:00:00.000Z"}])
        hashes.append(_hash(parts))
        moss.memory.append_raw([{"text": "A pear fell."}] * 128)
        hashes.append(_hash(parts))
        moss.memory.append_raw([{"text": "A pear fell."}])
        moss.compactor.fold_due_now()
        assert moss.memory.compactions == 1
        hashes.append(_hash(parts))
        assert len(set(hashes)) == len(hashes)
