"""The waterfall's numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.plan import CompactionSettings
from agents.compaction.strategies.waterfall import due, manual, next_at

DEFAULT = CompactionSettings()


def test_the_golden_triggers() -> None:
    watermark, folds = 0, []
    for total in range(1, 400):
        if fold := due(total, watermark, DEFAULT):
            folds.append((total, *fold))
            watermark = fold[1]
    assert folds == [(129, 1, 65), (193, 66, 129), (257, 130, 193), (321, 194, 257), (385, 258, 321)]


def test_a_manual_fold_takes_everything_outside_the_immediate_window() -> None:
    assert manual(100, 0, DEFAULT) == (1, 36)
    assert manual(300, 193, DEFAULT) == (194, 236)
    assert manual(64, 0, DEFAULT) is None
    assert manual(100, 36, DEFAULT) is None


@given(st.integers(0, 2000), st.integers(0, 2000), st.integers(1, 200), st.integers(1, 200))
def test_a_fold_is_due_exactly_from_next_at_on(total: int, watermark: int, immediate: int, recent: int) -> None:
    settings = CompactionSettings(immediate_window=immediate, recent_window=recent)
    at = next_at(total, watermark, settings)
    assert at is not None
    assert (due(total, watermark, settings) is not None) == (total >= at)
