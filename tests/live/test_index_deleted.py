"""`.index/`, or any part of it, deleted while the world runs: words answer at once, vectors come back, nobody is told
of an error that is none.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.live.indexed import STEP, Indexed, kill_child
from tests.processes import Running

PARTS = (
    ("chroma",),
    ("matrix",),
    ("lexical.sqlite3",),
    ("embeddings.sqlite3",),
    ("chroma", "worker.lock"),
    ("lexical.sqlite3", "lexical.sqlite3-wal", "lexical.sqlite3-shm"),
    ("worker.lock",),
)


def _delete(path: Path) -> None:
    """Delete a file or folder in which somebody writes meanwhile, as `rm -rf` does."""
    if path.is_file():
        path.unlink()
    while path.exists():
        shutil.rmtree(path, ignore_errors=True)


def _comes_back(life: Indexed, world: Running, parts: tuple[str, ...]) -> None:
    """Have a visitor ask, and see that all is there again, and that meanwhile `status` tells that it is not.

    What is back before it was looked at twice was never seen missing.
    """
    life.finds_by_words(world)
    behind, looks = False, 0
    while not (all((life.index / part).exists() for part in parts) and life.is_complete()):
        progress = life.progress()
        behind = behind or progress.vector_through < progress.lexical_through or not progress.lexical_through
        looks += 1
        assert not world.ends_within(STEP)
    life.complete(world)
    assert behind or looks < 2 or parts not in (("matrix",), (".",))
    life.finds_by_words(world)


def test_the_index_may_be_deleted_again_and_again_while_the_world_runs(tmp_path: Path) -> None:
    life = Indexed(tmp_path, 500, "hashing")
    world = life.ready()
    life.complete(world)
    for parts in ((".",), ("chroma",), ("matrix",), ("lexical.sqlite3",)):
        for part in parts:
            _delete(life.index / part)
        _comes_back(life, world, parts)
    life.logged()
    life.quit(world)
    life.finds_by_meaning()


@pytest.mark.torture
def test_every_part_of_the_index_may_be_deleted_in_the_middle_of_indexing(tmp_path: Path) -> None:
    life = Indexed(tmp_path, 2000)
    world = life.ready()
    for seconds in (0.0, 0.3, 1.0, 2.0, 3.5):
        for parts in PARTS:
            world.type(f"say it is {seconds} since {parts[0]}")
            for part in parts:
                _delete(life.index / part)
            life.finds_by_words(world)
            world.ends_within(seconds)
        for _ in range(3):
            _delete(life.index)
            life.finds_by_words(world)
        world.ends_within(seconds)
    life.complete(world)
    life.logged()
    kill_child(world)
    life.finds_by_words(world)
    life.complete(world)
    life.logged()
    life.quit(world)
    life.finds_by_meaning()
