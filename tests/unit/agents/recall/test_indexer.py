"""What goes into the index, and what comes of it when something is in the way."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar, TypeVarTuple

import pytest

from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.documents import IndexedDocument
from agents.recall.lexical import LexicalIndex
from agents.recall.recall import MAX_BULK_QUEUE, Indexer
from mud.clock import VirtualClock
from mud.errors import Unavailable
from tests.unit.agents.recall.lives import progress

AT = "2026-01-01T00:00:00.000Z"
LIFE = [Entry(seq, AT, "heard", None, None, f"The bell rang {seq} times.") for seq in range(1, 4)]
T = TypeVar("T")
Ts = TypeVarTuple("Ts")
NOTE = IndexedDocument("notes/key", "note", "Under the pot.", "Key", timestamp=AT)


def _read(first: int, last: int) -> Sequence[Entry]:
    return LIFE[first - 1 : last]


@pytest.fixture
def lexical(tmp_path: Path) -> Iterator[LexicalIndex]:
    index = LexicalIndex(tmp_path / "lexical.sqlite3", at_once=True)
    yield index
    index.close()


def _feed(lexical: LexicalIndex) -> Indexer:
    return Indexer(lexical, lambda gone: None, lambda agent: None, VirtualClock())


async def test_documents_that_cannot_be_read_now_are_indexed_as_soon_as_they_can(
    lexical: LexicalIndex, caplog: pytest.LogCaptureFixture
) -> None:
    feed, troubles = _feed(lexical), [OSError(5, "Input/output error"), OSError(5, "Input/output error")]

    def documents() -> list[IndexedDocument]:
        if troubles:
            raise troubles.pop()
        return [NOTE]

    await feed.catch_up("#1", 0, _read)
    feed.remember("#1", LIFE[:1])
    feed.sync_documents("#1", documents)
    with caplog.at_level(logging.WARNING):
        await feed.flush()
        assert progress(lexical, "#1").lexical_through == 1
        await feed.flush()
    assert [record.message for record in caplog.records] == [
        "What is noted cannot be read now: [Errno 5] Input/output error."
    ]
    await feed.flush()
    assert progress(lexical, "#1").documents == 1
    await feed.fill("#1")
    assert progress(lexical, "#1").lexical_through == 1


async def test_documents_wanted_meanwhile_go_before_those_that_failed(lexical: LexicalIndex) -> None:
    feed = _feed(lexical)

    def failing() -> list[IndexedDocument]:
        feed.sync_documents("#1", lambda: [NOTE])
        raise OSError(5, "Input/output error")

    feed.sync_documents("#1", failing)
    await feed.flush()
    await feed.flush()
    assert progress(lexical, "#1").documents == 1


async def test_an_index_that_another_process_holds_is_said_once_and_filled_when_it_is_free(
    tmp_path: Path, lexical: LexicalIndex, caplog: pytest.LogCaptureFixture
) -> None:
    feed = _feed(lexical)
    await feed.catch_up("#1", 2, _read)
    lexical.close()
    other = sqlite3.connect(tmp_path / "lexical.sqlite3", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Unavailable):
        progress(lexical, "#1")
    feed.lives["#1"].latest = 3
    await feed.fill("#1")
    assert feed.lives["#1"].progress.lexical_through == 2
    assert [record.levelname for record in caplog.records if "cannot keep up" in record.message] == ["WARNING"]
    other.close()
    await feed.fill("#1")
    assert feed.lives["#1"].progress.lexical_through == 3


async def test_documents_wait_while_a_life_is_given_in_bulk_and_memories_do_not_pile_up(lexical: LexicalIndex) -> None:
    feed = _feed(lexical)
    entries = [Entry(seq, AT, "heard", None, None, f"The bell rang {seq} times.") for seq in range(1, 6001)]
    feed.sync_documents("#1", lambda: [NOTE])
    async with feed.in_bulk("#1") as indexed:
        for start in range(0, len(entries), 1000):
            feed.remember("#1", entries[start : start + 1000])
            await indexed()
            assert len(feed.lives["#1"].queue) <= MAX_BULK_QUEUE
        await feed.flush()
        assert (
            progress(lexical, "#1").lexical_through,
            progress(lexical, "#1").documents,
        ) == (6000, 0)
    await feed.flush()
    assert progress(lexical, "#1").documents == 1


async def test_a_question_to_one_waits_for_what_that_one_lived_through_and_for_nobody_else(
    lexical: LexicalIndex,
) -> None:
    feed = _feed(lexical)
    for agent in ("#1", "#2"):
        await feed.catch_up(agent, 0, _read)
        feed.remember(agent, LIFE)
        feed.sync_documents(agent, lambda: [NOTE])
    await feed.fill("#1")
    assert (lexical.do(tables.through_of, "#1"), progress(lexical, "#1").documents) == (3, 1)
    assert (lexical.do(tables.through_of, "#2"), progress(lexical, "#2").documents) == (0, 0)
    await feed.fill("#2")
    assert (lexical.do(tables.through_of, "#2"), progress(lexical, "#2").documents) == (3, 1)


async def test_a_question_of_whoever_has_the_newest_memories_before_their_eyes_waits_for_none_of_these(
    tmp_path: Path, lexical: LexicalIndex
) -> None:
    feed = _feed(lexical)
    await feed.catch_up("#1", 1, _read)
    feed.remember("#1", LIFE[1:])
    await feed.fill("#1", before=2)
    assert lexical.do(tables.through_of, "#1") == 1
    await feed.fill("#1", before=3)
    assert lexical.do(tables.through_of, "#1") == 3
    (tmp_path / "lexical.sqlite3").unlink()
    progress(lexical, "#1")  # begins another index
    await feed.fill("#1", before=3)
    assert lexical.do(tables.through_of, "#1") == 3


class _Noting(LexicalIndex):
    """Notes what it is given to do."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, at_once=True)
        self.given: list[tuple[object, ...]] = []

    async def in_thread(self, work: Callable[[*Ts], T], *args: *Ts) -> T:
        self.given.append(args)
        return work(*args)


