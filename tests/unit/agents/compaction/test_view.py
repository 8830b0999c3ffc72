"""The size of a view is what a plain count gives, at any moment and for any earlier one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.compaction.settings import CompactionSettings
from agents.compaction.view import StrategyContext, StrategyView, masked
from tests.examples import examples
from tests.lives import STRATEGIES, Life

SETTINGS = CompactionSettings(mask_keep=2, mask_block=2, mask_chars=30)
KINDS = st.sampled_from(["heard", "result", "result", "said", "did"])


def view_of(life: Life, settings: CompactionSettings, context: StrategyContext | None = None) -> StrategyView:
    return StrategyView(life.memory, lambda: settings, STRATEGIES, context or StrategyContext())


def plain(life: Life, masks: bool, total: int, settings: CompactionSettings = SETTINGS) -> tuple[int, int]:
    """Return characters and tokens of the memories that no summary stands for, counted from the beginning."""
    entries = life.memory.read(life.memory.watermark + 1, total)
    shown = masked(entries, settings, "life") if masks else entries
    summaries = [one.text for one in (life.memory.longterm, life.memory.recent) if one is not None]
    chars = sum(len(entry.text) for entry in entries) + sum(map(len, summaries))
    return chars, sum(-(-len(text) // 4) for text in [*summaries, *(entry.text for entry in shown)])


@settings(max_examples=examples(40))
@given(
    steps=st.lists(st.tuples(st.lists(st.tuples(KINDS, st.integers(1, 90)), max_size=9), st.booleans()), max_size=9),
    masks=st.booleans(),
    back=st.integers(0, 12),
)
def test_it_counts_what_is_shown_now_and_what_was_shown_before(
    steps: list[tuple[list[tuple[str, int]], bool]], masks: bool, back: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    life = Life(tmp_path_factory.mktemp("life"))
    life.set(immediate_window=3, recent_window=4)
    view = view_of(life, replace(SETTINGS, strategy="masking" if masks else "none"))
    for batch, fold in steps:
        for kind, length in batch:
            life.remember("The lamp by the Cistern. " * (length // 10 + 1), kind=kind)
        if fold:
            life.compactor.fold_due_now()
        total = life.memory.total
        for end in {total, max(life.memory.watermark, total - back)}:
            state = view.state(end)
            assert (state.chars(), state.tokens()) == plain(life, masks, end)
            sizes = [-(-len(one.text) // 4) for one in life.memory.read(life.memory.watermark + 1, end)]
            fitting = sum(sum(sizes[at:]) <= 40 for at in range(len(sizes)))
            assert state.fitting(40) == fitting


def test_it_reads_each_memory_once(tmp_path: Path) -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return 1

    life = Life(tmp_path)
    view = view_of(life, SETTINGS, StrategyContext(counting=lambda: count))
    for number in range(300):
        life.remember(f"lamp {number}")
        assert view.tokens() == number + 1
    assert len(counted) == 300


def test_it_counts_anew_when_the_settings_or_the_counting_change(tmp_path: Path) -> None:
    scale = 1.0
    life = Life(tmp_path)
    life.remember(*("The Library\n" + "Dust lies here. " * 20 for _ in range(9)), kind="result")
    life.remember("I walk on.", kind="did")
    settings = replace(SETTINGS, strategy="masking")
    context = StrategyContext(counting=lambda: lambda text: round(len(text) * scale), scale=lambda: scale)
    view = StrategyView(life.memory, lambda: settings, STRATEGIES, context)
    masking = view.tokens()
    settings = replace(settings, mask_chars=5000)
    whole = view.tokens()
    assert masking < whole == sum(len(entry.text) for entry in life.memory.tail)
    scale = 2.0
    assert view.tokens() == 2 * whole


def test_the_scene_of_a_summary_begins_with_when_it_was(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []

    def when(first: str, last: str) -> str:
        asked.append((first, last))
        return "On Friday morning"

    life = Life(tmp_path, context=StrategyContext(when=when))
    life.live(193)
    assert set(asked) == {("2026-11-20T07:21:37.123Z", "2026-11-20T07:21:37.123Z")}
    assert life.recent.text.startswith("On Friday morning I was at the Library. ")
    assert life.longterm.text.startswith("My first memories, from Friday morning, are of the Library, ")
    assert life.recent.faithful, "the day is no name that was made up"


def test_nothing_is_said_of_the_time_where_there_are_no_words_for_it(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(193)
    assert life.recent.text.startswith("I was at the Library. ")
