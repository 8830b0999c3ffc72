"""A disk that is full while the index is written: the world goes on, and nothing is missing when there is room."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.recall.recall import discard_index
from tests.disks import file_size_limit
from tests.live.indexed import Indexed

SAID = ("cannot", "broken", "made anew", "kept in memory", "no archive has all")
"""What the log may warn of: that there is no room."""


def test_a_disk_that_is_full_while_it_indexes_costs_no_answer(tmp_path: Path) -> None:
    _fills(tmp_path, 400_000)


@pytest.mark.torture
@pytest.mark.parametrize("room", [100_000, 1_000_000, 2_500_000])
def test_a_disk_that_is_full_sooner_or_later_costs_no_answer_either(tmp_path: Path, room: int) -> None:
    _fills(tmp_path, room)


def _fills(tmp_path: Path, room: int) -> None:
    life = Indexed(tmp_path, 1500, embedder="hashing")
    discard_index(life.vault, embeddings=True)
    with file_size_limit(room):
        world = life.ready()
    for number in range(30):
        world.say(f"say sentence {number} of a full disk", f"sentence {number} of")
        life.finds_by_words(world)
    world.type("quit")
    # The player's archive outgrows 400 kB: what waits at the end is told, and given back at the next start.
    assert world.wait() == int(room <= 400_000)
    life.logged(fine=SAID)
    again = life.ready()  # the index had more than the archive, and is read anew
    life.complete(again)
    life.finds_by_words(again)
    life.logged()
    life.quit(again)