async def test_of_ten_thousand_lives_a_flush_takes_up_the_one_that_has_something_new_and_no_other(
    tmp_path: Path,
) -> None:
    lexical = _Noting(tmp_path / "lexical.sqlite3")
    feed = _feed(lexical)
    for number in range(10_000):
        feed.remember(f"#{number}", LIFE[:1])
    assert await feed.flush()
    assert not await feed.flush()
    feed.remember("#4711", LIFE[1:2])
    assert await feed.flush()
    feed.sync_documents("#4712", documents := lambda: [NOTE])
    assert await feed.flush()
    assert not await feed.flush()
    assert lexical.given[1:] == [({"#4711": LIFE[1:2]}, {}), ({}, {"#4712": documents})]
    lexical.close()


class _StepByStep(LexicalIndex):
    """Does each piece of work a step of the event loop later, and answers another step later: in order, as a thread."""

    async def in_thread(self, work: Callable[[*Ts], T], *args: *Ts) -> T:
        await asyncio.sleep(0)
        done = work(*args)
        await asyncio.sleep(0)
        return done


async def test_whoever_asks_at_any_moment_while_another_life_is_read_anew_is_answered_from_the_archive(
    tmp_path: Path,
) -> None:
    lexical = _StepByStep(tmp_path / "lexical.sqlite3", at_once=True)
    before = _feed(lexical)
    await before.catch_up("#1", 3, _read)
    other = [Entry(seq, AT, "heard", None, None, f"A badger digs {seq} holes.") for seq in (1, 2)]
    feed = _feed(lexical)

    async def ask() -> tuple[int, str | None]:
        await feed.fill("#1", before=3)
        return lexical.do(tables.last_memory, "#1")

    caught_up = asyncio.create_task(feed.catch_up("#1", 2, lambda first, last: other[first - 1 : last]))
    asked: list[asyncio.Task[tuple[int, str | None]]] = []
    while not caught_up.done():
        await asyncio.sleep(0)
        asked.append(asyncio.create_task(ask()))
    assert len(asked) > 10
    assert set(await asyncio.gather(*asked)) == {(2, "A badger digs 2 holes.")}
    lexical.close()


async def test_the_feed_leaves_when_told(lexical: LexicalIndex) -> None:
    feed = _feed(lexical)
    running = asyncio.create_task(feed.keep_flushing())
    async with asyncio.timeout(60):
        await asyncio.sleep(0)
        feed.stop_flushing()
        await running
