"""The child process as its parent sees it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.recall.child import Store, StoreState, VectorProcess
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


async def test_a_child_that_is_killed_is_a_failed_store_now_and_later(process: VectorProcess) -> None:
    await process.open()
    for child in children():
        os.kill(child, signal.SIGSTOP)  # so that it does not answer before it is killed
    asked = asyncio.create_task(process.do(Store.check))
    await asyncio.sleep(0)
    process.kill()
    with pytest.raises(StoreFailed, match=r"ended unexpectedly \(SIGKILL\)"):
        await asked
    with pytest.raises(StoreFailed, match="gone"):
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
