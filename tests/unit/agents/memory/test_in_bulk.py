"""Memories in bulk: the files in use stay behind until the end, and a cut before any write loses nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.status import coverage, holes
from agents.memory.memory import Memory
from agents.memory.summaries import parse_summary
from mud.clock import VirtualClock
from tests.lives import Disk, Life, PowerCut


def texts(first: int, last: int) -> list[str]:
    return [f'Moss says, "The bell rang {number} times."' for number in range(first, last + 1)]


def give(life: Life, count: int, at_once: int = 64) -> None:
    """Give a life memories in bulk, folding as it goes."""
    with life.memory.in_bulk():
        for first in range(1, count + 1, at_once):
            part = texts(first, min(count, first + at_once - 1))
            life.memory.append_raw([{"text": text, "actor": "Moss"} for text in part])
            life.compactor.fold_due_now()


def in_use(life: Life) -> list[tuple[int, int]]:
    files = (life.summary_file(tier) for tier in ("longterm", "recent"))
    return [parse_summary(path.read_text(), path.stem, "").covers for path in files if path.exists()]


def held(life: Life) -> list[tuple[int, int]]:
    both = (life.memory.longterm, life.memory.recent)
    return [summary.covers for summary in both if summary is not None]


def test_the_files_in_use_are_written_once_at_the_end(tmp_path: Path) -> None:
    slow, quick = Life(tmp_path / "slow"), Life(tmp_path / "quick")
    for number in range(0, 640, 64):
        slow.memory.append_raw([{"text": text, "actor": "Moss"} for text in texts(number + 1, number + 64)])
        slow.compactor.fold_due_now()
    give(quick, 640)
    folds = quick.memory.compactions
    assert (folds, quick.memory.watermark) == (slow.memory.compactions, slow.memory.watermark)
    assert quick.disk.writes == slow.disk.writes - 2 * folds + 1 + 2
    for tier in ("longterm", "recent"):
        assert (
            quick.summary_file(tier).read_text().split("\n# ")[1]
            == slow.summary_file(tier).read_text().split("\n# ")[1]
        )
    assert in_use(quick) == held(quick)
    assert quick.memory.warnings == []


@given(st.data())
def test_a_cut_before_any_write_leaves_a_whole_life(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cut = data.draw(st.integers(1, 45), label="write before which the power goes")
        half = data.draw(st.booleans(), label="half a line is written")
        life = Life(Path(folder), Disk(cut, half))
        before = 0
        try:
            give(life, 640, data.draw(st.sampled_from([16, 64, 200]), label="at once"))
        except PowerCut:
            before = life.memory.watermark
        life.memory.close()
        life.disk = Disk()
        life.start()
        memory = life.memory
        assert memory.watermark >= before
        assert [entry.text for entry in memory.read(1, 700)] == texts(1, memory.total)
        assert holes(coverage(life.compactor.view.shown()), memory.total) == ([], [])
        assert in_use(life) == held(life)
        assert life.edited_versions() == []
        give(life, 200)
        assert in_use(life) == held(life)
        memory.close()


def test_what_somebody_wrote_before_is_taken_up_and_what_they_write_meanwhile_is_kept(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    path = life.summary_file("recent")
    before = path.read_text()
    path.write_text(before.replace(before.split("\n\n")[-1], "I alone know where the bell is.\n"))
    with life.memory.in_bulk():
        life.memory.append_raw([{"text": text, "actor": "Moss"} for text in texts(1, 64)])
        life.compactor.fold_due_now()
        assert "where the bell is" in life.longterm.text
        path.write_text("---\ncovers: {first: 66, last: 129}\n---\nIt is under the third bench.\n")
    assert any("where the bell is" in text for text in life.edited_versions())
    assert any("under the third bench" in text for text in life.edited_versions())
    assert "must say that it covers memories 130 to 193" in life.memory.warnings[0]
    assert in_use(life) == held(life)


def test_a_disk_that_is_full_at_the_end_is_a_warning_and_the_files_are_written_later(tmp_path: Path) -> None:
    life = Life(tmp_path)
    with life.memory.in_bulk():
        life.memory.append_raw([{"text": text} for text in texts(1, 200)])
        life.compactor.fold_due_now()
        life.disk.full = True
    assert "it is tried again" in life.memory.warnings[0]
    life.disk.full = False
    life.memory.restore_missing()
    assert in_use(life) == held(life)


def test_nothing_given_in_bulk_changes_nothing(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    writes = life.disk.writes
    with life.memory.in_bulk():
        pass
    assert (life.disk.writes, in_use(life)) == (writes, held(life))


@pytest.mark.parametrize("again", [False, True])
def test_a_fold_that_fails_leaves_the_files_as_they_should_be(tmp_path: Path, again: bool) -> None:
    life = Life(tmp_path)

    def fail() -> None:
        with life.memory.in_bulk():
            life.memory.append_raw([{"text": text} for text in texts(1, 200)])
            life.compactor.fold_due_now()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    if again:
        life.start()
    assert in_use(life) == held(life)


def test_files_that_stay_behind_are_caught_up_with_and_in_bulk_that_is_left_to_its_end(tmp_path: Path) -> None:
    memory = Memory("Ann", tmp_path / "ann", VirtualClock())
    memory.open(writable=True)
    memory.stay_behind()
    assert memory.behind
    with memory.in_bulk():
        assert not memory.behind
        memory.stay_behind()
        memory.catch_up()
        assert not memory.behind
    memory.stay_behind()
    memory.close()
    assert not memory.behind
