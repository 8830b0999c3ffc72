"""The world killed while people talk on a channel: what was answered can be read back, once and in order."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from tests.processes import Running, loci
from tests.settings import put
from tests.vaults import copy_vault, without_vectors


def _opened(vault: Path) -> Running:
    world = Running(vault, "--no-agents", "--as", "Ann")
    world.read_until("Exits:")
    return world


def _talk_until_killed(world: Running, numbers: range, chance: random.Random) -> list[str]:
    """Talk as fast as answers come, killed by another thread at some moment; return what was answered."""
    answered: list[str] = []
    killer = threading.Timer(chance.uniform(0.0, 0.3), world.kill)
    killer.start()
    try:
        for number in numbers:
            world.say(f"@channel town sentence {number} of many", f"sentence {number} of many")
            answered.append(f"sentence {number} of many")
    except AssertionError:  # the world is gone
        pass
    finally:
        killer.join()
    return answered


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.torture)])
def test_what_was_said_on_a_channel_survives_every_kill(tmp_path: Path, kills: int) -> None:
    vault, chance = without_vectors(copy_vault(tmp_path)), random.Random(kills)
    put(vault, "world", state_interval=0.5)
    world = _opened(vault)
    world.say("@channel-join town", "the first")
    world.kill()
    for kill in range(kills):
        answered = _talk_until_killed(_opened(vault), range(kill * 10_000, kill * 10_000 + 10_000), chance)
        done = loci("run", "--vault", vault, "--no-agents", "--as", "Ann", stdin="@channel town\n@channel\nquit\n")
        back = [line.partition("Ann: ")[2] for line in done.stdout.splitlines() if "Ann: sentence" in line]
        assert len(back) == len(set(back))
        assert answered[-90:] == [one for one in back if one in set(answered[-90:])]
        assert "town: you" in done.stdout
    assert loci("check", "--vault", vault).stdout == ""
