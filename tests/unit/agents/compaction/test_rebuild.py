from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.compaction.rebuild import BOOTSTRAP, CHUNK, FILE, REBUILD, Declined
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import DEEP, status
from agents.memory.history import last_event
from mud.errors import LociError, Unavailable
from tests.examples import examples
from tests.lives import Disk, Life, PowerCut
from tests.rebuilds import rebuilding, rebuilt, shown, tiles, unfolded

RULES = CompactionSettings(summarizer="extractive")
SMALL = CompactionSettings(summarizer="extractive", immediate_window=8, recent_window=8)


def test_summaries_of_summaries_become_summaries_of_memories_and_the_warning_is_gone(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=SMALL)
    life.live(140)
    before = status(life.compactor.view)
    assert before["compactions"] >= 10
    assert before["depth"] >= DEEP
    assert "@rebuild-summaries" in before["depth_warning"]
    covers = [covers for _, covers, _ in shown(life)]

    made = rebuilt(life)
    after = status(life.compactor.view)
    assert (after["depth"], after["depth_warning"]) == (1, None)
    assert [one.covers for one in made.made] == covers
    assert after["covered_through"] == before["covered_through"]
    assert after["compactions"] == before["compactions"] + 1
    event = last_event(life.folder / "archive", "rebuild")
    assert event is not None
    assert event["covers"] == {"first": 1, "last": before["covered_through"]}
    assert tiles(life)
    assert not (life.folder / "summaries" / FILE).exists()
    told = shown(life)
    life.start()
    assert shown(life) == told
    assert life.messages == []


def test_no_earlier_summary_and_no_edit_by_hand_is_lost(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=SMALL)
    life.live(60)
    versions = set(life.memory.versions())
    file = life.summary_file("longterm")
    file.write_text(file.read_text().replace(life.longterm.text, "I wrote this by hand."))
    rebuilt(life)
    assert versions < set(life.memory.versions())
    assert any("I wrote this by hand." in text for text in life.edited_versions())
    assert life.longterm.text != "I wrote this by hand."


@pytest.mark.parametrize("strategy", ["entry_summary", "hybrid", "sleep", "layered", "waterfall"])
def test_every_strategy_that_makes_summaries_has_them_made_in_its_own_shape(tmp_path: Path, strategy: str) -> None:
    life = Life(tmp_path / "wren", settings=CompactionSettings(summarizer="extractive", strategy=strategy))
    life.set(auto_enabled=False, max_entries_before_compaction=20)
    life.live(300)
    made = rebuilt(life, BOOTSTRAP)
    rolling = life.compactor.view.strategy.rolling
    assert [one.tier for one in made.made] == (["longterm"] if rolling else ["longterm", "recent"])
    assert all(one.strategy == strategy and one.depth == 1 for one in made.made)
    assert made.kept_word_for_word == life.memory.total - life.memory.watermark
    assert tiles(life)
    again = rebuilt(life)
    assert [one.text for one in again.made] == [one.text for one in made.made]


def test_a_life_that_changed_its_strategy_gets_the_summaries_of_the_new_one(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=RULES)
    life.live(300)
    end = life.memory.watermark
    life.set(strategy="hybrid", auto_enabled=False)
    rebuilt(life)
    assert [(tier, covers) for tier, covers, _ in shown(life)] == [("longterm", (1, end))]
    assert not life.summary_file("recent").exists()
    life.set(strategy="waterfall")
    rebuilt(life)
    assert [covers for _, covers, _ in shown(life)] == [(1, end - CHUNK), (end - CHUNK + 1, end)]
    assert tiles(life)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("strategy", ["waterfall", "hybrid"])
def test_a_kill_at_any_write_loses_nothing_and_the_next_time_goes_on_to_the_same_end(
    tmp_path: Path, strategy: str, half: bool
) -> None:
    whole = Life(tmp_path / "whole/wren", settings=RULES)
    whole.set(strategy=strategy, auto_enabled=False)
    whole.live(330)
    before = whole.disk.writes
    rebuilt(whole, BOOTSTRAP)
    writes, meant = whole.disk.writes - before, shown(whole)
    assert writes > 7
    for cut in range(writes):
        life = Life(tmp_path / f"{cut}/wren", Disk(), unfolded(strategy))
        life.live(330)
        life.disk.cut_after(cut, half)
        with contextlib.suppress(PowerCut):
            rebuilt(life, BOOTSTRAP)
        life.disk.cut = 0
        life.start()
        assert tiles(life)
        if not life.memory.watermark:
            made = rebuilt(life, BOOTSTRAP)
            assert made.kept == max(0, min(cut - 1, made.parts)), "what was made before is not made again"
        assert shown(life) == meant
        assert not list((life.folder / "summaries").glob(f"{FILE}*")) or life.memory.compactions == 1


