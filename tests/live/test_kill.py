"""The world killed at random moments: what was answered is remembered, ranges tile, ids and places stay."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from tests.processes import Running, loci_json, memories, texts
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

WINDOWS = {"immediate_window": 6, "recent_window": 5}
"""Small ones, so that kills meet folds."""


def _vault(tmp_path: Path) -> Path:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "memory_compaction", **WINDOWS)
    return vault


def _talk_until_killed(world: Running, numbers: range, chance: random.Random) -> list[str]:
    """Talk as fast as answers come, killed by another thread at a moment nobody knows; return what was answered."""
    answered: list[str] = []
    killer = threading.Timer(chance.uniform(0.0, 0.4), world.kill)
    killer.start()
    try:
        for number in numbers:
            world.say(f"say sentence {number} of my long talk", f"sentence {number} of")
            answered.append(f'You say, "sentence {number} of my long talk"')
    except AssertionError:  # the world is gone: that is what this is about
        pass
    finally:
        killer.join()
    return answered


def _check(vault: Path, answered: list[str]) -> None:
    for slug in ("ann", "eliza"):
        numbers = [record["seq"] for record in memories(vault, slug)]
        assert numbers == list(range(1, len(numbers) + 1))
        (status,) = loci_json("status", slug, "--vault", vault)
        assert (status["total"], status["gaps"], status["overlaps"]) == (len(numbers), [], [])
    said = texts(memories(vault, "ann"))
    missing = [text for text in answered if text not in said]
    assert missing == []
    assert len(said) == len(set(said)), "something was remembered twice"


def _life_of_kills(vault: Path, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    answered: list[str] = []
    ids: set[str] = set()
    for kill in range(kills):
        world = Running(vault, "--no-agents", "--as", "Ann")
        world.read_until("Exits:")
        ids.update(line for line in world.say("where", "(#") if "(#" in line)
        start = kill * 10_000
        answered += _talk_until_killed(world, range(start, start + 10_000), chance)
    world = Running(vault, "--no-agents", "--as", "Ann")
    world.read_until("Exits:")
    world.type("quit")
    assert world.wait() == 0
    _check(vault, answered)
    assert ids == {"The Garden (#1001)"}
    assert len(list(vault.glob("agents/*/agent.md"))) == 5


def test_five_kills_in_the_middle_of_talk_lose_nothing_that_was_answered(tmp_path: Path) -> None:
    _life_of_kills(_vault(tmp_path), kills=5, seed=20)


@pytest.mark.torture
def test_two_hundred_kills_lose_nothing_that_was_answered(tmp_path: Path) -> None:
    _life_of_kills(_vault(tmp_path), kills=200, seed=200)
