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

from mud.storage.files import write_atomic
from mud.storage.watch import SWEPT_AT_ONCE, Watcher
from tests.disks import open_files_left

QUEUED = Path("/proc/sys/fs/inotify/max_queued_events")
LONGEST = 20.0
"""Seconds that a loaded machine gets for what takes one."""


class LoopClock:
    """The machine's clock, with sweeps as far apart as the test wants them."""

    zone = UTC

    def __init__(self, sweeps: bool = True) -> None:
        self.sweeps = sweeps
        self.swept = 0

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        self.swept += seconds >= 1
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


async def test_a_folder_that_is_not_there_yet_is_told_of_when_it_appears_with_those_above_it(tmp_path: Path) -> None:
    folder = tmp_path / "later" / "inside"
    async with watching(tmp_path, folder) as (_, reports):
        folder.mkdir(parents=True)
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


async def test_when_more_happens_than_the_system_tells_all_folders_are_looked_through(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    seen, unseen = tmp_path / "seen", tmp_path / "unseen"
    for folder in (seen, unseen):
        folder.mkdir()
    async with watching(tmp_path, seen) as (watcher, reports):
        watcher.watch(unseen, scanned=False)
        for _ in range(int(QUEUED.read_text())):
            (seen / ".passing").write_text("x")
            (seen / ".passing").unlink()
        (seen / "new").mkdir()
        late = {folder / "late.md" for folder in (seen, unseen, seen / "new")}
        for path in late:
            path.write_text("x")
        await reports.until(late)
        (seen / "new" / "late.md").write_text("y")
        await reports.until({seen / "new" / "late.md"})
    assert "all is looked through" in caplog.text


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


async def test_hundreds_of_folders_cost_no_thread(tmp_path: Path) -> None:
    folders = [tmp_path / f"agent{number}" for number in range(300)]
    for folder in folders:
        folder.mkdir()
    before = threading.active_count()
    async with watching(tmp_path, *folders) as (_, reports):
        (folders[0] / "a.md").write_text("x")
        assert await reports.next() == {folders[0] / "a.md"}
        assert threading.active_count() == before
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


async def test_when_the_system_starts_no_thread_sweeps_go_on(tmp_path: Path) -> None:
    before = threading.stack_size(1 << 50)  # more than there is, so that every start of a thread fails
    try:
        async with watching(tmp_path, tmp_path / "later", sweeps=True) as (_, reports):
            (tmp_path / "later").mkdir()
            (tmp_path / "later/a.md").write_text("x")
            await reports.until({tmp_path / "later/a.md"})
    finally:
        threading.stack_size(before)


async def test_when_the_system_refuses_to_watch_changes_are_looked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    reports = Reports()
    watcher = Watcher(reports.queue.put_nowait, LoopClock(), tmp_path)
    watcher.watch(tmp_path)
    with open_files_left(0):
        task = asyncio.create_task(watcher.run())
        await asyncio.sleep(0)
    (tmp_path / "a.md").write_text("x")
    await reports.until({tmp_path / "a.md"})
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert caplog.messages == [f"{tmp_path.name} cannot be watched (Too many open files); changes there are looked for"]


async def test_a_folder_made_before_it_is_listened_to_is_found_by_the_sweep_with_those_in_it(tmp_path: Path) -> None:
    reports = Reports()
    watcher = Watcher(reports.queue.put_nowait, LoopClock(), tmp_path)
    watcher.watch(tmp_path)
    path = tmp_path / "eliza" / "notes" / "a.md"
    path.parent.mkdir(parents=True)
    path.write_text("x")
    task = asyncio.create_task(watcher.run())
    await reports.until({path})
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("sweeps", [False, True])
async def test_a_folder_that_another_took_the_place_of_is_told_and_listened_to(tmp_path: Path, sweeps: bool) -> None:
    folder, other = tmp_path / "world" / "items", tmp_path / "other" / "items"
    for one in (folder, other):
        one.mkdir(parents=True)
        (one / "lamp.md").write_text(one.parent.name)
    async with watching(tmp_path, folder, sweeps=sweeps) as (_, reports):
        folder.parent.rename(tmp_path / "away")
        other.parent.rename(folder.parent)
        await reports.until({folder / "lamp.md"})
        (folder / "new.md").write_text("x")
        await reports.until({folder / "new.md"})


async def test_a_renamed_folder_and_those_in_it_are_told_of_by_their_new_names(tmp_path: Path) -> None:
    agents = tmp_path / "agents"
    (agents / "eliza" / "notes").mkdir(parents=True)
    (agents / "eliza" / "agent.md").write_text("# Eliza")
    moved = agents / "moss"
    async with watching(tmp_path, agents, agents / "eliza", agents / "eliza" / "notes") as (watcher, reports):
        (agents / "eliza").rename(moved)
        await reports.until({moved / "agent.md"})
        watcher.unwatch(agents / "eliza")
        (moved / "agent.md").write_text("# Moss")
        await reports.until({moved / "agent.md"})
        (moved / "notes" / "a.md").write_text("x")
        await reports.until({moved / "notes" / "a.md"})


async def test_of_a_folder_in_two_places_both_are_reported(tmp_path: Path) -> None:
    notes, linked = tmp_path / "eliza" / "notes", tmp_path / "moss" / "notes"
    notes.mkdir(parents=True)
    (tmp_path / "moss").symlink_to("eliza")
    for name in ("world", "config"):  # a vault, as links inside one are followed
        (tmp_path / name).mkdir()
    async with watching(tmp_path, linked, notes, sweeps=True) as (_, reports):
        (notes / "a.md").write_text("x")
        await reports.until({notes / "a.md", linked / "a.md"})


async def test_folders_above_are_listened_to_again_after_the_whole_was_away(tmp_path: Path) -> None:
    root, away = tmp_path / "vault", tmp_path / "away"
    folder = root / "world" / "items"
    folder.mkdir(parents=True)
    reports, clock = Reports(), LoopClock()
    watcher = Watcher(reports.queue.put_nowait, clock, root)
    watcher.watch(folder)
    task = asyncio.create_task(watcher.run())
    await asyncio.sleep(0)
    root.rename(away)
    (away / "world" / "items" / "a.md").write_text("x")
    away.rename(root)
    await reports.until({folder / "a.md"})
    clock.sweeps, swept = False, clock.swept
    while clock.swept == swept:  # one more sweep, and then none
        await asyncio.sleep(0)
    (root / "world").rename(away)
    (root / "world" / "items").mkdir(parents=True)
    (folder / "b.md").write_text("x")
    await reports.until({folder / "b.md"})
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


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
