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

GIVEN = 6000
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
        _killed(vault, life, chance.uniform(0.5, 5.0))
        _check(vault, told)
    assert loci("remember", "wren", life, "--no-wait", "--vault", vault).returncode == 0
    _check(vault, told)


def test_three_kills_of_a_life_given_in_bulk_lose_nothing(tmp_path: Path) -> None:
    _kills(tmp_path, kills=3, seed=3)


@pytest.mark.torture
def test_sixty_kills_of_a_life_given_in_bulk_lose_nothing(tmp_path: Path) -> None:
    _kills(tmp_path, kills=60, seed=60)
