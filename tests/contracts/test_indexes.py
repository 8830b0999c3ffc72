"""Every index of the registry keeps the same promises; the real chromadb is among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.recall.embedders.hashing import HashingEmbedder
from agents.recall.indexes._index import Index, IndexKind
from mud.registry import load

KINDS = load("agents.recall.indexes", IndexKind, "index")
DIMENSION = 24
Open = Callable[..., Index]


@pytest.fixture(params=KINDS.names())
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Give a function that opens the index in the one folder, and close what the test left open."""
    kind, indexes = KINDS.get(request.param), []

    def start(model: str = "one", dimension: int = DIMENSION) -> Index:
        indexes.append(kind.open(tmp_path / "vectors", model, dimension))
        return indexes[-1]

    yield start
    for index in indexes:
        index.close()


def vectors(count: int, seed: int = 1, dimension: int = DIMENSION) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def test_an_empty_index_finds_nothing(opened: Open) -> None:
    index = opened()
    assert index.ids() == []
    assert index.nearest(vectors(1)[0], "#1", ["note"], 5) == {}


def test_the_nearest_come_first_with_their_true_cosines(opened: Open) -> None:
    index, rows, asked = opened(), vectors(50), vectors(1, seed=2)[0]
    ids = [f"#1|notes/ключ {number}|x" for number in range(50)]
    index.put(ids, rows, [{"agent": "#1", "type": "note"}] * 50)
    found = index.nearest(asked, "#1", ["note"], 5)
    cosines = rows @ asked
    best = np.argsort(-cosines)[:5]
    assert list(found) == [ids[number] for number in best]
    np.testing.assert_allclose(list(found.values()), cosines[best], atol=1e-4)


def test_only_the_asked_agent_and_types_are_found(opened: Open) -> None:
    index, rows = opened(), vectors(4)
    metadata = [{"agent": agent, "type": kind} for agent in ("#1", "#2") for kind in ("note", "memory_summary")]
    index.put(["a", "b", "c", "d"], rows, metadata)
    assert set(index.nearest(rows[0], "#2", ["note", "memory_summary"], 9)) == {"c", "d"}
    assert set(index.nearest(rows[0], "#1", ["memory_summary"], 9)) == {"b"}
    assert index.nearest(rows[0], "#3", ["note"], 9) == {}


def test_what_is_put_again_is_replaced(opened: Open) -> None:
    index, rows = opened(), vectors(2)
    index.put(["a"], rows[:1], [{"agent": "#1", "type": "note"}])
    index.put(["a"], rows[1:], [{"agent": "#1", "type": "note"}])
    assert index.ids() == ["a"]
    assert index.nearest(rows[1], "#1", ["note"], 1)["a"] == pytest.approx(1.0, abs=1e-4)


def test_what_is_removed_is_gone_and_removing_it_again_is_no_error(opened: Open) -> None:
    index = opened()
    index.put(["a", "b"], vectors(2), [{"agent": "#1", "type": "note"}] * 2)
    index.remove(["a", "never there"])
    index.remove(["a"])
    index.remove([])
    assert index.ids() == ["b"]


def test_all_is_there_again_after_closing(opened: Open) -> None:
    index, rows = opened(), vectors(30)
    index.put([str(number) for number in range(30)], rows, [{"agent": "#1", "type": "note"}] * 30)
    index.close()
    again = opened()
    assert sorted(again.ids()) == sorted(map(str, range(30)))
    assert list(again.nearest(rows[7], "#1", ["note"], 1)) == ["7"]


def test_every_vector_finds_itself_even_where_all_are_alike(opened: Open) -> None:
    rows = HashingEmbedder().embed([f"note {number}" for number in range(400)])
    index = opened(dimension=rows.shape[1])
    ids = [str(number) for number in range(400)]
    for start in range(0, 400, 8):
        some = slice(start, start + 8)
        index.put(ids[some], rows[some], [{"agent": "#1", "type": "note"}] * 8)
    assert all(one in index.nearest(row, "#1", ["note"], 20) for one, row in zip(ids, rows, strict=True))


def test_vectors_of_another_model_are_dropped(opened: Open) -> None:
    index = opened("one")
    index.put(["a"], vectors(1), [{"agent": "#1", "type": "note"}])
    index.close()
    other = opened("two", 8)
    assert other.ids() == []
    other.put(["b"], vectors(1, dimension=8), [{"agent": "#1", "type": "note"}])
    assert other.ids() == ["b"]
