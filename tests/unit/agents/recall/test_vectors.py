"""The background loops leave by themselves when they are told to, even if no cancellation ever reaches them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.recall.lexical import LexicalIndex
from agents.recall.recall import Indexer
from agents.recall.settings import RecallSettings
from agents.recall.vectors import VectorService
from mud.clock import VirtualClock

BOUND = 60.0


@pytest.fixture
async def lexical(tmp_path: Path) -> AsyncIterator[LexicalIndex]:
    index = LexicalIndex(tmp_path / ".index" / "lexical.sqlite3")
    yield index
    await index.end(BOUND)


@pytest.mark.parametrize("embedder", ["none", "hashing", "oracle"])
@pytest.mark.parametrize("settled", [True, False])
async def test_the_keeper_of_vectors_leaves_when_told(
    tmp_path: Path, lexical: LexicalIndex, embedder: str, settled: bool
) -> None:
    async def noted(waiting: int, total: int) -> None:
        assert waiting == total == 0

    settings = RecallSettings(embedder=embedder)
    keeper = VectorService(tmp_path / ".index", lexical, lambda: settings, VirtualClock(), noted)
    running = asyncio.create_task(keeper.run())
    async with asyncio.timeout(BOUND):
        if settled:
            await keeper.settled.wait()
        keeper.stop()
        await running
    assert not keeper.ready


async def test_the_feed_leaves_when_told(lexical: LexicalIndex) -> None:
    feed = Indexer(lexical, lambda gone: None, lambda agent: None)
    running = asyncio.create_task(feed.keep_flushing())
    async with asyncio.timeout(BOUND):
        await asyncio.sleep(0)
        feed.stop_flushing()
        await running
