"""`remember` killed at random moments of heavy folding: what is there is whole, in order, and goes on."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from agents.memory.summaries import parse_summary
from tests.processes import loci, loci_json, memories, texts
from tests.vaults import ROOT, copy_vault, without_vectors

GIVEN = 4000
"""Memories of one attempt; some seconds of folding."""


def _life(path: Path) -> list[str]:
    names = ("Moss", "Tamsin", "Wendell")
    told = [f'{names[one % 3]} says, "The bell of the {names[one % 2]} mill rang {one} times."' for one in range(GIVEN)]
    records = ({"text": text, "kind": "heard", "actor": names[one % 3]} for one, text in enumerate(told))
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return told


def _killed(vault: Path, life: Path, seconds: float) -> None:
    command = [sys.executable, "-m", "mud", "remember", "wren", str(life), "--create", "--no-wait"]
    process = subprocess.Popen(
        [*command, "--vault", str(vault)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _check(vault: Path, told: list[str]) -> None:
    found = memories(vault, "wren") if (vault / "agents/wren/archive").exists() else []
    assert [record["seq"] for record in found] == list(range(1, len(found) + 1))
    rest = texts(found)
    while rest:  # every attempt left a beginning of what it was given
        count = next((at for at, text in enumerate(rest[1:], 1) if text == told[0]), len(rest))
        assert rest[:count] == told[:count]
        rest = rest[count:]
    (status,) = loci_json("status", "wren", "--vault", vault)
    assert (status["total"], status["gaps"], status["overlaps"]) == (len(found), [], [])
    for path in (vault / "agents/wren/summaries").glob("*.md"):
        parse_summary(path.read_text(encoding="utf-8"), path.name.split("-")[0].removesuffix(".md"), path.name)


def _kills(tmp_path: Path, kills: int, seed: int) -> None:
    vault, life, chance = without_vectors(copy_vault(tmp_path)), tmp_path / "life.jsonl", random.Random(seed)
    told = _life(life)
    assert loci("remember", "wren", life, "--create", "--no-wait", "--vault", vault).returncode == 0
    for _ in range(kills):
        _killed(vault, life, chance.uniform(0.5, 3.0))
        _check(vault, told)
    assert loci("remember", "wren", life, "--no-wait", "--vault", vault).returncode == 0
    _check(vault, told)


def test_three_kills_of_a_life_given_in_bulk_lose_nothing(tmp_path: Path) -> None:
    _kills(tmp_path, kills=3, seed=3)


def _killed_at(vault: Path, life: Path, size: int) -> bool:
    """Go on with a life, and kill the process when the archive has grown by so many bytes; whether it came to that."""
    archive, before = vault / "agents/wren/archive", _size(vault)
    command = [sys.executable, "-m", "mud", "remember", "wren", str(life), "--create", "--no-wait", "--resume"]
    process = subprocess.Popen(
        [*command, "--vault", str(vault)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None:
        if archive.exists() and _size(vault) >= before + size:
            process.kill()
            return process.wait() != 0
    return False


def _size(vault: Path) -> int:
    return sum(path.stat().st_size for path in (vault / "agents/wren/archive").glob("*.jsonl"))


@pytest.mark.parametrize("ids", [pytest.param(False, marks=pytest.mark.torture), True])
def test_a_life_that_is_resumed_after_every_kill_is_there_once_and_whole(tmp_path: Path, ids: bool) -> None:
    vault, life = without_vectors(copy_vault(tmp_path)), tmp_path / "life.jsonl"
    told = _life(life)
    if ids:
        records = [{"id": f"bell-{at}", "text": text} for at, text in enumerate(told)]
        life.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    kills = [_killed_at(vault, life, size) for size in (1, 50_000, 150_000, 300_000)]
    assert all(kills)
    found = texts(memories(vault, "wren"))
    assert 0 < len(found) < len(told)
    assert found == told[: len(found)]
    (record,) = loci_json("remember", "wren", life, "--no-wait", "--resume", "--vault", vault)
    assert (record["resumed_after"], record["first"], record["taken"]) == (len(found), len(found) + 1, GIVEN)
    _check(vault, told)
    assert texts(memories(vault, "wren")) == told


@pytest.mark.torture
def test_sixty_kills_of_a_life_given_in_bulk_lose_nothing(tmp_path: Path) -> None:
    _kills(tmp_path, kills=60, seed=60)
