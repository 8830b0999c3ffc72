"""Files of vectors that are searched exactly, and what moves from them to chromadb."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from agents.recall.documents import MEMORY, memory_id
from agents.recall.indexes import Index, Place
from agents.recall.indexes.matrix import LONG_LIVES, MATRIX, MOVED, VectorFile

DIMENSION = 8
ROW = 8 + 4 * DIMENSION
"""Bytes of a number and a vector."""
Vectors = NDArray[np.float32]
Open = Callable[..., Index]


def vectors(count: int, seed: int = 1) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Give a function that opens the index with a limit of vectors, and close what the test left open."""
    indexes: list[Index] = []

    def start(exact: int) -> Index:
        indexes.append(MATRIX.open(Place(tmp_path, exact=exact), "one", DIMENSION))
        return indexes[-1]

    yield start
    for index in indexes:
        index.close()


def put(index: Index, first: int, rows: Vectors, agent: str = "#1") -> list[str]:
    """Put memories, from a number on, and return their ids."""
    ids = [memory_id(agent, seq) for seq in range(first, first + len(rows))]
    index.put(ids, rows, [{"agent": agent, "type": MEMORY}] * len(rows))
    return ids


def files(folder: Path) -> list[Path]:
    return list((folder / "matrix").rglob("*.f32"))


def found(file: VectorFile) -> dict[int, list[float]]:
    return {int(row["number"]): row["vector"].tolist() for row in file.rows()}


ACTS = st.lists(st.tuples(st.booleans(), st.lists(st.tuples(st.integers(1, 30), st.integers(0, 3)), max_size=6)))


@settings(max_examples=40, deadline=None)
@given(ACTS, st.integers(0, 40))
def test_it_finds_exactly_what_comparing_with_every_vector_finds(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[bool, list[tuple[int, int]]]], most: int
) -> None:
    index = MATRIX.open(Place(tmp_path_factory.mktemp("exact")), "one", DIMENSION)
    there: dict[str, Vectors] = {}
    for number, (added, places) in enumerate(acts):
        ids, rows = [memory_id("#1", seq, part) for seq, part in places], vectors(len(places), seed=number)
        if added:
            index.put(ids, rows, [{"agent": "#1", "type": MEMORY}] * len(ids))
            there |= dict(zip(ids, rows, strict=True))
        else:
            index.remove("#1", ids)
            there = {one: vector for one, vector in there.items() if one not in ids}
    asked = vectors(1, seed=99)[0]
    cosines = sorted((float(vector @ asked) for vector in there.values()), reverse=True)
    nearest = index.nearest(asked, "#1", [MEMORY], most)
    assert list(nearest.values()) == pytest.approx(cosines[:most], abs=1e-6)
    assert all(cosine == pytest.approx(float(there[one] @ asked), abs=1e-6) for one, cosine in nearest.items())
    assert index.count("#1") == len(there)
    index.close()


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("torn", [1, 8, ROW - 1])
def test_a_row_that_a_kill_tore_is_left_out_and_written_again(tmp_path: Path, torn: int) -> None:
    file, rows = VectorFile(tmp_path / "life.f32", DIMENSION), vectors(5)
    file.put([1, 2, 3], rows[:3])
    whole = (tmp_path / "life.f32").read_bytes()
    (tmp_path / "life.f32").write_bytes(whole[: -ROW + torn])
    assert (len(file), list(found(file))) == (2, [1, 2])
    file.put([3, 4, 5], rows[2:])
    assert found(file) == {number: row.tolist() for number, row in enumerate(rows, 1)}
    assert (tmp_path / "life.f32").stat().st_size == 5 * ROW


