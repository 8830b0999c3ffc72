"""Edits by hand are noticed, our own writes are not: real files, the real observer, waits with an end."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer

from mud.storage.files import write_atomic
from mud.storage.watch import SWEPT_AT_ONCE, Watcher

LONGEST = 20.0
"""Seconds that a loaded machine gets for what takes one."""


class LoopClock:
    """The machine's clock, with sweeps as far apart as the test wants them."""

    zone = UTC

    def __init__(self, sweeps: bool = True) -> None:
        self.sweeps = sweeps

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        if seconds >= 1 and not self.sweeps:
            await asyncio.Event().wait()
        await asyncio.sleep(min(seconds, 0.3))


class Reports:
    """What a watcher reported, to be waited for."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[frozenset[Path]] = asyncio.Queue()

    async def next(self) -> frozenset[Path]:
        return await asyncio.wait_for(self.queue.get(), LONGEST)

    async def until(self, wanted: set[Path]) -> None:
        """Wait until every one of these files was reported."""
        seen: set[Path] = set()
        while not wanted <= seen:
            seen |= await self.next()


@asynccontextmanager
async def watching(root: Path, *folders: Path, sweeps: bool = False) -> AsyncIterator[tuple[Watcher, Reports]]:
    """Run a watcher, by events alone unless sweeps are asked for."""
    reports = Reports()
    watcher = Watcher(reports.queue.put_nowait, LoopClock(sweeps), root)
    for folder in folders:
        watcher.watch(folder)
    task = asyncio.create_task(watcher.run())
    await asyncio.sleep(0)
    try:
        yield watcher, reports
    finally:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_new_a_changed_and_a_removed_file_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    async with watching(tmp_path, tmp_path) as (_, reports):
        path.write_text("one")
        assert await reports.next() == {path}
        path.write_text("two")
        assert await reports.next() == {path}
        path.unlink()
        assert await reports.next() == {path}


async def test_a_save_by_renaming_is_reported_under_its_real_name(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("one")
    async with watching(tmp_path, tmp_path) as (_, reports):
        write_atomic(path, "two")
        assert await reports.next() == {path}
        path.with_name("a.md~").write_text("a backup of some editor")
        path.write_text("three")
        assert await reports.next() == {path}


async def test_what_the_program_wrote_is_not_reported_and_an_edit_after_it_is(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.md", tmp_path / "theirs.md"
    async with watching(tmp_path, tmp_path) as (watcher, reports):
        watcher.wrote(ours, "our text")
        write_atomic(ours, "our text")
        theirs.write_text("x")
        assert await reports.next() == {theirs}
        ours.write_text("edited")
        assert await reports.next() == {ours}
        ours.write_text("our text")
        assert await reports.next() == {ours}


async def test_reading_and_touching_report_nothing(tmp_path: Path) -> None:
    path, last = tmp_path / "a.md", tmp_path / "last.md"
    async with watching(tmp_path, tmp_path) as (_, reports):
        path.write_text("one")
        assert await reports.next() == {path}
        path.read_text()
        os.utime(path)
        path.write_text("one")
        last.write_text("x")
        assert await reports.next() == {last}


async def test_a_folder_that_appears_is_looked_through_and_watched(tmp_path: Path) -> None:
    deep = tmp_path / "eliza" / "summaries"
    never = tmp_path / "eliza" / "archive"
    async with watching(tmp_path, tmp_path) as (_, reports):
        deep.mkdir(parents=True)
        never.mkdir()
        (tmp_path / "eliza" / "agent.md").write_text("x")
        (deep / "recent.md").write_text("one")
        (never / "0000000001.jsonl").write_text("{}")
        await reports.until({tmp_path / "eliza" / "agent.md", deep / "recent.md"})
        (never / "0000000001.jsonl").write_text("{}{}")
        (deep / "recent.md").write_text("two")
        assert await reports.next() == {deep / "recent.md"}


async def test_a_folder_removed_and_made_again_goes_on_being_watched(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("one")
    async with watching(tmp_path, tmp_path, folder) as (_, reports):
        shutil.rmtree(folder)
        await reports.until({folder / "a.md"})
        folder.mkdir()
        (folder / "a.md").write_text("two")
        await reports.until({folder / "a.md"})
        (folder / "a.md").write_text("three")
        await reports.until({folder / "a.md"})


@pytest.mark.parametrize("sweeps", [False, True])
async def test_a_folder_moved_away_and_back_at_once_is_told_as_new_when_that_was_announced(
    tmp_path: Path, sweeps: bool
) -> None:
    folder = tmp_path / "agents" / "moss"
    folder.mkdir(parents=True)
    (folder / "agent.md").write_text("# Moss\n")
    async with watching(tmp_path, folder.parent, folder, sweeps=sweeps) as (watcher, reports):
        folder.rename(tmp_path / "away")
        watcher.lost(folder)
        (tmp_path / "away").rename(folder)
        await reports.until({folder / "agent.md"})
        write_atomic(folder / "agent.md", "# Moss, again\n")
        await reports.until({folder / "agent.md"})


async def test_a_folder_that_is_not_there_yet_is_found_by_the_sweep(tmp_path: Path) -> None:
    folder = tmp_path / "later"
    async with watching(tmp_path, folder, sweeps=True) as (_, reports):
        folder.mkdir()
        (folder / "a.md").write_text("one")
        await reports.until({folder / "a.md"})
        (folder / "a.md").write_text("two")
        await reports.until({folder / "a.md"})


async def test_what_no_event_told_is_found_by_the_sweep(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.mkdir()
    (real / "a.md").write_text("one")
    (link / "a.md").symlink_to(real / "a.md")
    async with watching(tmp_path, link, sweeps=True) as (_, reports):
        (real / "a.md").write_text("changed behind the link")
        assert await reports.next() == {link / "a.md"}


async def test_a_folder_that_was_not_looked_at_yet_reports_what_is_edited_and_removed(tmp_path: Path) -> None:
    kept, gone = tmp_path / "a/kept.md", tmp_path / "a/gone.md"
    kept.parent.mkdir()
    for path in (kept, gone):
        path.write_text("before")
    async with watching(tmp_path) as (watcher, reports):
        watcher.watch(kept.parent, scanned=False)
        kept.write_text("after")
        gone.unlink()
        await reports.until({kept, gone})


async def test_very_many_folders_are_swept_in_turns_and_none_is_forgotten(tmp_path: Path) -> None:
    real = tmp_path / "real.md"
    real.write_text("one")
    links = [tmp_path / f"{number}" / "a.md" for number in range(SWEPT_AT_ONCE + 20)]
    for link in links:
        link.parent.mkdir()
        link.symlink_to(real)
    async with watching(tmp_path, *(link.parent for link in links), sweeps=True) as (_, reports):
        real.write_text("changed behind the links")
        await reports.until(set(links))


async def test_folders_inside_are_not_watched_unless_asked_for(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    async with watching(tmp_path, tmp_path) as (watcher, reports):
        (tmp_path / "in" / "a.md").write_text("x")
        (tmp_path / "b.md").write_text("x")
        assert await reports.next() == {tmp_path / "b.md"}
        watcher.watch(tmp_path / "in")
        (tmp_path / "in" / "a.md").write_text("y")
        assert await reports.next() == {tmp_path / "in" / "a.md"}


async def test_hundreds_of_folders_cost_no_more_threads_than_one(tmp_path: Path) -> None:
    folders = [tmp_path / f"agent{number}" for number in range(300)]
    for folder in folders:
        folder.mkdir()
    before = threading.active_count()
    async with watching(tmp_path, *folders) as (_, reports):
        assert threading.active_count() <= before + 4
        (folders[299] / "a.md").write_text("x")
        assert await reports.next() == {folders[299] / "a.md"}


async def test_appending_to_a_file_that_stays_open_causes_no_event(tmp_path: Path) -> None:
    async with watching(tmp_path, tmp_path) as (_, reports):
        with (tmp_path / "a.jsonl").open("w") as file:
            await reports.until({tmp_path / "a.jsonl"})
            for _ in range(100):
                file.write("{}\n")
                file.flush()
            (tmp_path / "b.md").write_text("x")
            assert await reports.next() == {tmp_path / "b.md"}


async def test_when_the_system_starts_no_thread_changes_are_looked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = threading.stack_size(1 << 50)  # more than there is, so that every start of a thread fails
    try:
        async with watching(tmp_path, tmp_path, sweeps=True) as (_, reports):
            (tmp_path / "a.md").write_text("x")
            await reports.until({tmp_path / "a.md"})
    finally:
        threading.stack_size(before)
    wanted = f"{tmp_path.name} cannot be watched (can't start new thread); changes there are looked for"
    assert caplog.messages == [wanted]


async def test_a_file_moved_away_just_before_the_end_is_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (root / "a.md").write_text("one")
    heard = threading.Event()
    handler = FileSystemEventHandler()
    handler.on_created = lambda event: heard.set()  # type: ignore[method-assign]
    observer = Observer()
    observer.schedule(handler, str(other))
    observer.start()
    async with watching(root, root):
        (root / "a.md").rename(tmp_path / "away.md")  # held back for half a second, as it may appear elsewhere
        (other / "b.md").write_text("x")
        assert heard.wait(LONGEST)  # one thread reads for all observers, in order: the move was read too
    observer.stop()
    observer.join()
    assert caplog.messages == []


async def test_it_can_run_again_after_it_ended(tmp_path: Path) -> None:
    reports = Reports()
    watcher = Watcher(reports.queue.put_nowait, LoopClock(), tmp_path)
    watcher.watch(tmp_path)
    for text in ("one", "two"):
        task = asyncio.create_task(watcher.run())
        await asyncio.sleep(0)
        (tmp_path / "a.md").write_text(text)
        assert await reports.next() == {tmp_path / "a.md"}
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
