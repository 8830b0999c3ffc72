"""Every index of the registry keeps the same promises; chromadb, embedded and as a real server, is among them."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from agents.recall.documents import memory_id
from agents.recall.embedders.hashing import HashingEmbedder
from agents.recall.indexes import Index, IndexKind, Metadata, Place
from mud.registry import load
from tests.chroma_server import ChromaServer, counts
from tests.live.indexed import talk
from tests.live.thirty_facts import FACTS

KINDS = load("agents.recall.indexes", IndexKind, "index")
PLACES = list(itertools.product(KINDS.names(), (False, True)))
"""Every index, in a folder and on a server."""
DIMENSION = 24
TYPES = ["memory", "memory_summary", "note"]
Open = Callable[..., Index]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    """Give a running chroma server, for the index that needs one."""
    with ChromaServer(tmp_path_factory.mktemp("server") / "kept") as started:
        yield started


@pytest.fixture(params=PLACES)
def opened(request: pytest.FixtureRequest, tmp_path: Path, server: ChromaServer) -> Iterator[Open]:
    """Give a function that opens the index in the one folder, and close what the test left open."""
    (name, on_server), indexes = request.param, []

    def start(model: str = "one", dimension: int = DIMENSION) -> Index:
        place = Place(tmp_path / "vectors", server.address if on_server else "")
        indexes.append(KINDS.get(name).open(place, model, dimension))
        return indexes[-1]

    yield start
    for index in indexes:
        index.close()


def vectors(count: int, seed: int = 1, dimension: int = DIMENSION) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def told(agent: str, kind: str, count: int = 1) -> list[Metadata]:
    return [{"agent": agent, "type": kind}] * count


def named(agent: str, kind: str, count: int = 1) -> list[str]:
    """Return ids as vectors of this kind have them; memories have five passages each."""
    if kind == "memory":
        return [memory_id(agent, 1 + number // 5, number % 5) for number in range(count)]
    return [f"{agent}|{kind}s/ключ {number}|x" for number in range(count)]


def test_an_empty_index_finds_nothing(opened: Open) -> None:
    index = opened()
    assert (counts(index), index.count("#1"), index.documents()) == ({}, 0, [])
    assert index.nearest(vectors(1)[0], "#1", TYPES, 5) == {}


@pytest.mark.parametrize("kind", TYPES)
def test_the_nearest_come_first_with_their_true_cosines(opened: Open, kind: str) -> None:
    index, rows, asked = opened(), vectors(50), vectors(1, seed=2)[0]
    ids = named("#1", kind, 50)
    index.put(ids, rows, told("#1", kind, 50))
    found = index.nearest(asked, "#1", [kind], 5)
    cosines = rows @ asked
    best = np.argsort(-cosines)[:5]
    assert list(found) == [ids[number] for number in best]
    np.testing.assert_allclose(list(found.values()), cosines[best], atol=1e-4)


def test_the_best_of_several_types_are_one_list(opened: Open) -> None:
    index, rows, asked = opened(), vectors(30), vectors(1, seed=2)[0]
    ids = [named("#1", TYPES[number % 3], 30)[number] for number in range(30)]
    index.put(ids, rows, [{"agent": "#1", "type": TYPES[n % 3]} for n in range(30)])
    best = np.argsort(-(rows @ asked))[:7]
    assert list(index.nearest(asked, "#1", TYPES, 7)) == [ids[number] for number in best]


def test_only_the_asked_agent_and_types_are_found(opened: Open) -> None:
    index, rows = opened(), vectors(6)
    ids = [named(agent, kind)[0] for agent in ("#1", "#2") for kind in TYPES]
    index.put(ids, rows, [{"agent": agent, "type": kind} for agent in ("#1", "#2") for kind in TYPES])
    assert set(index.nearest(rows[0], "#2", TYPES, 9)) == set(ids[3:])
    for asked in [[kind] for kind in TYPES] + [["memory", "note"], ["memory", "memory_summary"], TYPES[1:]]:
        assert set(index.nearest(rows[0], "#1", asked, 9)) == {ids[TYPES.index(kind)] for kind in asked}
    assert index.nearest(rows[0], "#3", TYPES, 9) == {}
    assert index.nearest(rows[0], "#1", [], 9) == {}


def test_no_more_than_asked_for_are_found(opened: Open) -> None:
    index, rows = opened(), vectors(20)
    ids = named("#1", "memory", 10) + named("#1", "note", 10)
    index.put(ids, rows, told("#1", "memory", 10) + told("#1", "note", 10))
    assert [len(index.nearest(rows[0], "#1", TYPES, k)) for k in (0, 1, 3, 20, 99)] == [0, 1, 3, 20, 20]


@pytest.mark.parametrize("kind", TYPES)
def test_what_is_put_again_is_replaced(opened: Open, kind: str) -> None:
    index, rows, (one,) = opened(), vectors(3), named("#1", kind)
    index.put([one], rows[:1], told("#1", kind))
    index.put([one, one], rows[1:], told("#1", kind, 2))
    assert (counts(index), index.documents()) == (({"#1": 1}, []) if kind == "memory" else ({}, [one]))
    assert index.nearest(rows[2], "#1", [kind], 1)[one] == pytest.approx(1.0, abs=1e-4)


def test_a_document_that_is_removed_is_gone_and_removing_it_again_is_no_error(opened: Open) -> None:
    index = opened()
    index.put(["a", "b"], vectors(2), told("#1", "note", 2))
    index.remove("#1", ["a", "never there"])
    index.remove("#1", ["a"])
    index.remove("#1", [])
    index.remove("#404", ["b"])
    assert index.documents() == ["b"]
    assert set(index.nearest(vectors(1)[0], "#1", TYPES, 9)) == {"b"}


def test_a_memory_that_is_removed_is_gone_and_the_others_are_found(opened: Open) -> None:
    index, rows = opened(), vectors(3)
    index.put(["#1|1", "#1|2", "#1|3"], rows, told("#1", "memory", 3))
    index.remove("#1", ["#1|2", "#1|9"])
    assert index.count("#1") == 2
    assert set(index.nearest(rows[1], "#1", TYPES, 9)) == {"#1|1", "#1|3"}


def test_an_agent_that_is_forgotten_leaves_nothing_and_can_begin_again(opened: Open) -> None:
    index, rows = opened(), vectors(6)
    ids = [named(agent, kind)[0] for agent in ("#1", "#2") for kind in TYPES]
    index.put(ids, rows, [{"agent": agent, "type": kind} for agent in ("#1", "#2") for kind in TYPES])
    index.forget("#1")
    index.forget("#404")
    assert index.nearest(rows[0], "#1", TYPES, 9) == {}
    assert (counts(index), sorted(index.documents())) == ({"#2": 1}, sorted(ids[4:]))
    index.put(ids[:1], rows[:1], told("#1", "memory"))
    assert set(index.nearest(rows[0], "#1", TYPES, 9)) == {ids[0]}


def test_many_agents_are_kept_and_counted_apart(opened: Open) -> None:
    index, rows = opened(), vectors(80)
    agents = [f"#{number}" for number in range(40)]
    metadata: list[Metadata] = [{"agent": agents[row // 2], "type": ("memory", "note")[row % 2]} for row in range(80)]
    ids = [named(str(one["agent"]), str(one["type"]))[0] for one in metadata]
    index.put(ids, rows, metadata)
    assert counts(index, agents) == dict.fromkeys(agents, 1)
    assert [index.count(agent) for agent in ("#0", "#39", "#40")] == [1, 1, 0]
    assert len(index.documents()) == 40
    for row in range(0, 80, 13):
        agent = agents[row // 2]
        assert set(index.nearest(rows[row], agent, TYPES, 9)) == {ids[row // 2 * 2], ids[row // 2 * 2 + 1]}


@pytest.mark.parametrize(("name", "on_server"), PLACES)
def test_it_holds_what_was_put_less_what_was_taken_out(
    name: str, on_server: bool, server: ChromaServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    agents, runs = ["#1", "#2", "Él"], itertools.count()
    folder = tmp_path_factory.mktemp("kept")
    rows = vectors(9)
    acts = st.one_of(
        st.tuples(st.just("put"), st.sampled_from(agents), st.sampled_from(TYPES), st.integers(0, 8)),
        st.tuples(st.just("remove"), st.sampled_from(agents), st.sampled_from(["memory", "note"]), st.integers(0, 8)),
        st.tuples(st.just("forget"), st.sampled_from(agents), st.just(""), st.just(0)),
    )

    @settings(max_examples=8, deadline=None)
    @given(st.lists(acts, max_size=12))
    def holds(done: list[tuple[str, str, str, int]]) -> None:
        place = Place(folder / str(next(runs)), server.address if on_server else "")
        index = KINDS.get(name).open(place, "one", DIMENSION)
        kept: dict[tuple[str, str], set[str]] = {(agent, kind): set() for agent in agents for kind in TYPES}
        for act, agent, kind, number in done:
            one = named(agent, kind or "note", 9)[number]
            if act == "put":
                index.put([one], rows[[number]], told(agent, kind))
                kept[agent, kind].add(one)
            elif act == "remove":
                index.remove(agent, [one])
                kept[agent, kind].discard(one)
            else:
                index.forget(agent)
                for other in TYPES:
                    kept[agent, other].clear()
        for (agent, kind), ids in kept.items():
            assert set(index.nearest(rows[0], agent, [kind], 99)) == ids
        assert counts(index, agents) == {agent: len(kept[agent, "memory"]) for agent in agents if kept[agent, "memory"]}
        assert sorted(index.documents()) == sorted(set().union(*(kept[a, k] for a in agents for k in TYPES[1:])))
        index.close()

    holds()


def test_all_is_there_again_after_closing(opened: Open) -> None:
    index, rows = opened(), vectors(400)
    ids = named("#1", "memory", 400)
    for start in range(0, 400, 60):
        some = slice(start, start + 60)
        index.put(ids[some], rows[some], told("#1", "memory", len(ids[some])))
    index.put(["note"], rows[:1], told("#1", "note"))
    index.close()
    index.close()
    again = opened()
    assert (counts(again), again.documents()) == ({"#1": 400}, ["note"])
    assert list(again.nearest(rows[0], "#1", ["note"], 1)) == ["note"]
    assert all(list(again.nearest(rows[row], "#1", ["memory"], 1)) == [ids[row]] for row in range(0, 400, 7))


def test_every_document_finds_itself_even_where_all_are_alike(opened: Open) -> None:
    rows = HashingEmbedder().embed([f"note {number}" for number in range(400)])
    index = opened(dimension=rows.shape[1])
    ids = [str(number) for number in range(400)]
    for start in range(0, 400, 8):
        some = slice(start, start + 8)
        index.put(ids[some], rows[some], told("#1", "note", 8))
    assert all(one in index.nearest(row, "#1", ["note"], 20) for one, row in zip(ids, rows, strict=True))


def test_memories_find_themselves_in_a_life_of_some_length(opened: Open) -> None:
    kinds, dimension = vectors(40, dimension=96), 96
    rows = np.repeat(kinds, 50, axis=0) + 0.6 * vectors(2000, seed=3, dimension=dimension)
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    index = opened(dimension=dimension)
    ids = [f"#1|{number}" for number in range(len(rows))]
    for start in range(0, len(rows), 250):
        some = slice(start, start + 250)
        index.put(ids[some], rows[some], told("#1", "memory", 250))
    tried = range(0, len(rows), 17)
    found = sum(ids[row] in index.nearest(rows[row], "#1", ["memory"], 10) for row in tried)
    assert found >= 0.99 * len(tried)


def test_what_is_put_again_and_again_is_found_like_all_else(opened: Open) -> None:
    # Most lines of one form, and some of none: these were cut off when vectors were replaced in their place.
    texts = [*talk(500, random.Random(500)), *(fact.told for fact in FACTS)]
    index, rows = opened(dimension=HashingEmbedder.dimension), HashingEmbedder().embed(texts)
    ids = [f"#1|{number}" for number in range(1, len(texts) + 1)]
    for _ in range(3):
        for start in range(0, len(ids), 64):
            some = slice(start, start + 64)
            index.put(ids[some], rows[some], told("#1", "memory", len(ids[some])))
    assert [one for one, row in zip(ids, rows, strict=True) if one not in index.nearest(row, "#1", TYPES, 10)] == []
    assert index.count("#1") == len(ids)


def test_vectors_of_another_model_are_dropped(opened: Open) -> None:
    index = opened("one")
    index.put(["a", "#1|1"], vectors(2), [{"agent": "#1", "type": "note"}, {"agent": "#1", "type": "memory"}])
    index.close()
    other = opened("two", 8)
    assert (counts(other), other.documents(), other.empty) == ({}, [], True)
    other.put(["b"], vectors(1, dimension=8), told("#1", "note"))
    assert other.documents() == ["b"]


def test_a_folder_that_was_deleted_is_begun_anew(opened: Open, tmp_path: Path) -> None:
    index = opened()
    index.put(["a", "#1|1"], vectors(2), [{"agent": "#1", "type": "note"}, {"agent": "#1", "type": "memory"}])
    index.close()
    shutil.rmtree(tmp_path / "vectors")
    again = opened()
    assert (counts(again), again.documents()) == ({}, [])
    again.put(["#1|1"], vectors(1), told("#1", "memory"))
    assert counts(again) == {"#1": 1}
