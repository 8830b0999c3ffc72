"""The world killed while memories are put right: what was answered holds, once, and nothing else was changed."""

from __future__ import annotations

import random
import re
import threading
from pathlib import Path

import pytest

from tests.processes import Running, loci
from tests.vaults import copy_vault, without_vectors


def _opened(vault: Path) -> Running:
    world = Running(vault, "--no-agents", "--as", "Ann")
    world.read_until("Exits:")
    return world


def _correct_until_killed(world: Running, first: int, chance: random.Random) -> list[int]:
    """Think and put right as fast as answers come, killed at some moment; return the numbers that were answered."""
    answered: list[int] = []
    killer = threading.Timer(chance.uniform(0.0, 0.5), world.kill)
    killer.start()
    try:
        for number in range(first, first + 100_000):
            world.say(f"think the jar {number} is red", f"the jar {number} is red")
            world.say(f'@correct "jar {number} is red" -> "jar {number} is blue"', f"jar {number} is blue")
            answered.append(number)
    except AssertionError:  # the world is gone
        pass
    finally:
        killer.join()
    return answered


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.torture)])
def test_what_was_put_right_stays_right_through_every_kill(tmp_path: Path, kills: int) -> None:
    vault, chance = without_vectors(copy_vault(tmp_path)), random.Random(kills)
    told: list[int] = []
    for kill in range(kills):
        told += _correct_until_killed(_opened(vault), kill * 100_000 + 1, chance)
        lines = "".join(f"recall jar {number}\n" for number in told[-3:])
        done = loci("run", "--vault", vault, "--no-agents", "--as", "Ann", stdin=f"{lines}@corrections\nquit\n")
        known = re.findall(r'"jar (\d+) is red"', done.stdout)
        assert len(known) == len(set(known))
        for number in told[-3:]:
            assert f"the jar {number} is blue" in done.stdout
            assert f"the jar {number} is red" not in done.stdout
    assert loci("check", "--vault", vault).stdout == ""
    assert told
