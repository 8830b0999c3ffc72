"""`remember` killed in the middle of heavy folding: what is there is whole, in order, and goes on."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from agents.memory.summaries import parse_summary
from tests.processes import loci, loci_json, memories, started, texts
from tests.vaults import copy_vault, without_vectors

GIVEN = 4000
"""Memories of a life that is resumed."""
STEP = 0.002
"""Seconds between two looks at the archive, spent waiting for the process's end."""


def _life(path: Path, count: int) -> list[str]:
    names = ("Moss", "Tamsin", "Wendell")
    told = [f'{names[one % 3]} says, "The bell of the {names[one % 2]} mill rang {one} times."' for one in range(count)]
    records = ({"text": text, "kind": "heard", "actor": names[one % 3]} for one, text in enumerate(told))
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return told


def _killed_at(vault: Path, life: Path, size: int, *options: str) -> bool:
    """Give a life, and kill the process when the archive has grown by so many bytes; whether it came to that."""
    archive, before = vault / "agents/wren/archive", _size(vault)
    with open(os.devnull, "r+b") as nothing:  # noqa: PTH123  (three streams)
        command = ["remember", "wren", life, "--create", "--no-wait", *options, "--vault", vault]
        process = started(command, (nothing.fileno(),) * 3)
    while not archive.exists() or _size(vault) < before + size:
        try:
            process.wait(STEP)
        except subprocess.TimeoutExpired:
            continue
        return False
    process.kill()
    return process.wait() != 0


def _size(vault: Path) -> int:
    return sum(path.stat().st_size for path in (vault / "agents/wren/archive").glob("*.jsonl"))


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


def _kills(tmp_path: Path, kills: int, seed: int, count: int) -> None:
    vault, life, chance = without_vectors(copy_vault(tmp_path)), tmp_path / "life.jsonl", random.Random(seed)
    told = _life(life, count)
    for _ in range(kills):
        assert _killed_at(vault, life, chance.randint(1, 120 * count))
        _check(vault, told)
    assert loci("remember", "wren", life, "--no-wait", "--vault", vault).returncode == 0
    _check(vault, told)


def test_three_kills_of_a_life_given_in_bulk_lose_nothing(tmp_path: Path) -> None:
    _kills(tmp_path, kills=3, seed=3, count=1000)


@pytest.mark.parametrize("ids", [pytest.param(False, marks=pytest.mark.torture), True])
def test_a_life_that_is_resumed_after_every_kill_is_there_once_and_whole(tmp_path: Path, ids: bool) -> None:
    vault, life = without_vectors(copy_vault(tmp_path)), tmp_path / "life.jsonl"
    told = _life(life, GIVEN)
    if ids:
        records = [{"id": f"bell-{at}", "text": text} for at, text in enumerate(told)]
        life.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    kills = [_killed_at(vault, life, size, "--resume") for size in (1, 50_000, 150_000, 300_000)]
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
    _kills(tmp_path, kills=60, seed=60, count=4000)
