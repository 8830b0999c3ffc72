"""Memories that cannot be read: folds go on, the summaries say what they do not know, what is lost is found again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agents.compaction.due import LONGEST_FOLD
from agents.compaction.status import Facts, coverage, holes, status
from agents.compaction.view import StrategyContext
from agents.memory.entries import merged
from agents.memory.summaries import Summary, parse_summary, render_summary
from tests.lives import Life

SAID = 'Moss says, "The mill of Ulric opens at {}, and the miller Tove will bring {} sacks of corn."'
FOLDING = ["waterfall", "hierarchical", "entry_summary", "layered", "sleep", "hybrid"]
ROLLING = ["entry_summary", "layered", "sleep", "hybrid"]


def tight(folder: Path, strategy: str) -> Life:
    """Return a life in which every strategy folds more than once in some hundred memories."""
    life = Life(folder, context=StrategyContext(window=lambda: 3000))
    life.set(strategy=strategy, threshold_tokens=2500, min_saving_tokens=100)
    return life


def of(life: Life) -> dict[str, Any]:
    return status(life.compactor.view, Facts(now=life.clock.now()))


def lived(life: Life, count: int) -> None:
    """Remember so many things, unfolded."""
    life.remember(*[SAID.format(number, number + 3) for number in range(count)])


def spoil(life: Life, first: int, last: int) -> None:
    """Make the lines of these memories unreadable and begin again."""
    life.memory.close()
    for path in (life.folder / "archive").glob("*.jsonl"):
        lines = path.read_text().splitlines()
        for place, line in enumerate(lines):
            if first <= json.loads(line).get("seq", 0) <= last:
                lines[place] = "garbage"
        path.write_text("".join(f"{line}\n" for line in lines))
    life.start()


def tiles(life: Life) -> bool:
    """Return whether what is shown accounts for every memory, but for those of the tail that cannot be read."""
    gaps, overlaps = holes(coverage(life.memory.view()), life.memory.total)
    return not overlaps and all(first > life.memory.watermark for first, _ in gaps)


@pytest.mark.parametrize("strategy", FOLDING)
def test_a_fold_of_which_nothing_can_be_read_goes_on_with_the_next_that_can(tmp_path: Path, strategy: str) -> None:
    life = tight(tmp_path, strategy)
    lived(life, 128)
    spoil(life, 1, 65)
    life.live(300)
    assert life.memory.watermark > 65
    assert tiles(life)
    assert not any("could not be folded" in warning for warning in life.memory.warnings)
    assert {"first": 1, "last": 65} in of(life)["gaps"]


def test_where_nothing_that_may_be_folded_can_be_read_the_fold_waits_and_says_so(tmp_path: Path) -> None:
    life = Life(tmp_path)
    lived(life, 129)
    spoil(life, 1, 65)
    assert life.compactor.fold_due_now() == []
    assert "none of the memories 1 to 65 can be read" in life.compactor.notice
    lived(life, 1)
    (commit,) = life.compactor.fold_due_now()
    assert (commit.first, commit.last) == (1, 66)
    assert commit.newest.unread == ((1, 65),)
    assert not any("could not be folded" in warning for warning in life.memory.warnings)


async def test_a_fold_that_is_asked_for_goes_past_them_too(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(auto_enabled=False)
    lived(life, LONGEST_FOLD + 400)
    spoil(life, 1, LONGEST_FOLD + 100)
    commit = await life.compactor.fold_now()
    assert commit is not None
    assert commit.first == 1
    assert commit.last > LONGEST_FOLD + 100
    assert life.memory.total - commit.last >= life.settings.immediate_window
    assert tiles(life)


@pytest.mark.parametrize("strategy", FOLDING)
def test_what_a_fold_could_not_read_is_told_for_ever(tmp_path: Path, strategy: str) -> None:
    life = tight(tmp_path, strategy)
    lived(life, 200)
    spoil(life, 10, 40)
    life.live(200)
    noted = [gap for line in filter(None, map(json.loads, _lines(life))) for gap in line.get("unread", ())]
    assert merged((first, last) for first, last in noted) == [(10, 40)]
    life.memory.close()
    life.start()
    held = [one for one in (life.memory.longterm, life.memory.recent) if one is not None]
    assert [one.unread for one in held if one.unread] == [((10, 40),)]
    found = of(life)
    assert found["gaps"] == [{"first": 10, "last": 40}]
    assert "memories 10-40 cannot be read; the summary does not know them" in found["warnings"]


def _lines(life: Life) -> list[str]:
    raws = [line for path in (life.folder / "archive").glob("*.jsonl") for line in path.read_text().splitlines()]
    return [line if line.startswith("{") else "null" for line in raws]


def test_a_summary_file_keeps_what_could_not_be_read() -> None:
    summary = Summary("recent", (1, 65), "I was here.", unread=((3, 3), (10, 40)))
    raw = render_summary(summary)
    assert re.search(r"^unread: \"?3-3, 10-40\"?$", raw, re.MULTILINE)
    assert parse_summary(raw, "recent", "recent.md") == summary
    assert "unread" not in render_summary(Summary("recent", (1, 65), "I was here."))


@pytest.mark.parametrize("written", ["yes", "[3]", "3", "0-3", "9-3", "3-90", "3-x", "2026-11-20T07:21:37.123Z"])
def test_what_a_hand_wrote_there_and_cannot_be_is_passed_over(written: str) -> None:
    raw = render_summary(Summary("recent", (1, 65), "I was here.", unread=((3, 3),)))
    changed = re.sub(r"(?m)^unread: .*$", f"unread: {written}", raw)
    assert changed != raw
    assert parse_summary(changed, "recent", "recent.md").unread == ()


@pytest.mark.parametrize("strategy", ROLLING)
def test_with_its_newest_version_lost_a_rolling_life_goes_on_from_the_one_before(tmp_path: Path, strategy: str) -> None:
    life = tight(tmp_path, strategy)
    life.live(400)
    assert len(life.commits) > 1
    life.memory.close()
    newest = max((tmp_path / "summaries").glob("longterm-*"), key=_through)
    newest.unlink()
    life.summary_file("longterm").unlink()
    life.start()
    assert life.memory.watermark == life.commits[-2].last
    assert any("older summaries reach to memory" in message for message in life.messages)
    assert tiles(life)


@pytest.mark.parametrize("strategy", FOLDING)
def test_an_archive_that_was_cut_short_is_warned_of(tmp_path: Path, strategy: str) -> None:
    life = tight(tmp_path, strategy)
    life.live(400)
    before, last = life.commits[-2].last, life.memory.watermark
    life.memory.close()
    (path,) = (tmp_path / "archive").glob("*.jsonl")
    lines = path.read_text().splitlines()
    path.write_text("".join(f"{line}\n" for line in lines if json.loads(line).get("seq", 0) < last))
    life.start()
    assert any(f"the summaries reach to memory {last}" in message for message in life.messages)
    assert life.memory.watermark in (0, before)
    assert tiles(life)


def _through(path: Path) -> int:
    found = re.search(r"covers: \{first: 1, last: (\d+)", path.read_text())
    assert found is not None
    return int(found[1])
