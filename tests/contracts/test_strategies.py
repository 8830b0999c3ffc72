"""What every strategy keeps, whatever it decides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.compaction.due import manual_fold
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import coverage, holes
from agents.compaction.strategies import MemoryState, Strategy, ViewBudget
from agents.compaction.view import StrategyContext
from tests.lives import STRATEGIES, Disk, Life, PowerCut

EVERY = pytest.mark.parametrize("strategy", list(STRATEGIES), ids=lambda strategy: strategy.name)
WINDOWS = [(64, 64), (8, 8), (1, 1), (3, 50), (50, 3)]


@st.composite
def standings(draw: st.DrawFn) -> MemoryState:
    """Draw how a life may stand: its sizes are those of memories of one length."""
    total = draw(st.integers(0, 400))
    watermark, each = draw(st.integers(0, total)), draw(st.integers(1, 3000))
    summaries = draw(st.integers(1, 2)) if watermark else 0
    tokens = (total - watermark) * each + 600 * summaries
    return MemoryState(
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
    # How many is a setting, and may be set otherwise.
    assert not re.search(r"\d|\b(?:two|five|six|ten|twenty)\b", strategy.help)
    assert strategy.keeps(settings)
    assert strategy.waits(MemoryState(0, 0), settings)


@EVERY
@given(standing=standings())
def test_what_it_folds_begins_at_the_watermark_and_exists(strategy: Strategy, standing: MemoryState) -> None:
    for ask in (strategy.due, strategy.manual):
        fold = ask(standing, CompactionSettings())
        assert fold is None or fold.first == standing.watermark + 1 <= fold.last <= standing.total
    hidden = strategy.hides(standing, CompactionSettings())
    assert hidden is None or hidden[0] == standing.watermark + 1 <= hidden[1] < standing.total


@EVERY
@given(standing=standings())
def test_what_is_due_by_number_is_due_from_that_number_on(strategy: Strategy, standing: MemoryState) -> None:
    at = strategy.next_at(standing, CompactionSettings())
    due = strategy.due(standing, CompactionSettings()) is not None
    assert due or at is None or standing.total < at
    assert not strategy.by_number or (at is not None and due == (standing.total >= at))


@EVERY
@pytest.mark.parametrize(("immediate", "recent"), WINDOWS)
def test_a_life_is_shown_whole_at_every_moment(strategy: Strategy, immediate: int, recent: int, tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy=strategy.name, immediate_window=immediate, recent_window=recent, threshold_tokens=500)
    life.set(min_saving_tokens=100)
    for _ in range(90):
        life.live(1)
        assert holes(coverage(life.compactor.view.shown()), life.memory.total) == ([], [])


@EVERY
def test_a_strategy_takes_up_a_life_where_another_left_it(strategy: Strategy, tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(threshold_tokens=500, min_saving_tokens=100)
    for other in STRATEGIES:
        for name in (other.name, strategy.name):
            life.set(strategy=name)
            life.live(70)
            view = life.compactor.view.shown()
            assert holes(coverage(view), life.memory.total) == ([], [])
    life.start()
    assert holes(coverage(life.compactor.view.shown()), life.memory.total) == ([], [])


def excused(life: Life, budget: ViewBudget, skipped: bool) -> bool:
    """Return whether a budget cannot hold: what is over it is a summary, or newest memories that must stay.

    Or a fold would have saved too little (`skipped`), and none has been made since.
    """
    view = life.compactor.view
    left = manual_fold(view, "manual")
    summary = view.tokens_after(life.memory.total, [one.text for one in life.commits[-1].made]) if life.commits else 0
    by_length = budget.unit in ("characters", "tokens")
    gate = life.settings.strategy == "entry_summary" and life.memory.total - life.memory.watermark < 4
    return by_length and (left is None or gate or summary >= budget.most or skipped)


@EVERY
@settings(max_examples=15)
@given(
    batches=st.lists(st.lists(st.integers(1, 1500), min_size=1, max_size=30), min_size=1, max_size=9),
    asleep=st.booleans(),
    keep=st.integers(0, 6),
)
def test_after_every_fold_the_view_is_within_the_budget_of_its_strategy(
    strategy: Strategy,
    batches: list[list[int]],
    asleep: bool,
    keep: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    life = Life(tmp_path_factory.mktemp("life"), context=StrategyContext(window=lambda: 1500, asleep=lambda: asleep))
    life.set(strategy=strategy.name, immediate_window=keep + 1, recent_window=5, preserve_last_n_entries=keep)
    life.set(threshold_tokens=1200, min_saving_tokens=100, hybrid_entries=12, hybrid_keep=keep + 1)
    skipped = False
    for batch in batches:
        before = life.compactor.skipped
        life.remember(*(f"Lamp {size} burns. ".ljust(size, "-") for size in batch))
        made = life.compactor.fold_due_now()
        skipped = life.compactor.skipped > before or (skipped and not made)
        view = life.compactor.view
        for budget in view.strategy.budgets(view.state(), view.settings):
            assert budget.taken <= budget.most or excused(life, budget, skipped), str(budget)


FOLDING = [one.name for one in STRATEGIES if one.next_at(MemoryState(0, 0), CompactionSettings())]
"""Strategies that fold by the number of memories: one with two summaries, and such with one."""


@pytest.mark.parametrize("name", FOLDING)
@pytest.mark.parametrize("half", [False, True])
def test_the_power_may_go_before_any_write_of_a_fold(name: str, half: bool, tmp_path: Path) -> None:
    def begun(folder: Path) -> Life:
        life = Life(folder)
        life.set(strategy=name, immediate_window=6, recent_window=6, hybrid_entries=12, hybrid_keep=4)
        life.live(40)
        life.set(auto_enabled=False)
        life.live(20)
        life.set(auto_enabled=True)
        return life

    counted = begun(tmp_path / "counted")
    before, folded = counted.disk.writes, counted.memory.watermark
    steps = [folded]
    counted.disk.meanwhile = lambda number: steps.append(counted.memory.watermark)
    counted.compactor.fold_due_now()
    writes = counted.disk.writes - before
    assert writes >= 3, "a version, the commit line, and a file in use"
    for cut in range(writes):
        life = begun(tmp_path / f"cut-{cut}")
        whole = [entry.to_json() for entry in life.memory.read(1, 60)]
        life.disk.cut_after(cut, half)
        with pytest.raises(PowerCut):
            life.compactor.fold_due_now()
        life.disk = Disk()
        life.start()
        assert life.memory.watermark in {steps[cut], *steps[cut + 1 : cut + 2]}, "as before the write or after it"
        assert holes(coverage(life.compactor.view.shown()), 60) == ([], [])
        assert [entry.to_json() for entry in life.memory.read(1, 60)] == whole
        life.compactor.fold_due_now()
        assert life.memory.watermark == counted.memory.watermark
        assert life.edited_versions() == []


@pytest.mark.parametrize("name", FOLDING)
def test_the_disk_may_be_full_at_any_write_of_a_fold(name: str, tmp_path: Path) -> None:
    for failing in range(1, 6):
        life = Life(tmp_path / str(failing))
        life.set(strategy=name, immediate_window=6, recent_window=6, hybrid_entries=12, hybrid_keep=4)
        life.live(11)
        life.compactor.fold_due_now()
        life.set(auto_enabled=False)
        life.live(9)
        life.set(auto_enabled=True)
        base, watermark = life.disk.writes, life.memory.watermark

        def fill(number: int, life: Life = life, at: int = base + failing) -> None:
            life.disk.full = number >= at

        life.disk.meanwhile = fill
        view = life.compactor.view.shown()
        committed = life.compactor.fold_due_now()
        assert holes(coverage(life.compactor.view.shown()), 20) == ([], [])
        assert committed or (life.memory.watermark, life.compactor.view.shown()) == (watermark, view)
        life.disk.meanwhile, life.disk.full = None, False
        life.clock.advance(1000)
        life.memory.restore_missing()
        life.compactor.fold_due_now()
        assert not life.compactor.due()
        assert life.memory.warnings == []
        again = Life(life.folder)
        assert (again.memory.watermark, again.memory.total) == (life.memory.watermark, 20)
        again.memory.close()
