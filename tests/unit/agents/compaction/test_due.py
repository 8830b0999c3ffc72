"""Folds that come late take what they would have taken on time, and what is shown is bounded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.compaction.due import ARREAR, manual_fold, next_at
from agents.compaction.folds import FoldPlan
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import status
from agents.compaction.strategies import MANUAL, DueFold, Strategy
from agents.compaction.view import StrategyContext, StrategyView
from agents.llm.backend import Completion
from mud.errors import Unavailable
from mud.registry import Registry
from tests.lives import STRATEGIES, Life, reply, waiting_model
from tests.unit.agents.compaction.test_compactor import events

LAMP = "The Library\nLamp {} stands here. " + "Dust lies on all of it. " * 20


def folds_of(folder: Path, strategy: str, batch: int, count: int = 240) -> list[tuple[int, int]]:
    """Return which memories were folded when so many at a time arrived."""
    life = Life(folder)
    life.set(strategy=strategy, immediate_window=5, recent_window=6, threshold_tokens=900, min_saving_tokens=0)
    for start in range(0, count, batch):
        numbers = range(start, min(count, start + batch))
        life.remember(*(f"I saw lamp {number} by the Cistern in the evening." for number in numbers))
        life.compactor.fold_due_now()
    return life.covered()


@pytest.mark.parametrize("strategy", [one.name for one in STRATEGIES])
def test_the_same_memories_are_folded_alike_however_many_arrive_at_once(strategy: str, tmp_path: Path) -> None:
    single = folds_of(tmp_path / "1", strategy, 1)
    assert folds_of(tmp_path / "7", strategy, 7) == single
    assert folds_of(tmp_path / "240", strategy, 240) == single


@pytest.mark.parametrize("strategy", ["hybrid", "layered"])
def test_where_a_late_fold_would_make_the_view_grow_it_takes_more(strategy: str, tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy=strategy, threshold_tokens=900, min_saving_tokens=0)
    for number in range(120):
        life.remember(LAMP.format(number), kind="result")
        life.remember("I walk on.", kind="did")
    before = life.compactor.view.tokens()
    commits = life.compactor.fold_due_now()
    assert all(commit.saved > 0 for commit in commits), "masked results would be whole again, were too few folded"
    assert life.compactor.view.tokens() == before - sum(commit.saved for commit in commits)
    assert life.memory.watermark > 120
    assert not life.compactor.due()


def test_a_long_arrear_is_folded_as_it_stands(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="none")
    life.remember(*(f"I saw lamp {number} by the Cistern in the evening." for number in range(ARREAR + 50)))
    life.set(strategy="entry_summary")
    life.compactor.fold_due_now()
    assert life.covered() == [(1, ARREAR + 48)], "nobody waits for eighty summaries"


def test_masks_stay_as_they_are_while_the_window_of_a_prompt_moves_on(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="masking", mask_keep=3, mask_block=4)
    masked_at = []
    for number in range(60):
        life.remember(LAMP.format(number), kind="result")
        life.remember("I walk on.", kind="did")
        shown = life.compactor.view.shown(14).tail
        whole = life.compactor.view.shown().tail
        assert shown == whole[-14:]
        masked_at.append(sum("whole in life#" in entry.text for entry in whole))
    assert masked_at == [max(0, count - 3) // 4 * 4 for count in range(1, 61)]


@pytest.mark.parametrize("strategy", ["none", "masking", "sliding_window"])
def test_asking_whether_a_fold_is_due_reads_nothing_where_nothing_is_ever_folded(strategy: str, tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy=strategy)
    life.remember(*(f"lamp {number}" for number in range(500)))
    life.memory.close()
    for path in (tmp_path / "archive").iterdir():
        path.unlink()
    assert not life.compactor.due()
    assert next_at(life.compactor.view) is None
    assert life.memory.warnings == []


@pytest.mark.parametrize(
    ("values", "count", "notice"),
    [
        ({"strategy": "none"}, 3, "the strategy none folds nothing but what a prompt has no room for"),
        (
            {"strategy": "sliding_window"},
            9,
            "the strategy sliding_window folds nothing but what a prompt has no room for",
        ),
        ({"strategy": "layered"}, 0, "there are no memories yet"),
        ({"strategy": "hybrid", "hybrid_keep": 1}, 1, "nothing is older than the newest memory"),
        ({"strategy": "entry_summary", "preserve_last_n_entries": 0}, 0, "there are no memories yet"),
    ],
)
async def test_why_nothing_can_be_folded_is_a_sentence_to_read(
    tmp_path: Path, values: dict[str, Any], count: int, notice: str
) -> None:
    life = Life(tmp_path)
    life.set(**values)
    life.live(count)
    assert await life.compactor.fold_now("manual") is None
    assert life.compactor.notice == notice


async def test_after_everything_is_folded_a_manual_fold_says_so(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="layered")
    life.live(60)
    assert await life.compactor.fold_now("manual") is not None
    assert await life.compactor.fold_now("manual") is None
    assert life.compactor.notice == "everything is folded already"


@pytest.mark.parametrize(
    ("rolling", "recent", "longterm"), [(False, (66, 129), (1, 65)), (True, None, (1, 129))], ids=["two", "one"]
)
def test_a_plan_covers_what_it_folds_and_with_one_summary_all_before_it(
    rolling: bool, recent: tuple[int, int] | None, longterm: tuple[int, int], tmp_path: Path
) -> None:
    plan = FoldPlan("mine", MANUAL, 66, 129, recent, longterm)
    assert planned(tmp_path, DueFold(66, 129), rolling) == plan


@pytest.mark.parametrize("fold", [DueFold(1, 65), DueFold(67, 129), DueFold(66, 65)])
def test_a_plan_that_does_not_begin_at_the_watermark_is_refused(fold: DueFold, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not begin after memory 65"):
        planned(tmp_path, fold)


def planned(folder: Path, fold: DueFold, rolling: bool = False) -> FoldPlan | None:
    """Return the plan of a strategy that wants this fold of a life with 129 memories, of which 65 are folded."""
    life = Life(folder)
    life.live(129)
    mine = Strategy("mine", "Mine.", manual=lambda state, settings: fold, rolling=rolling)
    settings = CompactionSettings(strategy="mine", recent_window=1)
    return manual_fold(
        StrategyView(life.memory, lambda: settings, Registry("strategy", [mine]), StrategyContext()), MANUAL
    )


MODEL = "I sat in the Library with Moss, who spoke of the wind for the 36. time."


async def fold(life: Life) -> tuple[int, int] | None:
    """Fold by rules, and return what the recent summary covers then; None when nothing was folded."""
    commit = await life.compactor.fold_now()
    assert commit is None or commit.recent is not None
    return commit.recent.covers if commit is not None and commit.recent is not None else None


def tiles(life: Life) -> bool:
    found = status(life.compactor.view)
    return not found["gaps"] and not found["overlaps"]


async def test_a_little_joins_the_recent_summary_of_a_life_as_long_as_both_fit_into_its_window(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(100)
    assert await fold(life) == (1, 36)
    for total, covers in ((101, (1, 37)), (110, (1, 46)), (128, (1, 64))):
        life.live(total - life.memory.total)
        assert await fold(life) == covers
        assert life.memory.longterm is None
        assert tiles(life)
        life.start()
        assert life.recent.covers == covers
    assert next_at(life.compactor.view) == 64 + 64 + 64, "the next fold comes as if it had been one"


async def test_the_memories_are_read_again_and_not_the_text(tmp_path: Path) -> None:
    asked: list[str] = []

    async def model(prompt: str, profile: str) -> Completion:
        asked.append(prompt)
        raise Unavailable("it only listens")

    life = Life(tmp_path, settings=CompactionSettings(recent_window=100))
    life.remember('Ada says, "I was born in Riga."')
    life.live(80)
    await fold(life)
    text = life.recent.text
    life.model = model
    life.start()
    life.remember('Bo says, "I was born in Oulu."')
    life.live(64)
    assert await fold(life) == (1, 82)
    assert "born in Riga" in asked[0]
    assert "born in Oulu" in asked[0]
    assert text not in asked[0]
    assert life.recent.depth == 1


async def test_the_long_term_summary_stays_as_it_is_when_a_little_joins_the_recent_one(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(215)
    assert await fold(life) == (130, 151), "much gets a recent summary of its own"
    before = life.summary_file("longterm").read_bytes()
    life.live(10)
    commit = await life.compactor.fold_now()
    assert commit is not None
    assert (commit.first, commit.last, commit.newest.covers) == (152, 161, (130, 161))
    assert commit.longterm is None
    assert life.summary_file("longterm").read_bytes() == before
    *_, waterfall, joined = events(life)
    assert joined["longterm"] == waterfall["longterm"]
    assert joined["covers"] == {"first": 152, "last": 161}
    record = commit.record()
    assert (record["original_entries"], record["compacted_entries"]) == (2 + 74, 2 + 64)
    assert tiles(life)
    life.start()
    assert (life.memory.watermark, tiles(life)) == (161, True)


async def test_a_full_recent_summary_is_not_pushed_out_for_little(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(129)
    text = life.recent.text
    for new in (1, 15):
        life.live(129 + new - life.memory.total)
        assert await fold(life) is None
        assert "too few to push the recent summary out; 16 would do" in life.compactor.notice
    assert "only 15 memories are older than the newest 64 memories" in life.compactor.notice
    assert life.recent.text == text
    assert len(life.commits) == 1
    life.live(1)
    assert await fold(life) == (66, 81)
    assert life.memory.longterm is not None


async def test_a_text_of_a_person_is_neither_made_anew_nor_pushed_out_for_little(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(100)
    await fold(life)
    path = life.summary_file("recent")
    path.write_text(f"{path.read_text().partition('# Recent')[0]}# Recent\n\nI remember the wind, by hand.\n")
    life.live(10)
    life.memory.refresh()
    assert await fold(life) is None
    assert life.recent.text == "I remember the wind, by hand."
    life.live(6)
    assert await fold(life) == (37, 52)
    assert life.longterm.text == "I remember the wind, by hand."


async def test_an_edit_of_the_long_term_summary_holds_when_a_little_joins_the_recent_one(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(215)
    await fold(life)
    path = life.summary_file("longterm")
    path.write_text(f"{path.read_text().partition('# Long')[0]}# Long\n\nI wrote this by hand.\n")
    life.live(10)
    assert await fold(life) == (130, 161)
    for _ in range(2):
        assert life.longterm.text == "I wrote this by hand."
        life.start()
    assert "by hand" in path.read_text()


async def test_an_edit_while_the_model_writes_is_not_lost(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(100)
    await fold(life)
    life.model = waiting_model
    life.start()
    life.live(10)
    folding = life.compactor.fold_now()
    folding.send(None)
    path = life.summary_file("recent")
    path.write_text(f"{path.read_text().partition('# Recent')[0]}# Recent\n\nI remember the wind, by hand.\n")
    with pytest.raises(StopIteration) as done:
        folding.send(reply(MODEL))
    assert done.value.value is None
    assert "edited meanwhile" in life.compactor.notice
    assert life.recent.text == "I remember the wind, by hand."
    assert life.memory.watermark == 36


async def test_what_cannot_be_read_again_is_not_made_anew(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(100)
    await fold(life)
    life.memory.close()
    archive = tmp_path / "archive" / "0000000001.jsonl"
    archive.write_text("".join(line for line in archive.read_text().splitlines(True) if '"seq":20,' not in line))
    life.start()
    life.live(10)
    before = life.summary_file("recent").read_text()
    assert await fold(life) is None
    assert "memory 20 cannot be read" in life.compactor.notice
    assert life.summary_file("recent").read_text() == before
