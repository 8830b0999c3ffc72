"""`simulate` as real processes: the same world whatever Python hashes by, and a kept world that can be walked into."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.processes import Running, loci, loci_json
from tests.vaults import ROOT, copy_vault


def _simulated(vault: Path, steps: int, *args: str, hashing: str = "0") -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "mud", "simulate", "--vault", str(vault), "--steps", str(steps), "--json", *args],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hashing},
        capture_output=True,
        text=True,
        check=True,
    )
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def test_two_processes_that_hash_otherwise_make_the_same_world(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    first, second = (_simulated(vault, 500, "--agents", "12", "--seed", "7", hashing=seed) for seed in ("1", "2"))
    for key in ("state_hash", "world_seconds", "events", "memories", "thoughts", "compactions", "repetition_rate"):
        assert first[key] == second[key], key


def test_one_may_walk_into_a_world_that_was_kept(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    record = _simulated(vault, 400, "--agents", "10", "--seed", "7", "--keep")
    assert loci("check", "--vault", vault).returncode == 0
    (status,) = loci_json("status", "Corvin", "--vault", vault)
    assert status["total"] > 10
    world = Running(vault, "--no-agents", "--as", "Ann")
    world.read_until("Exits:")
    who = world.say("who", "Ann")
    world.type("quit")
    who += world.rest()
    assert sum("[AI]" in line for line in who) == record["agents"]
    assert world.wait() == 0


@pytest.mark.torture
def test_twenty_agents_live_through_twenty_thousand_lines_twice_alike(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    first, second = (_simulated(vault, 20_000, "--agents", "20", "--seed", "7", hashing=seed) for seed in ("1", "2"))
    assert first["state_hash"] == second["state_hash"]
    assert first["repetition_rate"] < 0.05
    assert first["locations_visited"] == first["locations"]
    assert first["fewest_spoken_with"] >= 5
    assert first["silent_at_the_end"] == 0
    assert first["rss_mb"] < 1.25 * first["rss_mb_at_half"]
