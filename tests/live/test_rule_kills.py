"""The world killed in the middle of what rules do: after the restart it is what the ledger says, once."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from mud.engine.engine import changes_of
from mud.server.opening import saved_state
from mud.world.changes import Copy, Remove, StartTimer, StopTimer
from tests.processes import Running, loci
from tests.vaults import copy_vault, without_vectors

PRESS = """---
id: "#7001"
location: "[[The Garden]]"
fixed: true
---
# coin press

It stamps.

## Rules

- when press: it becomes warm; it becomes not warm; make copper coin; say "It stamps a coin."
- when it becomes warm: plate becomes bright; after 1 second: make copper coin in plate; plate becomes counted
- when plate becomes bright: plate becomes not counted; after 1 second: plate becomes not bright
"""
PLATE = '---\nid: "#7002"\nlocation: "[[The Garden]]"\nholds: on\nfixed: true\n---\n# plate\n'
COIN = """---
id: "#7003"
location: "[[The Loft]]"
---
# copper coin

Worn.

## Verbs

- press: You press the coin.

## Rules

- when melt: remove it
"""


def _vault(tmp_path: Path) -> Path:
    vault = without_vectors(copy_vault(tmp_path))
    for name, text in (("coin-press", PRESS), ("plate", PLATE), ("copper-coin", COIN)):
        (vault / f"world/items/{name}.md").write_text(text, encoding="utf-8")
    return vault


def _press_until_killed(world: Running, chance: random.Random) -> int:
    """Press coins as fast as answers come, killed at a moment nobody knows; return how often that was answered."""
    answered = 0
    killer = threading.Timer(chance.uniform(0.0, 1.6), world.kill)
    killer.start()
    try:
        for _ in range(10_000 if chance.random() < 0.5 else 3):
            world.say("press coin press", "It stamps a coin.")
            answered += 1
        world.rest()
    except AssertionError:  # the world is gone: that is what this is about
        pass
    finally:
        killer.join()
    return answered


def _records(vault: Path) -> list[dict[str, Any]]:
    lines = (line for path in sorted((vault / "log").glob("*.jsonl")) for line in path.read_text("utf-8").splitlines())
    return [record for record in map(json.loads, lines) if "changes" in record]


def _check(vault: Path, answered: int) -> None:
    records = _records(vault)
    numbers = [record["step"] for record in records]
    assert numbers == list(range(1, len(numbers) + 1)), "each step once, none missing"
    changes = [one for record in records for one in changes_of(record)]
    pressed = sum(record["line"] == "press coin press" for record in records)
    assert 0 < answered <= pressed
    made = [one.thing for one in changes if isinstance(one, Copy)]
    assert len(made) == len(set(made)), "no id was given twice"
    started = {one.timer for one in changes if isinstance(one, StartTimer)}
    stopped = [one.timer for one in changes if isinstance(one, StopTimer)]
    assert len(stopped) == len(set(stopped)), "no timer ended twice"
    assert stopped
    assert set(stopped) <= started
    state = saved_state(vault, [], writable=False)
    assert state is not None
    assert set(state.live.get("timers", {})) == started - set(stopped)
    assert set(state.live.get("made", {})) == set(made) - {one.thing for one in changes if isinstance(one, Remove)}
    lost = set(state.live.get("made", {})) - set(state.where)
    assert not lost, "a copy is nowhere"


def _life_of_kills(vault: Path, kills: int, seed: int) -> None:
    chance, answered = random.Random(seed), 0
    for _ in range(kills):
        world = Running(vault, "--no-agents", "--as", "Ann")
        world.read_until("Exits:")
        answered += _press_until_killed(world, chance)
    world = Running(vault, "--no-agents", "--as", "Ann")
    world.read_until("Exits:")
    world.type("quit")
    assert world.wait() == 0
    _check(vault, answered)
    done = loci("check", "--vault", vault)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_three_kills_in_the_middle_of_rules_lose_and_double_nothing(tmp_path: Path) -> None:
    _life_of_kills(_vault(tmp_path), kills=3, seed=8)


@pytest.mark.torture
def test_fifty_kills_in_the_middle_of_rules_lose_and_double_nothing(tmp_path: Path) -> None:
    _life_of_kills(_vault(tmp_path), kills=50, seed=80)
