"""An answer of the child and the end of whoever asked may come in the same tick of the loop."""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from agents.recall.child import Store, VectorProcess, answer
from agents.recall.documents import IndexedDocument, StoreFailed, record_of
from agents.recall.settings import RecallSettings

BOUND = 60.0


async def asking(future: Future[int]) -> asyncio.Task[int]:
    """Return a task that waits for this piece of work."""
    task = asyncio.create_task(answer(future))
    await asyncio.sleep(0)
    return task


async def test_a_cancellation_together_with_the_answer_is_not_lost() -> None:
    future: Future[int] = Future()
    task = await asking(future)
    future.set_result(1)
    # One turn later the loop has the answer, and the task not yet.
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    await asyncio.wait([task], timeout=BOUND)
    assert task.cancelled()


async def test_work_that_the_end_of_the_pool_cancels_is_a_failed_store() -> None:
    future: Future[int] = Future()
    task = await asking(future)
    future.cancel()
    with pytest.raises(StoreFailed, match="was ended"):
        await task


async def test_a_broken_pool_is_a_failed_store() -> None:
    future: Future[int] = Future()
    future.set_exception(BrokenProcessPool("it is broken"))
    with pytest.raises(StoreFailed, match="ended unexpectedly"):
        await answer(future)


async def test_whoever_is_cancelled_while_closing_still_ends_the_child(tmp_path: Path) -> None:
    process = VectorProcess(tmp_path / ".index", RecallSettings(embedder="hashing"))
    async with asyncio.timeout(BOUND):
        await process.open()
        note = IndexedDocument("notes/a", "note", "A storm broke the mill.")
        await process.do(Store.put, [record_of("#1", note.vector_id("#1"), note)])
        closing = asyncio.create_task(process.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait([closing])
    assert closing.cancelled()
    assert not multiprocessing.active_children()
