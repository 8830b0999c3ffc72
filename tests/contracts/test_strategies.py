"""What every strategy keeps, whatever it decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.integrity import coverage, holes
from agents.compaction.settings import CompactionSettings
from agents.compaction.standing import Standing
from agents.compaction.strategies._strategy import Strategy
from tests.lives import STRATEGIES, Life

EVERY = pytest.mark.parametrize("strategy", list(STRATEGIES), ids=lambda strategy: strategy.name)
WINDOWS = [(64, 64), (8, 8), (1, 1), (3, 50), (50, 3)]


@st.composite
def standings(draw: st.DrawFn) -> Standing:
    """Draw how a life may stand: its sizes are those of memories of one length."""
    total = draw(st.integers(0, 400))
    watermark, each = draw(st.integers(0, total)), draw(st.integers(1, 3000))
    summaries = draw(st.integers(1, 2)) if watermark else 0
    tokens = (total - watermark) * each + 600 * summaries
    return Standing(
        total,
        watermark,
        summaries,
        draw(st.integers(512, 20_000)),
        draw(st.booleans()),
        lambda: 4 * tokens,
        lambda: tokens,
        lambda most: min(total - watermark, most // each),
    )


@EVERY
def test_it_says_what_it_is_and_what_it_waits_for_and_keeps(strategy: Strategy) -> None:
    settings = CompactionSettings()
    assert strategy.help.endswith(".")
    assert strategy.keeps(settings)
    assert strategy.waits(Standing(0, 0), settings)


@EVERY
@given(standing=standings())
def test_what_it_folds_begins_at_the_watermark_and_exists(strategy: Strategy, standing: Standing) -> None:
    for ask in (strategy.due, strategy.manual):
        fold = ask(standing, CompactionSettings())
        assert fold is None or fold.first == standing.watermark + 1 <= fold.last <= standing.total
    hidden = strategy.hides(standing, CompactionSettings())
    assert hidden is None or hidden[0] == standing.watermark + 1 <= hidden[1] < standing.total


@EVERY
@given(standing=standings())
def test_what_is_due_by_number_is_due_from_that_number_on(strategy: Strategy, standing: Standing) -> None:
    at = strategy.next_at(standing, CompactionSettings())
    if at is not None and standing.total >= at:
        assert strategy.due(standing, CompactionSettings()) is not None


@EVERY
@pytest.mark.parametrize(("immediate", "recent"), WINDOWS)
def test_a_life_is_shown_whole_at_every_moment(strategy: Strategy, immediate: int, recent: int, tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy=strategy.name, immediate_window=immediate, recent_window=recent, threshold_tokens=500)
    life.set(min_saving_tokens=100)
    for _ in range(90):
        life.live(1)
        assert holes(coverage(life.compactor.outlook.view()), life.memory.total) == ([], [])


@EVERY
def test_a_strategy_takes_up_a_life_where_another_left_it(strategy: Strategy, tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(threshold_tokens=500, min_saving_tokens=100)
    for other in STRATEGIES:
        for name in (other.name, strategy.name):
            life.set(strategy=name)
            life.live(70)
            view = life.compactor.outlook.view()
            assert holes(coverage(view), life.memory.total) == ([], [])
    life.start()
    assert holes(coverage(life.compactor.outlook.view()), life.memory.total) == ([], [])
