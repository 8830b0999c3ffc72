"""Worlds killed while they index: the next start is clean, answers at once, and has every vector back soon."""

from __future__ import annotations

import random
import shutil
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.indexed import Indexed, child_of, kill_child
from tests.processes import Running

Death = Callable[[Indexed, Running, random.Random], Running]
"""Brings a world to its end in the middle of something; returns the one that ended."""


COLUMNS = "| kills | work unfinished | not clean or whole | ready, s, p50 / max | vectors whole, s, p50 / max |"


def _kill_within(world: Running, seconds: float, chance: random.Random, meanwhile: Callable[[], None]) -> None:
    """Kill a world from another thread at a moment nobody knows, while it does something."""
    killer = threading.Timer(chance.uniform(0.0, seconds), world.kill)
    killer.start()
    try:
        meanwhile()
    finally:
        killer.join()


def _talk(world: Running, chance: random.Random) -> Callable[[], None]:
    def lines() -> None:
        for _ in range(20):
            world.type(f"say {chance.random()} is the number of the hour")

    return lines


def talking(life: Indexed, world: Running, chance: random.Random) -> Running:
    """Killed while words are committed, new texts embedded and their vectors put into the index."""
    _kill_within(world, 1.5, chance, _talk(world, chance))
    return world


def opening(life: Indexed, world: Running, chance: random.Random) -> Running:
    """Killed while the child loads and opens the index, or right after."""
    life.quit(world)
    again = life.start()
    _kill_within(again, 3.5, chance, lambda: None)
    return again


def rebuilding(life: Indexed, world: Running, chance: random.Random) -> Running:
    """Killed while the index of a child that was killed is wiped, opened and filled again."""
    kill_child(world)
    _kill_within(world, 4.5, chance, _talk(world, chance))
    return world


def embedding(life: Indexed, world: Running, chance: random.Random) -> Running:
    """Killed while all is embedded again, because the cache is lost too."""
    world.kill()
    (life.index / "embeddings.sqlite3").unlink()
    again = life.ready()
    _kill_within(again, 4.5, chance, _talk(again, chance))
    return again


def deleted(life: Indexed, world: Running, chance: random.Random) -> Running:
    """Killed while the whole index, deleted under it, is made anew, and the child with it."""
    shutil.rmtree(life.index)
    _kill_within(world, 4.5, chance, _talk(world, chance))
    return world


def child_alone(life: Indexed, world: Running, chance: random.Random) -> Running:
    """The child is killed while there is work for it; the world must get over it, and is killed at rest."""
    _talk(world, chance)()
    world.ends_within(chance.uniform(0.0, 1.5))
    kill_child(world)
    life.complete(world)
    life.finds_by_words(world)
    world.kill()
    return world


DEATHS: tuple[Death, ...] = (talking, rebuilding, child_alone, opening, embedding, deleted)


def _life_of_kills(tmp_path: Path, kills: int, count: int, embedder: str) -> str:
    """Kill worlds, and return what was seen as a row of a table."""
    chance, life = random.Random(kills), Indexed(tmp_path, count, embedder)
    unfinished: Counter[str] = Counter()
    ready: list[float] = []
    whole: list[float] = []
    world = life.ready()
    life.complete(world)
    for kill in range(kills):
        death = DEATHS[kill % len(DEATHS)]
        death(life, world, chance)
        unfinished[death.__name__] += death is child_alone or not life.is_complete()
        world = life.ready(moments=ready)
        whole.append(life.complete(world))
        life.logged()
    assert child_of(world) is not None
    life.quit(world)
    life.finds_by_meaning()
    assert sum(unfinished.values()) >= kills // 3
    where = ", ".join(f"{name} {number}" for name, number in unfinished.items())
    return (
        f"| {kills}, {embedder} | {sum(unfinished.values())}: {where} | 0 "
        f"| {sorted(ready)[kills // 2]:.1f} / {max(ready):.1f} | {sorted(whole)[kills // 2]:.1f} / {max(whole):.1f} |"
    )


def test_three_kills_while_it_indexes_leave_nothing_missing(tmp_path: Path) -> None:
    _life_of_kills(tmp_path, kills=3, count=200, embedder="hashing")


@pytest.mark.torture
@pytest.mark.parametrize(("embedder", "count"), [("minilm", 200), ("hashing", 1000)])
def test_a_hundred_kills_while_it_indexes_leave_nothing_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], embedder: str, count: int
) -> None:
    row = _life_of_kills(tmp_path, kills=50, count=count, embedder=embedder)
    with capsys.disabled():
        print(f"\n{COLUMNS}\n{row}")
