"""The world killed while people talk on a channel: what was answered can be read back, once and in order."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.live.killing import answered_until_killed, opened
from tests.processes import loci
from tests.settings import put
from tests.vaults import copy_vault, without_vectors


def _sentence(number: int) -> str:
    return f"sentence {number} of many"


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.torture)])
def test_what_was_said_on_a_channel_survives_every_kill(tmp_path: Path, kills: int) -> None:
    vault, chance = without_vectors(copy_vault(tmp_path)), random.Random(kills)
    put(vault, "world", state_interval=0.5)
    world = opened(vault)
    world.say("@channel-join town", "the first")
    world.kill()
    for kill in range(kills):
        said = [_sentence(number) for number in range(kill * 10_000, kill * 10_000 + 10_000)]
        lines = ((f"@channel town {one}", one) for one in said)
        answered = said[: answered_until_killed(opened(vault), lines, 0.3, chance)]
        done = loci("run", "--vault", vault, "--no-agents", "--as", "Ann", stdin="@channel town\n@channel\nquit\n")
        back = [line.partition("Ann: ")[2] for line in done.stdout.splitlines() if "Ann: sentence" in line]
        assert len(back) == len(set(back))
        assert answered[-90:] == [one for one in back if one in set(answered[-90:])]
        assert "town: you" in done.stdout
    assert loci("check", "--vault", vault).stdout == ""
