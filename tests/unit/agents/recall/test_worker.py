from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import Entry
from agents.recall.child import Store, StoreState
from agents.recall.documents import FolderGone, IndexedDocument, Query, Record, memory_records, record_of
from agents.recall.indexes import MAX_SIMILAR, MIN_SIMILARITY, Thesaurus
from mud.errors import UnknownName, UnsafePath
from mud.storage.paths import hold, let_go

Open = Callable[..., Store]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Give a function that opens the store in this process, and close what the test left open."""
    stores: list[Store] = []

    def start(embedder: str = "hashing") -> Store:
        stores.append(Store(tmp_path / ".index", embedder))
        return stores[-1]

    yield start
    for store in stores:
        store.close()


def records(*texts: str) -> list[Record]:
    notes = [IndexedDocument(f"notes/{number}", "note", text) for number, text in enumerate(texts)]
    return [record_of("#1", note.vector_id("#1"), note) for note in notes]


def test_what_is_nearest_is_told_by_id(opened: Open) -> None:
    store, some = opened(), records("the brass key", "a heron by the river")
    store.put(some)
    memories, documents = store.nearest(Query("herons at rivers", "#1", True, ("note",), 1))
    assert (memories, list(documents)) == ({}, [some[1].id])


def test_a_sentence_is_compared_with_every_example_in_the_order_they_were_learned(opened: Open) -> None:
    store = opened()
    store.learn_examples(0, ["where is the key", "sing a song"])
    store.learn_examples(2, ["good night"])
    assert np.argmax(store.compare("sing me a song")) == 1
    assert len(store.compare("anything")) == 3
    store.learn_examples(0, ["good night"])  # others take their place
    assert store.compare("good night") == [pytest.approx(1.0)]


def lived(*texts: str) -> list[Record]:
    entries = [Entry(seq, "2026-01-01T00:00:00.000Z", "heard", None, None, text) for seq, text in enumerate(texts, 1)]
    return [memory_records("#1", entry)[0] for entry in entries]


def test_memories_are_told_by_their_number(opened: Open) -> None:
    store = opened()
    store.put(lived("the brass key", "a heron by the river"))
    memories, documents = store.nearest(Query("herons at rivers", "#1", True, ("note",), 1))
    assert (list(memories), documents) == ([2], {})


def test_words_that_were_lived_are_like_those_of_a_question(opened: Open) -> None:
    store = opened()
    assert store.similar_words(Query("Where are lighthouses?", "#1"), ["lighthouses"]) == {}
    store.learn(["lighthouse", "key"])
    alike = store.similar_words(Query("Where are lighthouses?", "#1"), ["lighthouses"])
    assert list(alike["lighthouses"]) == ["lighthouse"]


def test_it_tells_whether_it_holds_what_it_should(opened: Open) -> None:
    store, some = opened(), lived("the brass key", "a heron by the river")
    store.put(some)
    assert store.holds("#1", 2, some)
    assert not store.holds("#1", 3, some)
    assert not store.holds("#1", 2, [replace(one, id="#1|9") for one in some])
    store.forget("#1")
    assert store.holds("#1", 0, [])


def test_after_a_clean_end_the_index_is_used_as_it_is(opened: Open, tmp_path: Path) -> None:
    store = opened()
    store.put(records("one", "two"))
    store.close()
    assert (tmp_path / ".index" / "chroma.closed").exists()
    assert len(opened().state().documents) == 2


@pytest.mark.parametrize("name", ["chroma.closed", "embeddings.sqlite3", "minilm-1.onnx"])
def test_a_folder_in_place_of_a_file_is_refused_in_one_sentence(opened: Open, tmp_path: Path, name: str) -> None:
    (tmp_path / ".index" / name).mkdir(parents=True)
    with pytest.raises(UnsafePath, match="this is no ordinary file; expected one, or nothing under this name"):
        opened()


def test_nothing_is_written_where_the_vault_was_moved_away(opened: Open, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    descriptor = os.open(vault, os.O_RDONLY | os.O_DIRECTORY)
    hold(vault, descriptor)
    vault.rename(tmp_path / "moved")
    try:
        with pytest.raises(OSError, match="the vault's folder was moved"):
            Store(vault / ".index", "hashing")
    finally:
        let_go(vault)
        os.close(descriptor)
    assert not vault.exists()
    assert list((tmp_path / "moved").iterdir()) == []


def test_after_an_unclean_end_it_begins_with_an_empty_index_and_a_full_cache(opened: Open, tmp_path: Path) -> None:
    store = opened()
    store.put(records("one", "two"))
    store.close()
    for file in (tmp_path / ".index" / "chroma").rglob("*"):
        if file.is_file():
            file.write_bytes(b"broken")
    (tmp_path / ".index" / "chroma.closed").unlink()
    again = opened()
    assert again.state() == StoreState(True, [])
    again.put(records("one", "two"))
    assert len(again.state().documents) == 2


def test_a_broken_cache_costs_nothing_but_time(opened: Open, tmp_path: Path) -> None:
    store = opened()
    store.put(records("one"))
    store.close()
    (tmp_path / ".index" / "embeddings.sqlite3").write_bytes(b"broken" * 1000)
    again = opened()
    again.put(records("one", "two"))
    assert len(again.state().documents) == 2


def test_a_cache_that_is_damaged_inside_or_deleted_meanwhile_costs_nothing_but_time(
    opened: Open, tmp_path: Path
) -> None:
    cache = tmp_path / ".index" / "embeddings.sqlite3"
    store = opened()
    many = [str(number) for number in range(200)]
    store.put(records(*many))
    store.close()
    whole = cache.read_bytes()
    cache.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    again = opened()
    again.put(records(*many, "one"))
    assert len(again.state().documents) == 201
    cache.unlink()
    again.put(records("one", "two"))
    assert cache.exists()


@pytest.mark.parametrize("deleted", [".index", ".index/chroma", ".index/worker.lock"])
def test_a_folder_that_was_deleted_is_noticed(opened: Open, tmp_path: Path, deleted: str) -> None:
    store = opened()
    if (tmp_path / deleted).is_dir():
        shutil.rmtree(tmp_path / deleted)
    else:
        (tmp_path / deleted).unlink()
    with pytest.raises(FolderGone, match="deleted"):
        store.put(records("one"))


def test_only_one_process_holds_the_store(opened: Open, tmp_path: Path) -> None:
    store = opened()
    with (tmp_path / ".index" / "worker.lock").open("r+") as lock:
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        store.close()
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_an_embedder_that_there_is_not_is_named_with_those_there_are(opened: Open) -> None:
    with pytest.raises(UnknownName, match="hashing, minilm"):
        opened("mini")


# -- words that are like others ----------------------------------------------------------------------------------------


COINS, PENNIES, SHIP = np.eye(3, dtype=np.float32)
MONEY = np.array([0.8, 0.6, 0.0], dtype=np.float32)


def test_words_that_are_like_one_are_named_with_how_like_they_are_the_likest_first() -> None:
    words = Thesaurus(3)
    words.learn(["pennies", "coins", "ship"], np.stack([PENNIES, COINS, SHIP]))
    words.learn(["coins", "money"], np.stack([SHIP, MONEY]))  # the first vector of a word stays
    assert words.similar(["money"], {}) == {"money": {"coins": 0.8, "pennies": 0.6}}


def test_only_words_that_were_said_are_named() -> None:
    words = Thesaurus(3)
    assert words.similar(["money"], {"money": MONEY}) == {}
    words.learn(["coins"], COINS[None])
    assert words.similar(["money", "gold"], {"money": MONEY, "gold": COINS})["gold"] == {"coins": 1.0}
    assert words.unknown(["money", "coins"]) == ["money"]


@given(st.integers(1, 700), st.integers(1, 300))
def test_however_they_come_all_are_learnt(count: int, step: int) -> None:
    words, vector = Thesaurus(3), COINS[None]
    names = [f"word{number}" for number in range(count)]
    for start in range(0, count, step):
        some = names[start : start + step]
        words.learn(some, np.repeat(vector, len(some), axis=0))
    assert words.unknown(names) == []
    alike = words.similar(["x"], {"x": COINS})["x"]
    assert len(alike) == min(count, MAX_SIMILAR)
    assert all(cosine >= MIN_SIMILARITY for cosine in alike.values())
