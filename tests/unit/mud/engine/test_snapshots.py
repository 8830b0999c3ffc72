from __future__ import annotations

import json
from pathlib import Path

import pytest

from mud.clock import VirtualClock
from mud.engine.snapshots import read_snapshot, snapshot_steps
from mud.errors import VaultProblem
from mud.server.opening import world_of
from mud.server.wiring import opened
from mud.simulation.replay import replay
from mud.world.roles import Role
from tests.disks import file_size_limit
from tests.vaults import copy_vault, without_vectors
from tests.worlds import snapshot

LAMP = """---
id: "#900001"
location: "[[The Garden]]"
states: [lit, warm]
---
# lamp

## Rules

- when say: after 60 seconds: it becomes not lit
- when say: it becomes not warm; describe it "Cold."
- when say: make lamp
"""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    vault = without_vectors(copy_vault(tmp_path))
    (vault / "world/items/lamp.md").write_text(LAMP, encoding="utf-8")
    return vault


def _say(vault: Path, *words: str) -> None:
    with opened(vault, writable=True, clock=VirtualClock(), alone=True) as parts:
        for one in words:
            step = parts.engine.step("#2001", f"say {one}", Role.AGENT)
            assert not step.failed, step.reply
        parts.save()


def test_a_world_that_was_kept_is_the_world_with_all_that_no_file_holds(vault: Path) -> None:
    _say(vault, "one", "two")
    with opened(vault, writable=True, clock=VirtualClock(), alone=True) as parts:
        parts.ledger.begin()
        kept = read_snapshot(vault, 2)
        again, world = world_of(kept), parts.engine.world
        assert snapshot(again) == snapshot(world)
        assert again.live.as_json(again.things) == world.live.as_json(world.things)
        assert again.live.timers
        assert set(kept.witnesses) == parts.engine.witnesses
        assert kept.files["world/items/lamp.md"] == LAMP


def test_one_is_kept_at_each_opening_that_a_step_follows(vault: Path) -> None:
    _say(vault, "one", "two")
    with opened(vault, writable=True, clock=VirtualClock(), alone=True):
        pass
    _say(vault, "three")
    assert snapshot_steps(vault) == [0, 2]


def test_a_disk_that_takes_no_world_takes_steps_all_the_same_and_the_world_when_it_can(vault: Path) -> None:
    with opened(vault, writable=True, clock=VirtualClock(), alone=True) as parts:
        with file_size_limit(5_000):
            assert not parts.engine.step("#2001", "say one", Role.AGENT).failed
            assert snapshot_steps(vault) == []
        assert not parts.engine.step("#2001", "say two", Role.AGENT).failed
    assert snapshot_steps(vault) == [1]


def test_the_world_of_a_step_that_a_power_cut_took_is_kept_no_more(vault: Path) -> None:
    _say(vault, "one", "two", "three")
    _say(vault, "four")
    assert snapshot_steps(vault) == [0, 3]
    ledger = vault / "log/ledger-0000000001.jsonl"
    ledger.write_text(ledger.read_text("utf-8").splitlines(keepends=True)[0], encoding="utf-8")
    (vault / "world/state.md").unlink()
    for path in vault.glob("agents/*/archive/*"):
        path.unlink()
    _say(vault, "five")
    assert snapshot_steps(vault) == [0, 1]
    assert replay(vault, verify=True).difference is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"state": 1, "things": [], "files": {}, "witnesses": []}'])
def test_one_that_was_edited_is_a_problem_with_its_name(vault: Path, text: str) -> None:
    _say(vault, "one")
    (vault / "log/worlds/0000000000.json").write_text(text, encoding="utf-8")
    with pytest.raises(VaultProblem, match=r"log/worlds/0000000000.json"):
        read_snapshot(vault, 0)


def test_one_whose_state_is_wrong_says_which_part(vault: Path) -> None:
    _say(vault, "one")
    path = vault / "log/worlds/0000000000.json"
    data = json.loads(path.read_text("utf-8"))
    data["state"]["where"] = 7
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(VaultProblem, match=r"log/worlds/0000000000.json:1: where: it is not in order"):
        read_snapshot(vault, 0)
