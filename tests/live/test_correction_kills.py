"""The world killed while memories are put right: what was answered holds, once, and nothing else was changed."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.killing import answered_until_killed, opened
from tests.processes import loci
from tests.vaults import copy_vault, without_vectors


def _lines(first: int) -> Iterator[tuple[str, str]]:
    """Yield a thought and its correction in turn, each with a part of its answer."""
    for number in range(first, first + 100_000):
        yield f"think the jar {number} is red", f"the jar {number} is red"
        yield f'@correct "jar {number} is red" -> "jar {number} is blue"', f"jar {number} is blue"


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.torture)])
def test_what_was_put_right_stays_right_through_every_kill(tmp_path: Path, kills: int) -> None:
    vault, chance = without_vectors(copy_vault(tmp_path)), random.Random(kills)
    told: list[int] = []
    for kill in range(kills):
        first = kill * 100_000 + 1
        told += range(first, first + answered_until_killed(opened(vault), _lines(first), 0.5, chance) // 2)
        lines = "".join(f"recall jar {number}\n" for number in told[-3:])
        done = loci("run", "--vault", vault, "--no-agents", "--as", "Ann", stdin=f"{lines}@corrections\nquit\n")
        known = re.findall(r'"jar (\d+) is red"', done.stdout)
        assert len(known) == len(set(known))
        assert {str(number) for number in told[-3:]} <= set(known)
        for number in told[-3:]:
            assert f"the jar {number} is blue" in done.stdout
            assert f"the jar {number} is red" not in done.stdout
    assert loci("check", "--vault", vault).stdout == ""
    assert told
