"""A strategy may be changed at any moment; what was folded stays folded, and the next fold takes it up."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.compaction.due import next_at
from agents.compaction.status import coverage, holes
from agents.memory.summaries import parse_summary
from tests.lives import Life, reply, waiting_model

GOOD = "I sat in the Library with Moss, who told me again and again that the wind had turned."


def whole(life: Life) -> bool:
    return holes(coverage(life.compactor.view.shown()), life.memory.total) == ([], [])


def test_one_summary_takes_up_the_two_of_a_waterfall(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    assert life.summary_file("recent").exists()
    life.set(strategy="hybrid")
    life.live(1)
    assert life.longterm.covers[0] == 1
    assert not life.summary_file("recent").exists()
    assert life.longterm.depth > 1
    assert life.memory.watermark == 129 + 33, "as it would have been with 43 memories"
    assert whole(life)


def test_a_waterfall_goes_on_from_one_summary(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="hybrid")
    life.live(43)
    kept = life.memory.longterm
    life.set(strategy="waterfall")
    assert next_at(life.compactor.view) == 33 + 64 + 64
    life.live(33 + 128 - 43)
    assert life.recent.covers == (34, 97)
    assert kept is not None
    assert (life.longterm.covers, life.longterm.text) == ((1, 33), kept.text)
    assert whole(life)


def test_every_receipt_says_which_strategy_made_it(tmp_path: Path) -> None:
    life = Life(tmp_path)
    for strategy, count in (("waterfall", 129), ("entry_summary", 20), ("hybrid", 50)):
        life.set(strategy=strategy)
        life.live(count)
        assert life.commits[-1].newest.strategy == strategy
        made = parse_summary(
            life.summary_file(life.commits[-1].newest.tier).read_text(), life.commits[-1].newest.tier, ""
        )
        assert made.strategy == strategy


def test_without_a_strategy_the_summaries_stay_and_nothing_more_is_folded(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(140)
    life.set(strategy="none")
    life.live(300)
    view = life.compactor.view.shown()
    assert view.recent is not None
    assert (len(life.commits), view.recent.covers, len(view.tail)) == (1, (1, 65), 375)
    assert whole(life)


@pytest.mark.parametrize(
    ("strategy", "off"),
    [
        ("waterfall", {"auto_enabled": False}),
        ("waterfall", {"strategy": "none"}),
        ("entry_summary", {"preset": "off"}),
        ("hybrid", {"strategy": "sliding_window"}),
    ],
)
async def test_off_is_off_for_a_fold_that_waits_for_its_model_too(
    tmp_path: Path, strategy: str, off: dict[str, str | bool]
) -> None:
    life = Life(tmp_path, model=waiting_model)
    life.set(strategy=strategy)
    life.remember(*(f'Moss says, "The wind has turned again, for the {number}. time."' for number in range(129)))
    folding = life.compactor.fold_due()
    folding.send(None)
    life.set(**off)
    with pytest.raises(StopIteration):
        folding.send(reply(GOOD))
    assert (life.commits, life.memory.watermark, life.memory.warnings) == ([], 0, [])
    assert "is not wanted any more; they stay as they are" in life.compactor.notice
    assert not life.compactor.busy
    assert not (life.folder / "summaries").exists()


async def test_a_fold_that_was_asked_for_goes_on_when_folding_by_itself_is_switched_off(tmp_path: Path) -> None:
    life = Life(tmp_path, model=waiting_model)
    life.remember(*(f'Moss says, "The wind has turned again, for the {number}. time."' for number in range(129)))
    folding = life.compactor.fold_now()
    folding.send(None)
    life.set(auto_enabled=False)
    with pytest.raises(StopIteration):
        folding.send(reply(GOOD))
    assert len(life.commits) == 1


async def test_a_strategy_changed_while_the_model_answers_does_not_change_the_fold_under_way(tmp_path: Path) -> None:
    life = Life(tmp_path, model=waiting_model)
    life.set(auto_enabled=False)
    life.live(129)
    life.set(auto_enabled=True)
    folding = life.compactor.fold_due()
    folding.send(None)
    life.set(strategy="hybrid")
    folding.send(reply(GOOD))
    assert [(commit.newest.strategy, commit.newest.covers) for commit in life.commits] == [("waterfall", (1, 65))]
    folding.close()  # the next fold, the other strategy's, waits for the model
    assert whole(life)


def test_a_skipped_fold_is_forgotten_when_the_settings_change(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="entry_summary", min_entries_for_compaction=1, max_entries_before_compaction=3)
    life.remember("a", "b", "c")
    assert life.compactor.fold_due_now() == []
    assert life.compactor.skipped == 1
    assert not life.compactor.due()
    life.set(preserve_last_n_entries=1)
    assert life.compactor.due()
