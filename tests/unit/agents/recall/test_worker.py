from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agents.recall.documents import IndexedDocument, Record, StoreFailed, record_of
from agents.recall.worker import Store
from mud.errors import UnknownName

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
    found = store.nearest("herons at rivers", "#1", ["note"], 1)
    assert list(found) == [some[1].id]


def test_after_a_clean_end_the_index_is_used_as_it_is(opened: Open, tmp_path: Path) -> None:
    store = opened()
    store.put(records("one", "two"))
    store.close()
    assert not (tmp_path / ".index" / "chroma.dirty").exists()
    assert len(opened().ids()) == 2


def test_after_an_unclean_end_it_begins_with_an_empty_index_and_a_full_cache(opened: Open, tmp_path: Path) -> None:
    store = opened()
    store.put(records("one", "two"))
    store.close()
    for file in (tmp_path / ".index" / "chroma").rglob("*"):
        if file.is_file():
            file.write_bytes(b"broken")
    (tmp_path / ".index" / "chroma.dirty").touch()
    again = opened()
    assert again.ids() == []
    again.put(records("one", "two"))
    assert len(again.ids()) == 2


def test_a_broken_cache_costs_nothing_but_time(opened: Open, tmp_path: Path) -> None:
    store = opened()
    store.put(records("one"))
    store.close()
    (tmp_path / ".index" / "embeddings.sqlite3").write_bytes(b"broken" * 1000)
    again = opened()
    again.put(records("one", "two"))
    assert len(again.ids()) == 2


def test_a_folder_that_was_deleted_is_noticed(opened: Open, tmp_path: Path) -> None:
    store = opened()
    shutil.rmtree(tmp_path / ".index")
    with pytest.raises(StoreFailed, match="deleted"):
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
