"""Plans begin at the watermark or are not made."""

from __future__ import annotations

import pytest

from agents.compaction.plan import MANUAL, DueFold, FoldPlan, plan_fold
from agents.compaction.settings import CompactionSettings
from mud.storage.settings import describe
from tests.settings import parse_settings

SEED_002 = "# Windows\n\n**immediate_window**: 64\n_Number_\n\n**recent_window**: 64\n\n**profile**: summarizer\n"


def test_the_first_plan_has_no_longterm_and_later_ones_cover_all_before() -> None:
    assert plan_fold("waterfall", DueFold(1, 65), 0) == FoldPlan("waterfall", "automatic", 1, 65, (1, 65), None)
    second = plan_fold("waterfall", DueFold(66, 129, MANUAL), 65)
    assert second is not None
    assert (second.longterm, second.recent, second.event) == ((1, 65), (66, 129), "manual_compact")


def test_a_rolling_plan_has_one_summary_of_everything() -> None:
    assert plan_fold("hybrid", DueFold(66, 129), 65, rolling=True) == FoldPlan(
        "hybrid", "automatic", 66, 129, None, (1, 129)
    )


@pytest.mark.parametrize("fold", [DueFold(1, 65), DueFold(67, 129), DueFold(66, 65)])
def test_a_plan_that_does_not_begin_at_the_watermark_is_refused(fold: DueFold) -> None:
    with pytest.raises(ValueError, match="does not begin after memory 65"):
        plan_fold("waterfall", fold, 65)


def test_the_settings_are_in_order_and_read_the_seed() -> None:
    assert next(one.key for one in describe(CompactionSettings)) == "strategy"
    values, problems = parse_settings(SEED_002, CompactionSettings, "config/memory_compaction.md")
    assert problems == []
    assert {key: value.value for key, value in values.items()} == {
        "immediate_window": 64,
        "recent_window": 64,
        "profile": "summarizer",
    }