def test_what_cannot_be_written_whole_leaves_all_as_it_was(tmp_path: Path) -> None:
    file, rows = VectorFile(tmp_path / "life.f32", DIMENSION), vectors(9)
    file.put([1, 2], rows[:2])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 * ROW + 5, limits[1]))
    try:
        with pytest.raises(OSError, match=r"no room|too large"):
            file.put(list(range(3, 10)), rows[2:])
        with pytest.raises(OSError, match=r"no room|too large"):
            file.put([1, *range(3, 10)], rows[1:])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert found(file) == {1: rows[0].tolist(), 2: rows[1].tolist()}
    assert list(tmp_path.iterdir()) == [tmp_path / "life.f32"]


def test_what_was_mapped_stays_as_it_was_while_others_write(tmp_path: Path) -> None:
    file, rows = VectorFile(tmp_path / "life.f32", DIMENSION), vectors(4)
    file.put([1, 2], rows[:2])
    mapped = file.rows()
    file.put([3], rows[2:3])
    file.put([1], rows[3:])
    file.delete()
    assert mapped["vector"].tolist() == rows[:2].tolist()


def test_between_two_calls_no_file_of_a_life_is_open(opened: Open) -> None:
    index, rows = opened(1000), vectors(3)
    put(index, 1, rows)
    before = open_files()
    for number in range(2, 60):
        put(index, 1, rows, f"#{number}")
        assert len(index.nearest(rows[0], f"#{number}", [MEMORY], 9)) == 3
    assert open_files() == before


# -- lives that grow long ----------------------------------------------------------------------------------------------


def test_a_life_that_outgrows_the_limit_moves_and_every_hit_is_there_all_the_time(opened: Open, tmp_path: Path) -> None:
    index, rows, limit, ids = opened(2 * MOVED), vectors(3 * MOVED + 40), 2 * MOVED, list[str]()
    for start in (*range(0, limit + MOVED, MOVED // 2), *range(limit + MOVED, len(rows), 10)):
        step = MOVED // 2 if start < limit + MOVED else 10
        ids += put(index, start + 1, rows[start : start + step])
        assert index.count("#1") == len(ids)
        for row in {0, len(ids) // 3, len(ids) - 1}:
            assert ids[row] in index.nearest(rows[row], "#1", [MEMORY], 5)
    assert len(ids) == len(rows)
    assert files(tmp_path) == []
    assert all(ids[row] in index.nearest(rows[row], "#1", [MEMORY], 5) for row in range(0, len(rows), 11))


def test_what_changes_while_a_life_moves_is_found_as_it_is_now(opened: Open, tmp_path: Path) -> None:
    index, rows, new = opened(10), vectors(3 * MOVED), vectors(1, seed=7)
    put(index, 1, rows)
    assert files(tmp_path)
    put(index, 3, new)
    index.remove("#1", [memory_id("#1", 5)])
    while files(tmp_path):
        put(index, len(rows), rows[-1:])
    assert index.count("#1") == len(rows) - 1
    assert index.nearest(new[0], "#1", [MEMORY], 1) == {memory_id("#1", 3): pytest.approx(1.0, abs=1e-4)}
    assert memory_id("#1", 5) not in index.nearest(rows[4], "#1", [MEMORY], 20)


def test_a_move_that_a_kill_broke_off_begins_again(opened: Open, tmp_path: Path) -> None:
    index, rows = opened(10), vectors(2 * MOVED)
    ids = put(index, 1, rows)
    index.close()
    again = opened(10)
    assert again.count("#1") == len(rows)
    while files(tmp_path):
        put(again, len(rows), rows[-1:])
    assert again.count("#1") == len(rows)
    assert all(ids[row] in again.nearest(rows[row], "#1", [MEMORY], 5) for row in range(0, len(rows), 17))


def test_lives_beyond_those_that_may_move_are_searched_in_their_files(opened: Open, tmp_path: Path) -> None:
    index, rows = opened(2), vectors(4)
    for number in range(LONG_LIVES + 2):
        put(index, 1, rows, f"#{number}")
    assert len(files(tmp_path)) == 2
    assert all(len(index.nearest(rows[0], f"#{number}", [MEMORY], 9)) == 4 for number in range(LONG_LIVES + 2))
