"""The child process as its parent sees it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import cast

import pytest

from agents.recall.child import CleanShutdown, Store, StoreState, VectorProcess
from agents.recall.documents import IndexedDocument, StoreFailed, record_of
from agents.recall.settings import RecallSettings
from tests.unit.agents.recall.lives import children

BOUND = 60.0


@pytest.fixture
async def process(tmp_path: Path) -> AsyncIterator[VectorProcess]:
    process = VectorProcess(tmp_path / ".index", RecallSettings(embedder="hashing"))
    async with asyncio.timeout(BOUND):
        yield process
        await process.close()


async def test_an_answer_that_nobody_waits_for_any_more_is_dropped(process: VectorProcess) -> None:
    await process.open()
    asked = asyncio.create_task(process.do(Store.check))
    await asyncio.sleep(0)
    asked.cancel()
    assert await process.do(Store.state) == StoreState(True, [])
    assert asked.cancelled()


async def test_a_request_that_cannot_be_sent_takes_nobody_elses_answer(process: VectorProcess) -> None:
    await process.open()
    with pytest.raises(AttributeError, match="pickle"):
        await process.do(Store.learn, [cast("str", lambda: "nothing")])
    assert await process.do(Store.compare, "a sentence") == []
    assert await process.do(Store.state) == StoreState(True, [])


async def test_a_child_that_is_killed_is_a_failed_store_now_and_later(process: VectorProcess) -> None:
    await process.open()
    for child in children():
        os.kill(child, signal.SIGSTOP)  # so that it does not answer before it is killed
    asked = asyncio.create_task(process.do(Store.check))
    await asyncio.sleep(0)
    process.kill()
    with pytest.raises(StoreFailed, match=r"ended unexpectedly \(SIGKILL\)"):
        await asked
    with pytest.raises(StoreFailed, match="ended unexpectedly"):
        await process.do(Store.check)


async def test_whoever_is_cancelled_while_closing_still_ends_the_child(process: VectorProcess) -> None:
    await process.open()
    note = IndexedDocument("notes/a", "note", "A storm broke the mill.")
    await process.do(Store.put, [record_of("#1", note.vector_id("#1"), note)])
    closing = asyncio.create_task(process.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait([closing])
    assert closing.cancelled()
    assert not children()


# -- what a clean end leaves -------------------------------------------------------------------------------------------


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Return an index that was sealed."""
    folder = tmp_path / "chroma"
    (folder / "graph").mkdir(parents=True)
    (folder / "graph" / "links.bin").write_bytes(b"links")
    (folder / "chroma.sqlite3").write_bytes(b"rows")
    CleanShutdown(folder).close()
    return folder


def test_an_index_that_was_closed_is_taken_as_it_is_once(index: Path) -> None:
    CleanShutdown(index).open()
    assert (index / "graph" / "links.bin").read_bytes() == b"links"
    CleanShutdown(index).open()
    assert not index.exists()


def test_the_files_of_a_copy_are_not_opened_though_they_keep_their_times(index: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path, copy, ignore=shutil.ignore_patterns("copy"))
    CleanShutdown(copy / "chroma").open()
    assert not (copy / "chroma").exists()


def changed(index: Path) -> None:
    (index / "chroma.sqlite3").write_bytes(b"swor")
    os.utime(index / "chroma.sqlite3", (1, 1))


def longer(index: Path) -> None:
    (index / "chroma.sqlite3").write_bytes(b"rows and rows")


def fewer(index: Path) -> None:
    (index / "graph" / "links.bin").unlink()


def more(index: Path) -> None:
    (index / "another").touch()


def a_broken_note(index: Path) -> None:
    index.with_suffix(".closed").write_bytes(b"\xff\xfe")


@pytest.mark.parametrize("change", [changed, longer, fewer, more, a_broken_note])
def test_an_index_that_is_not_as_it_was_closed_is_deleted(index: Path, change: Callable[[Path], None]) -> None:
    change(index)
    CleanShutdown(index).open()
    assert not index.exists()


def test_a_file_in_its_place_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "chroma").write_text("a file")
    CleanShutdown(tmp_path / "chroma").open()
    assert not (tmp_path / "chroma").exists()


def test_where_there_is_no_index_there_is_nothing_to_do(tmp_path: Path) -> None:
    CleanShutdown(tmp_path / "chroma").open()
    assert list(tmp_path.iterdir()) == []