def test_what_is_remembered_meanwhile_stays_word_for_word_and_nothing_is_folded(tmp_path: Path) -> None:
    async def lived() -> None:
        life = Life(tmp_path / "wren", settings=SMALL)
        life.live(140)
        end, folds = life.memory.watermark, life.memory.compactions
        work = rebuilding(life)
        task = asyncio.create_task(work.run())
        while not task.done():
            life.live(3)
            assert tiles(life)
            await asyncio.sleep(0)
        made = await task
        assert life.memory.compactions == folds + 1
        assert made.made[-1].covers[1] == life.memory.watermark == end
        life.live(1)
        assert life.memory.watermark > end, "folds go on afterwards"
        assert tiles(life)

    asyncio.run(lived())


def test_a_second_request_says_how_far_the_first_one_is(tmp_path: Path) -> None:
    async def asked() -> None:
        life = Life(tmp_path / "wren", settings=SMALL)
        life.live(140)
        work = rebuilding(life)
        task = asyncio.create_task(work.run())
        await asyncio.sleep(0)
        with pytest.raises(Declined) as declined:
            work.check(REBUILD)
        assert declined.value.why == "running"
        assert set(declined.value.places) == {"done", "of"}
        await task
        assert work.progress is None

    asyncio.run(asked())


@pytest.mark.parametrize(
    ("strategy", "memories", "reason", "why"),
    [
        ("waterfall", 10, REBUILD, "nothing"),
        ("waterfall", 10, BOOTSTRAP, "fits"),
        ("waterfall", 140, BOOTSTRAP, "there"),
        ("none", 140, REBUILD, "no_summaries"),
        ("sliding_window", 140, BOOTSTRAP, "no_summaries"),
        ("masking", 140, REBUILD, "no_summaries"),
    ],
)
def test_it_declines_where_there_is_nothing_to_make(
    tmp_path: Path, strategy: str, memories: int, reason: str, why: str
) -> None:
    life = Life(tmp_path / "wren", settings=RULES)
    life.set(strategy=strategy)
    life.live(memories)
    with pytest.raises(Declined) as declined:
        rebuilt(life, reason)
    assert declined.value.why == why


def test_nothing_is_made_while_memories_wait_for_the_disk_and_a_full_disk_keeps_what_was_made(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=unfolded("waterfall"))
    life.live(200)
    life.disk.full = True
    life.live(1)
    with pytest.raises(Unavailable, match="cannot be written"):
        rebuilt(life, BOOTSTRAP)
    life.disk.full = False
    life.memory.retry()

    def fills(write: int) -> None:
        life.disk.full = write > start + 3

    start, life.disk.meanwhile = life.disk.writes, fills
    with pytest.raises(Unavailable, match="what was made is kept"):
        rebuilt(life, BOOTSTRAP)
    life.disk.meanwhile, life.disk.full = None, False
    assert not life.compactor.busy
    assert rebuilt(life, BOOTSTRAP).kept == 2


def test_summaries_stay_as_they_are_when_memories_that_they_tell_of_are_gone(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=SMALL)
    life.live(140)
    told = shown(life)
    (file,) = (life.folder / "archive").glob("*.jsonl")
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if '"seq":5,' not in line))
    life.start()
    with pytest.raises(LociError, match="cannot be read; the summaries that tell of them stay as they are"):
        rebuilt(life)
    assert shown(life) == told


@settings(max_examples=examples(40), deadline=None)
@given(
    total=st.integers(9, 400),
    recent=st.integers(1, 90),
    immediate=st.integers(1, 90),
    strategy=st.sampled_from(["waterfall", "hybrid", "entry_summary"]),
    other=st.sampled_from(["waterfall", "hybrid"]),
    cut=st.integers(0, 40),
)
def test_the_view_tiles_whatever_happens(
    total: int, recent: int, immediate: int, strategy: str, other: str, cut: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        life = Life(Path(folder) / "wren", settings=SMALL)
        life.set(strategy=strategy, recent_window=recent, immediate_window=immediate)
        life.live(total)
        life.set(strategy=other)
        end = life.memory.watermark
        life.disk.cut_after(cut)
        for reason in (BOOTSTRAP, REBUILD):
            with contextlib.suppress(PowerCut, Declined):
                rebuilt(life, reason)
            life.disk.cut = 0
            life.start()
            assert tiles(life)
            assert life.memory.watermark >= end


def test_nobody_waits_long_for_a_part(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=unfolded("waterfall"))
    life.live(3000)

    async def watched() -> list[float]:
        task, gaps, last = asyncio.create_task(rebuilding(life).run(BOOTSTRAP)), [], time.thread_time()
        while not task.done():
            await asyncio.sleep(0)
            now = time.thread_time()
            gaps.append(now - last)
            last = now
        await task
        return gaps

    gaps = sorted(asyncio.run(watched()))
    assert gaps[int(0.95 * len(gaps))] < 0.02, gaps[-5:]
