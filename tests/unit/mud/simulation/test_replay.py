from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mud.clock import VirtualClock
from mud.commands import Command, Context, Outcome, command
from mud.errors import LociError
from mud.registry import Registry
from mud.server.generating import WorldPlan, generate
from mud.server.wiring import load_commands, opened
from mud.simulation.replay import Replay, replay
from mud.simulation.run import SimulationPlan, simulate
from mud.storage.trash import throw_away
from mud.world.roles import Role
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

CLOCK = """---
id: "#900001"
---
# hall clock

## Rules

- when it becomes struck: after 20 seconds: it becomes not struck; after 5 seconds: tell "A spring whirs."
- when enter: it becomes struck; describe it "Seen by {actor}."
- when say if chance 1 in 2: make hall clock
"""
"""A thing whose rules wait, draw lots and make more of it."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


def _live(vault: Path, steps: int = 60, seed: int = 7) -> str:
    plan = SimulationPlan(vault, steps, None, seed, keep=True)
    return str(simulate(plan, lambda text: None)["state_hash"])


def _verified(vault: Path, commands: Registry[Command] | None = None) -> Replay:
    return replay(vault, verify=True, commands=commands)


def _ledger(vault: Path) -> Path:
    return vault / "log/ledger-0000000001.jsonl"


def _edit_step(vault: Path, number: int, edit: Callable[[dict[str, object]], object]) -> None:
    lines = _ledger(vault).read_text("utf-8").splitlines()
    step = json.loads(lines[number - 1])
    edit(step)
    lines[number - 1] = json.dumps(step, ensure_ascii=False)
    _ledger(vault).write_text("".join(f"{line}\n" for line in lines), "utf-8")


SEEDS = [pytest.param(seed, marks=[pytest.mark.torture] if seed > 3 else []) for seed in range(1, 101)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_world_played_again_is_the_same_world(tmp_path: Path, seed: int) -> None:
    source, vault = without_vectors(copy_vault(tmp_path)), tmp_path / "made"
    put(source, "world", day_hours=0.05, weather=("clear 2", "rainy 1"), weather_hours=0.1)
    generate(source, vault, WorldPlan(3 + seed % 9, 2 + seed % 4, seed))
    (vault / "world/items/hall-clock.md").write_text(CLOCK, encoding="utf-8")
    came_to = _live(vault, 40 + seed, seed)
    found = _verified(vault)
    assert found.difference is None
    assert (found.state_hash, found.recorded_hash, found.before) == (came_to, came_to, 0)
    assert found.lines >= 40 + seed


def test_what_came_from_outside_is_taken_from_the_record(vault: Path) -> None:
    _live(vault, 20)
    location = vault / "world/locations/the-garden.md"
    location.write_text(f"{location.read_text('utf-8')}\nSomebody has swept.\n", "utf-8")  # while no world runs
    came_to = _live(vault, 20, seed=8)
    found = _verified(vault)
    assert (found.difference, found.state_hash) == (None, came_to)


def test_an_edit_that_no_step_has_is_named_with_the_thing(vault: Path) -> None:
    _live(vault, 10)
    location = vault / "world/locations/the-garden.md"
    location.write_text(location.read_text("utf-8").replace("# The Garden", "# The Yard"), "utf-8")
    for path in (vault / "world/locations").glob("*.md"):
        path.write_text(path.read_text("utf-8").replace("[[The Garden]]", "[[The Yard]]"), "utf-8")
    found = _verified(vault)
    assert found.difference is not None
    assert "after it, by no step of the ledger, #1001 differ;" in str(found.difference)


@pytest.mark.parametrize("removed", ["forgotten while it ran", "folder gone while it did not"])
def test_who_was_taken_out_of_the_world_is_no_difference(vault: Path, removed: str) -> None:
    _live(vault, 20)
    if removed == "forgotten while it ran":
        with opened(vault, writable=True, clock=VirtualClock()) as parts:
            parts.engine.leave(parts.minds.definitions["moss"].thing())
            throw_away(vault, vault / "agents/moss", parts.clock.now())
            parts.save()
    else:
        shutil.rmtree(vault / "agents/moss")
    assert _verified(vault).same


rolled = itertools.count(1)


@command("roll", category="query", keeps="skip")
def roll(ctx: Context) -> Outcome:
    """Say a number that is another one each time, whatever the world is.

    Example: roll
    """
    return Outcome(f"It shows {next(rolled)}.")


@command("count", category="query", keeps="store")
def count(ctx: Context) -> Outcome:
    """Say a number that hangs on nothing in the world.

    Example: count
    """
    return Outcome(f"It shows {next(rolled)}.")


def test_a_command_that_goes_by_more_than_the_world_is_found_at_its_very_step(vault: Path) -> None:
    commands: Registry[Command] = load_commands().joined([roll, count])
    with opened(vault, writable=True, clock=VirtualClock(), alone=True) as parts:
        engine, eliza = parts.engine, parts.minds.get("eliza")
        engine.commands = commands
        engine.observe(parts.minds.observe)
        for line in ("look", "say one", "roll", "say two", "count", "say three"):
            step = engine.step(eliza.id, line, Role.OWNER)
            assert not step.failed, step.reply
        parts.save()
    found = _verified(vault, commands).difference
    assert found is not None
    assert (found.step, found.line, found.what) == (5, "count", "the perceptions")  # of `roll` nothing was kept
    assert str(found).startswith("step 5 (count): the perceptions differ; recorded: [{")


def test_a_change_of_the_record_is_found_at_its_very_step(vault: Path) -> None:
    _live(vault, 30)
    _edit_step(vault, 12, lambda step: step.update(changes=[{"awake": "#2001"}]))
    found = _verified(vault).difference
    assert found is not None
    assert (found.step, found.what) == (12, "the changes")


def test_a_step_that_is_missing_or_no_step_of_ours_is_told(vault: Path) -> None:
    _live(vault, 30)
    text = _ledger(vault).read_text("utf-8")
    _ledger(vault).write_text(
        "".join(text.splitlines(keepends=True)[:9] + text.splitlines(keepends=True)[10:]), "utf-8"
    )
    with pytest.raises(LociError, match="the ledger lacks step 10"):
        _verified(vault)
    _ledger(vault).write_text(text, "utf-8")
    _edit_step(vault, 7, lambda step: step.pop("at"))
    with pytest.raises(LociError, match="step 7 of the ledger is not as the program writes steps"):
        _verified(vault)


def test_steps_from_before_the_first_kept_world_are_counted(vault: Path) -> None:
    _live(vault, 10)
    before = len(_ledger(vault).read_text("utf-8").splitlines())
    (vault / "log/worlds/0000000000.json").unlink()
    with pytest.raises(LociError, match="no step of this ledger can be played again"):
        _verified(vault)
    came_to = _live(vault, 10)
    found = _verified(vault)
    assert (found.before, found.first, found.state_hash) == (before, before + 1, came_to)


def test_a_replay_writes_nothing_and_may_run_beside_the_world(vault: Path) -> None:
    _live(vault, 10)
    with opened(vault, writable=True, clock=VirtualClock(), alone=True):
        before = {path: path.stat().st_mtime_ns for path in vault.rglob("*")}
        assert _verified(vault).difference is None
        assert {path: path.stat().st_mtime_ns for path in vault.rglob("*")} == before
