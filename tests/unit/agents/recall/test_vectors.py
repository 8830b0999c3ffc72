"""The background loops leave by themselves when they are told to, even if no cancellation ever reaches them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

from agents.recall.indexer import Indexer
from agents.recall.lexical import LexicalIndex
from agents.recall.settings import RecallSettings
from agents.recall.vectors import VectorService
from mud.clock import VirtualClock

T = TypeVar("T")
BOUND = 60.0


class Words:
    """The lexical index with the thread that owns it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lexical = LexicalIndex(folder / "lexical.sqlite3")
        self.thread = ThreadPoolExecutor(1)

    async def run(self, work: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.thread, work, *args)

    def keeper(self, embedder: str) -> VectorService:
        async def noted(waiting: int, total: int) -> None:
            assert waiting == total == 0

        settings = RecallSettings(embedder=embedder)
        return VectorService(self.folder, self.lexical, self.run, lambda: settings, VirtualClock(), noted)


@pytest.fixture
async def words(tmp_path: Path) -> AsyncIterator[Words]:
    made = Words(tmp_path / ".index")
    yield made
    await made.run(made.lexical.close)
    made.thread.shutdown()


@pytest.mark.parametrize("embedder", ["none", "hashing", "oracle"])
@pytest.mark.parametrize("settled", [True, False])
async def test_the_keeper_of_vectors_leaves_when_told(words: Words, embedder: str, settled: bool) -> None:
    keeper = words.keeper(embedder)
    running = asyncio.create_task(keeper.run())
    async with asyncio.timeout(BOUND):
        if settled:
            await keeper.settled.wait()
        keeper.stop()
        await running
    assert not keeper.ready


async def test_the_feed_leaves_when_told(words: Words) -> None:
    feed = Indexer(words.lexical, words.run, lambda gone: None, lambda agent: None)
    running = asyncio.create_task(feed.keep_flushing())
    async with asyncio.timeout(BOUND):
        await asyncio.sleep(0)
        feed.stop()
        await running
