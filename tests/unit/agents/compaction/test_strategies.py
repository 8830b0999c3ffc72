"""The numbers of every strategy, as its seed or paper has them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.compaction.rebuild import REBUILD
from agents.compaction.settings import OFF, PRESETS, CompactionSettings
from agents.compaction.strategies import EMERGENCY, SLEEP, DueFold, MemoryState
from agents.compaction.view import StrategyContext
from agents.llm.backend import Completion
from mud.errors import Unavailable
from tests.lives import STRATEGIES, Life, heard, reply, waiting_model
from tests.rebuilds import rebuilding, tiles

SETTINGS = {one.name: CompactionSettings(strategy=one.name) for one in STRATEGIES}
SETTINGS["layered"] = CompactionSettings(strategy="layered", threshold_tokens=12_000)
THOUSAND = StrategyContext(window=lambda: 1000)


def due(state: MemoryState, name: str, settings: CompactionSettings | None = None) -> DueFold | None:
    return STRATEGIES.get(name).due(state, settings or SETTINGS[name])


def manual(state: MemoryState, name: str, settings: CompactionSettings | None = None) -> DueFold | None:
    return STRATEGIES.get(name).manual(state, settings or SETTINGS[name])


def state_of(total: int, watermark: int = 0, chars: int = 0) -> MemoryState:
    return MemoryState(total, watermark, min(1, watermark), chars=lambda: chars)


def words(tokens: int, number: int = 0) -> str:
    """Return a memory of so many tokens, four characters each."""
    return f"I saw lamp {number}. ".ljust(4 * tokens, "-")


def life_of(folder: Path, name: str, sizes: list[int], at_once: bool, context: StrategyContext | None = None) -> Life:
    """Return a life with memories of so many tokens, folded when due after each or after all of them."""
    life = Life(folder, settings=SETTINGS[name], context=context)
    batches = [list(enumerate(sizes))] if at_once else [[one] for one in enumerate(sizes)]
    for batch in batches:
        life.remember(*(words(tokens, number) for number, tokens in batch))
        life.compactor.fold_due_now()
    return life


def folds(name: str, settings: CompactionSettings, most: int) -> list[tuple[int, int, int]]:
    """Return at how many short memories which ones are folded."""
    watermark, found = 0, []
    for total in range(1, most + 1):
        if fold := due(state_of(total, watermark), name, settings):
            found.append((total, fold.first, fold.last))
            watermark = fold.last
    return found


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("waterfall", [(129, 1, 65), (193, 66, 129), (257, 130, 193), (321, 194, 257)]),
        ("hybrid", [(43, 1, 33), (76, 34, 66), (109, 67, 99)]),
        ("entry_summary", [(10, 1, 8), (17, 9, 15), (24, 16, 22)]),
    ],
)
def test_what_folds_by_number_folds_at_these_numbers(name: str, found: list[tuple[int, int, int]]) -> None:
    assert folds(name, SETTINGS[name], found[-1][0]) == found


@pytest.mark.parametrize(
    ("name", "total", "watermark", "fold"),
    [
        ("waterfall", 100, 0, DueFold(1, 36)),
        ("waterfall", 300, 193, DueFold(194, 236)),
        ("waterfall", 64, 0, None),
        ("waterfall", 100, 36, None),
        ("hybrid", 12, 0, DueFold(1, 2)),
        ("hybrid", 10, 0, None),
        ("entry_summary", 4, 0, DueFold(1, 2)),
        ("entry_summary", 2, 0, None),
        ("layered", 50, 20, DueFold(21, 50)),
        ("layered", 50, 50, None),
    ],
)
def test_asked_for_everything_but_what_stays_is_folded(
    name: str, total: int, watermark: int, fold: DueFold | None
) -> None:
    assert manual(state_of(total, watermark), name) == fold


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize(
    ("name", "sizes", "covered"),
    [
        ("entry_summary", [15] * 30, [(1, 8), (9, 15), (16, 22)]),
        *(("entry_summary", [400] * 5, [(1, 3)]), ("entry_summary", [500] * 5, [(1, 3)])),
        *(("entry_summary", [250] * 8, [(1, 6)]), ("entry_summary", [222] * 10, [(1, 8)])),
        ("hybrid", [15] * 80, [(1, 33), (34, 66)]),
        ("layered", [100] * 130, [(1, 121)]),
        ("sleep", [10] * 85, [(1, 61)]),
    ],
)
def test_a_life_folds_as_its_strategy_says_however_its_memories_arrive(
    name: str, sizes: list[int], covered: list[tuple[int, int]], at_once: bool, tmp_path: Path
) -> None:
    life = life_of(tmp_path, name, sizes, at_once, THOUSAND)
    assert life.covered() == covered
    assert [commit.newest.covers for commit in life.commits] == [(1, last) for _, last in covered]
    assert [entry.seq for entry in life.memory.tail] == list(range(covered[-1][1] + 1, len(sizes) + 1))


@pytest.mark.parametrize(("immediate", "recent"), [(64, 64), (8, 8), (1, 1), (3, 50), (50, 3)])
def test_late_folds_of_the_waterfall_take_the_ranges_they_would_have_taken_on_time(
    immediate: int, recent: int, tmp_path: Path
) -> None:
    settings = CompactionSettings(immediate_window=immediate, recent_window=recent)
    life = Life(tmp_path / "on-time", settings=settings)
    life.live(90)
    late = Life(tmp_path / "late", settings=settings)
    late.memory.append([heard(f"word {number}") for number in range(90)], "2026-11-20T07:21:37.123Z", 1)
    late.compactor.fold_due_now()
    assert late.memory.watermark == life.memory.watermark
    assert [commit.newest.covers for commit in late.commits] == [commit.newest.covers for commit in life.commits]


def test_entries_are_folded_by_their_characters_too_but_never_fewer_than_five() -> None:
    assert due(state_of(9, chars=7999), "entry_summary") is None
    assert due(state_of(9, chars=8000), "entry_summary") == DueFold(1, 7)
    assert due(state_of(4, chars=200_000), "entry_summary") is None
    assert due(state_of(5, chars=200_000), "entry_summary") == DueFold(1, 3)
    assert due(state_of(11, 8, 200_000), "entry_summary") is None, "three and the summary are four"
    assert due(state_of(12, 8, 200_000), "entry_summary") == DueFold(9, 10)


def test_the_summary_counts_with_its_characters(tmp_path: Path) -> None:
    life = life_of(tmp_path, "entry_summary", [400] * 5, at_once=True)
    chars = 2 * 1600 + len(life.longterm.text)
    assert life.compactor.view.state().chars() == chars
    life.remember(words(15), "-" * (8000 - chars - 61))
    assert not life.compactor.due()
    life.remember("!")
    assert life.compactor.due()


PRESET_FOLDS = {
    "aggressive": (6, 5, 3, 4000),
    "high_throughput": (5, 4, 3, 3000),
    "long_research": (15, 12, 8, 15_000),
    "small_context": (4, 3, 2, 2000),
    "context_8k": (5, 3, 5, 3000),
}
"""At how many entries a preset folds up to which, how many it wants at least, and at how many characters."""


@pytest.mark.parametrize("preset", sorted(set(PRESETS) - {OFF}))
def test_a_preset_folds_as_the_seed_says(preset: str) -> None:
    at, last, gate, chars = PRESET_FOLDS[preset]
    settings = CompactionSettings(preset=preset)
    assert folds("entry_summary", settings, at) == [(at, 1, last)]
    assert STRATEGIES.get("entry_summary").next_at(state_of(0), settings) == at
    assert due(state_of(gate - 1, chars=1_000_000), "entry_summary", settings) is None
    few = max(gate, settings.tuned().preserve_last_n_entries + 1)
    if few < at:
        assert due(state_of(few, chars=chars - 1), "entry_summary", settings) is None
        assert due(state_of(few, chars=chars), "entry_summary", settings) is not None


def test_the_preset_off_never_folds_by_itself_however_long_the_life() -> None:
    off, strategy, old = CompactionSettings(preset=OFF), STRATEGIES.get("entry_summary"), state_of(5000, chars=10**9)
    assert folds("entry_summary", off, 2500) == []
    assert (strategy.due(old, off), strategy.next_at(old, off), strategy.budgets(old, off)) == (None, None, ())
    assert strategy.waits(old, off) == "only when asked for (the preset is off)"
    assert strategy.manual(state_of(10), off) == DueFold(1, 8), "asked for it folds all the same"


def test_results_are_masked_before_anything_is_folded(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=SETTINGS["hybrid"])
    for number in range(20):
        life.remember(f"The Library\n{number} shelves stand here. " + "Dust lies on all of them. " * 20, kind="result")
        life.remember("I walk on.", kind="did")
    shown = life.compactor.view.shown().tail
    assert ["whole in life#" in entry.text for entry in shown[::2]] == [True] * 10 + [False] * 10
    assert life.commits == []


def test_over_12000_tokens_layers_fold_everything() -> None:
    assert due(MemoryState(50, 20, tokens=lambda: 12_000), "layered") is None
    assert due(MemoryState(50, 20, tokens=lambda: 12_001), "layered") == DueFold(21, 50)


def test_layers_wait_until_a_fold_can_save_2000_tokens(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=SETTINGS["layered"])
    life.set(threshold_tokens=1000)
    for number in range(30):
        life.remember(words(100, number))
        life.compactor.fold_due_now()
    assert life.covered() == [(1, 26)], "a summary has 600 tokens at most, and 2,600 less 600 are 2,000"
    assert life.commits[0].saved >= 2000
    assert life.compactor.skipped == 0


def test_a_fold_that_saves_too_little_in_the_end_is_counted_and_waits_for_what_it_must_save(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=SETTINGS["layered"], context=StrategyContext(counting=lambda: len))
    life.set(threshold_tokens=1000, max_summary_tokens=40, min_saving_tokens=1055)
    for number in range(21):
        life.remember(f"I saw lamp {number} by the Cistern. ".ljust(100, "-"))
        life.compactor.fold_due_now()
        assert life.compactor.skipped == (number >= 10), (
            "1,100 less 40 seem enough, but a summary takes more by this count"
        )
    assert life.commits == []
    assert life.logged.count("[Memory] Wren: Starting compaction (11 memories, 64 immediate, 64 recent)") == 1
    assert "and 1055 are asked for)" in life.logged[-1].replace("; they stay as they are", "")
    life.remember(words(25, 22))
    (commit,) = life.compactor.fold_due_now()
    assert commit.saved >= 1055, "another 1,055 tokens have come"
    assert (commit.first, commit.last) == (1, 22)


async def test_asked_for_a_fold_may_save_less(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=SETTINGS["layered"])
    life.remember(*(words(50, number) for number in range(10)))
    assert not life.compactor.due()
    commit = await life.compactor.fold_now()
    assert commit is not None
    assert 0 < commit.saved < 2000
    assert life.memory.tail == []


def sleeper(tokens: int, *, asleep: bool = False, total: int = 100, fitting: int = 0) -> MemoryState:
    return MemoryState(
        total, 0, 0, 1000, asleep, tokens=lambda: tokens, fitting=lambda most: fitting if most == 200 else -1
    )


@pytest.mark.parametrize(("asleep", "share", "reason"), [(True, 700, SLEEP), (False, 800, EMERGENCY)])
def test_asleep_70_percent_of_the_window_are_too_much_and_awake_80(asleep: bool, share: int, reason: str) -> None:
    assert due(sleeper(share, asleep=asleep), "sleep") is None
    assert due(sleeper(share + 1, asleep=asleep), "sleep") == DueFold(1, 80, reason)


def test_what_stays_asleep_is_the_larger_of_twenty_and_a_fifth_of_the_window() -> None:
    assert manual(sleeper(0, fitting=7), "sleep") == DueFold(1, 80)
    assert manual(sleeper(0, fitting=33), "sleep") == DueFold(1, 67)


def test_where_the_newest_alone_are_too_much_all_but_half_of_them_are_folded() -> None:
    assert due(sleeper(900, total=18), "sleep") == DueFold(1, 8, EMERGENCY), "ten of eighteen stay"
    assert due(sleeper(900, total=1), "sleep") == DueFold(1, 1, EMERGENCY)
    assert manual(sleeper(900, total=18), "sleep") is None


def test_who_falls_asleep_folds_over_70_percent_at_once(tmp_path: Path) -> None:
    asleep = False
    context = StrategyContext(window=lambda: 1000, asleep=lambda: asleep)
    life = life_of(tmp_path, "sleep", [10] * 75, True, context)
    assert not life.compactor.due()
    asleep = True
    life.compactor.fold_due_now()
    assert life.covered() == [(1, 55)], "all but the newest twenty of now, not of when 70 % were reached"
    assert life.commits[0].reason == SLEEP
    life.remember(*(words(10, number) for number in range(30)))
    assert not life.compactor.due()


def test_an_emergency_overtakes_a_fold_that_waits_for_its_model(tmp_path: Path) -> None:
    asleep = True
    context = StrategyContext(window=lambda: 1000, asleep=lambda: asleep)
    life = Life(tmp_path, settings=SETTINGS["sleep"], model=waiting_model, context=context)
    life.remember(*(words(10, number) for number in range(75)))
    folding = life.compactor.fold_due()
    folding.send(None)
    assert not life.compactor.emergency(), "it is not so much yet that it could not wait"
    asleep = False
    life.remember(*(words(10, number) for number in range(200)))
    assert life.compactor.emergency()
    assert not life.compactor.due(), "nothing else begins meanwhile"
    commits = life.compactor.fold_due_now()
    assert {commit.reason for commit in commits} == {EMERGENCY}
    assert (life.compactor.busy, life.compactor.view.tokens() < 800) == (True, True)
    assert not life.compactor.emergency()
    with pytest.raises(StopIteration):
        folding.send(reply("I saw lamp 1. I saw lamp 2."))
    assert (life.commits, life.memory.warnings, life.compactor.busy) == (commits, [], False)
    assert "came too late" in life.compactor.notice
    assert tiles(life)


async def test_a_rebuild_yields_to_an_emergency_and_can_be_asked_for_again(tmp_path: Path) -> None:
    life = life_of(tmp_path, "sleep", [10] * 85, False, THOUSAND)
    before = list(life.commits)
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def model(prompt: str, profile: str) -> Completion:
        asked.set()
        await go_on.wait()
        return reply("I saw lamp 1.")

    life.model = model
    running = asyncio.ensure_future(rebuilding(life).run(REBUILD))
    await asked.wait()
    life.remember(*(words(10, number) for number in range(200)))
    assert not life.compactor.due()
    later = life.compactor.fold_due_now()
    assert later[0].first == before[-1].last + 1
    assert life.compactor.view.tokens() < 800
    go_on.set()
    with pytest.raises(Unavailable, match="folded in an emergency meanwhile"):
        await running
    assert life.commits == [*before, *later]
    assert not life.compactor.busy
    assert tiles(life)
    assert rebuilding(life).check(REBUILD) == life.memory.watermark
    assert (await rebuilding(life).run(REBUILD)).made[-1].covers == (1, life.memory.watermark)


@pytest.mark.parametrize(
    ("total", "watermark", "hidden"), [(5, 0, None), (6, 0, (1, 1)), (100, 65, (66, 95)), (70, 65, None)]
)
def test_a_sliding_window_hides_all_but_the_newest_five(
    total: int, watermark: int, hidden: tuple[int, int] | None
) -> None:
    strategy = STRATEGIES.get("sliding_window")
    assert strategy.hides(state_of(total, watermark), SETTINGS["sliding_window"]) == hidden


def test_a_sliding_window_writes_nothing_and_another_strategy_takes_up_what_was_hidden(tmp_path: Path) -> None:
    life = Life(tmp_path, settings=SETTINGS["sliding_window"])
    life.live(150)
    assert (life.commits, life.compactor.view.shown().hidden) == ([], (1, 145))
    assert life.compactor.view.tokens() == sum(-(-len(entry.text) // 4) for entry in life.memory.newest(5))
    life.set(strategy="waterfall")
    life.live(1)
    assert life.covered() == [(1, 65)]
