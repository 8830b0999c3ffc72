"""The world killed while somebody builds: what was answered is in the files, whole, and the vault is in order."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import Running, loci
from tests.vaults import copy_vault, without_vectors

ANSWER = 0.15
"""Seconds that an answer takes at most, on a quiet machine."""
MOST_ANSWERS = 16
"""Answers after which the world is killed at the latest, and a moment later."""


def _lines(numbers: Iterator[int]) -> Iterator[tuple[str, str]]:
    """Yield what is typed and what its answer holds, for ever: places, things, other names, and some of it undone."""
    for number in numbers:
        yield f"@dig Room {number} = way {number}, back", f"Room {number} is made"
        yield f"@create stone {number}", f"stone {number} is made"
        yield f"@describe stone {number} = Grey.", f"stone {number} looks"
        yield f"@rename stone {number} = rock {number}", f"stone {number} is called"
        yield f"@create bauble {number}", f"bauble {number} is made"
        yield f"@destroy bauble {number}", f"bauble {number} is taken"
        yield "@undo", f"Taken back: @destroy bauble {number}"
        yield "@undo", f"Taken back: @create bauble {number}"


class Builder:
    """Somebody who builds on, kill after kill, and knows what was answered."""

    def __init__(self, vault: Path, seed: int) -> None:
        self.vault, self._chance = vault, random.Random(seed)
        self.rooms, self.rocks, self.gone = set[int](), set[int](), set[int]()
        self._number = 0

    def build_until_killed(self) -> None:
        """Build as fast as answers come, until some of them came and then a moment that nobody knows."""
        world = Running(self.vault, "--no-agents", "--as", "Ann")
        world.read_until("Exits:")
        killer = threading.Timer(self._chance.uniform(0.0, ANSWER), world.kill)
        enough = self._chance.randint(1, MOST_ANSWERS)
        try:
            for at, (line, mark) in enumerate(_lines(self._numbers()), 1):
                if at == enough:
                    killer.start()
                world.say(line, mark)
                self._answered(mark)
        except AssertionError:  # the world is gone: that is what this is about
            pass
        finally:
            killer.join()

    def _numbers(self) -> Iterator[int]:
        while True:
            self._number += 1
            yield self._number

    def _answered(self, mark: str) -> None:
        for begin, built in (("Room", self.rooms), ("stone", self.rocks), ("Taken back: @create", self.gone)):
            if mark.startswith(begin) and (begin != "stone" or mark.endswith("called")):
                built.add(self._number)

    def check(self) -> None:
        """Check that the files are there and whole, after the next start has completed what was begun."""
        done = loci("run", "--vault", self.vault, "--no-agents", "--as", "Ann", stdin="look\nquit\n")
        assert done.returncode == 0, done.stderr
        checked = loci("check", "--vault", self.vault)
        assert (checked.returncode, checked.stdout) == (0, ""), checked.stdout
        garden = (self.vault / "world/locations/the-garden.md").read_text("utf-8")
        for number in self.rooms:
            room = (self.vault / f"world/locations/room-{number}.md").read_text("utf-8")
            assert 'back: "[[The Garden]]"' in room
            assert f'way {number}: "[[Room {number}]]"' in garden
            assert f"way {number}" in done.stdout
        for number in self.rocks:
            assert not (self.vault / f"world/items/stone-{number}.md").exists()
            assert "Grey." in (self.vault / f"world/items/rock-{number}.md").read_text("utf-8")
            assert f"rock {number}" in done.stdout
        for number in self.gone:
            assert not (self.vault / f"world/items/bauble-{number}.md").exists()
        assert not list(self.vault.glob("log/building/*/*-begun.json"))
        assert not list(self.vault.glob("world/*/.*.tmp"))


def _building_of_kills(tmp_path: Path, kills: int, seed: int) -> None:
    builder = Builder(without_vectors(copy_vault(tmp_path)), seed)
    for _ in range(kills):
        builder.build_until_killed()
        builder.check()
    assert builder.rooms


def test_three_kills_lose_nothing_that_was_built_and_leave_nothing_half_way(tmp_path: Path) -> None:
    _building_of_kills(tmp_path, kills=3, seed=20)


@pytest.mark.torture
def test_fifty_kills_lose_nothing_that_was_built_and_leave_nothing_half_way(tmp_path: Path) -> None:
    _building_of_kills(tmp_path, kills=50, seed=50)
