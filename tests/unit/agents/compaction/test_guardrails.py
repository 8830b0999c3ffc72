"""What stands between a fold and its commit: nothing grows, off is off, and who may not write does not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.compaction.due import next_at, next_fold_in_words
from agents.compaction.settings import OFF
from agents.compaction.strategies import EMERGENCY, Strategy
from agents.llm.backend import Completion
from mud.errors import Unavailable
from tests.lives import STRATEGIES, Life, reply

EVERY = pytest.mark.parametrize("strategy", list(STRATEGIES), ids=lambda strategy: strategy.name)
FOLDING = pytest.mark.parametrize(
    "strategy",
    [one for one in STRATEGIES if one.waits is not Strategy("", "").waits],
    ids=lambda strategy: strategy.name,
)
SMALL = {
    "immediate_window": 1,
    "recent_window": 4,
    "min_entries_for_compaction": 1,
    "max_entries_before_compaction": 6,
    "preserve_last_n_entries": 1,
    "preserve_entries": 1,
    "preserve_fraction": 0.0,
    "threshold_tokens": 300,
    "min_saving_tokens": 0,
    "hybrid_entries": 6,
    "hybrid_keep": 1,
}
"""Settings under which every strategy folds soon and keeps little."""
WORDS = st.text("ab IHei.,!?'1é\n", min_size=1, max_size=12).filter(str.strip)


def small(folder: Path, strategy: Strategy, **changes: int | float | str | bool) -> Life:
    """Return a life that folds soon."""
    life = Life(folder)
    life.set(strategy=strategy.name, **{**SMALL, **changes})
    return life


# -- growth -----------------------------------------------------------------------------------------------------------


@FOLDING
@settings(max_examples=25)
@given(texts=st.lists(WORDS, min_size=1, max_size=9))
async def test_a_forced_fold_of_something_tiny_is_a_no_op_that_says_so_or_saves(
    strategy: Strategy, texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    life = small(tmp_path_factory.mktemp("life"), strategy)
    life.remember(*texts)
    before, view = life.compactor.view.tokens(), life.compactor.view.shown()
    commit = await life.compactor.fold_now()
    after = life.compactor.view.tokens()
    if commit is None:
        assert life.compactor.notice
        assert (life.compactor.view.shown(), after) == (view, before)
        assert life.compactor.skipped == 0, "only those that come by themselves are counted"
        assert not (life.folder / "summaries").exists()
    else:
        assert after == before - commit.saved < before


async def test_nobody_pays_a_model_for_a_summary_that_cannot_be_shorter(tmp_path: Path) -> None:
    asked: list[str] = []

    async def model(prompt: str, profile: str) -> Completion:
        asked.append(prompt)
        return reply("I met Moss.")

    for strategy in (one for one in STRATEGIES if one.waits is not Strategy("", "").waits):
        life = Life(tmp_path / strategy.name, model=model)
        life.set(strategy=strategy.name, **SMALL)
        life.remember('Moss says, "Hi."', "ok")
        assert await life.compactor.fold_now() is None
        assert "is not shorter than they; they stay as they are" in life.compactor.notice
        assert (asked, life.memory.warnings) == ([], [])
        life.remember(*(f'Moss says, "The wind has turned again, {number}."' for number in range(40)))
        await life.compactor.fold_now()
        assert asked, "what is worth it is still written by the model"
        asked.clear()


@FOLDING
async def test_a_single_short_word_is_never_made_longer(strategy: Strategy, tmp_path: Path) -> None:
    life = small(tmp_path, strategy, preserve_last_n_entries=0)
    life.remember("Hm.", "Hm.")
    view = life.compactor.view.shown()
    for _ in range(3):
        if await life.compactor.fold_now() is None:
            why = life.compactor.notice
            assert any(said in why for said in ("stay as they are", "nothing is older", "folded already"))
    assert life.compactor.view.tokens() <= 2
    assert life.commits or life.compactor.view.shown() == view


@FOLDING
@settings(max_examples=10)
@given(texts=st.lists(WORDS, min_size=20, max_size=40))
def test_no_fold_that_comes_by_itself_makes_a_view_of_scraps_grow(
    strategy: Strategy, texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    life = small(tmp_path_factory.mktemp("life"), strategy, threshold_tokens=100)
    for text in texts:
        life.remember(text)
        before = life.compactor.view.tokens()
        saved = sum(commit.saved for commit in life.compactor.fold_due_now())
        assert life.compactor.view.tokens() == before - saved <= before


def test_a_fold_that_saves_nothing_is_tried_again_when_as_much_again_has_come_and_then_takes_more(
    tmp_path: Path,
) -> None:
    life = small(tmp_path, STRATEGIES.get("entry_summary"))
    attempts = []
    for _ in range(200):
        life.remember("a")
        life.compactor.fold_due_now()
        attempts.append(life.compactor.skipped + len(life.commits))
    assert attempts[-1] < 60, "not with every memory"
    assert life.memory.watermark > 0, "and in the end it is folded"


# -- what it cost -----------------------------------------------------------------------------------------------------


async def test_the_record_says_after_how_many_prompts_a_fold_has_paid_for_itself(tmp_path: Path) -> None:
    async def model(prompt: str, profile: str) -> Completion:
        return Completion("I saw the lamps by the Cistern with Moss.", 3000, 20, 0.5, "test-model")

    life = Life(tmp_path, model=model)
    life.set(strategy="hybrid")
    life.remember(*(f"Moss shows me lamp {number} by the Cistern in the evening." for number in range(43)))
    before = life.compactor.view.tokens()
    (commit,) = await life.compactor.fold_due()
    record = commit.record()
    assert record["saved_tokens"] == commit.saved == before - life.compactor.view.tokens()
    assert commit.spent == 3020
    assert record["break_even_rounds"] == commit.break_even == -(-3020 // commit.saved)


def test_by_rules_a_fold_costs_nothing_from_the_beginning(tmp_path: Path) -> None:
    life = small(tmp_path, STRATEGIES.get("hybrid"))
    life.live(8)
    assert (life.commits[0].spent, life.commits[0].record()["break_even_rounds"]) == (0, 0)


# -- off is off -------------------------------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("model", [False, True])
async def test_with_automatic_folds_off_none_happens(strategy: Strategy, model: bool, tmp_path: Path) -> None:
    async def ask(prompt: str, profile: str) -> Completion:
        raise AssertionError("nobody may be asked")

    life = small(tmp_path, strategy, auto_enabled=False)
    life.model = ask if model else None
    life.start()
    life.remember(*(f"I saw lamp {number} by the Cistern. " * 60 for number in range(300)))
    assert not life.compactor.due()
    assert await life.compactor.fold_due() == life.compactor.fold_due_now() == []
    assert next_at(life.compactor.view) is None
    assert (
        next_fold_in_words(life.compactor.view, life.compactor.view.state())
        == "only when asked for (@compact-memories)"
    )
    assert not (tmp_path / "summaries").exists()


@pytest.mark.parametrize("changes", [{"strategy": "none"}, {"strategy": "entry_summary", "preset": OFF}])
async def test_the_strategy_none_and_the_preset_off_fold_nothing(changes: dict[str, str], tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(**changes)
    life.remember(*(f"I saw lamp {number} by the Cistern. " * 9 for number in range(1500)))
    assert await life.compactor.fold_due() == life.compactor.fold_due_now() == []
    assert len(life.compactor.view.shown().tail) == 1500


async def test_a_fold_that_was_asked_for_happens_with_automatic_folds_off(tmp_path: Path) -> None:
    life = small(tmp_path, STRATEGIES.get("waterfall"), auto_enabled=False)
    life.live(40)
    assert await life.compactor.fold_now() is not None


# -- who may write ----------------------------------------------------------------------------------------------------


def with_model(folder: Path, failing: bool, asked: list[str], **changes: str | bool) -> Life:
    """Return a life of `entry_summary` with a model, ten memories long."""

    async def model(prompt: str, profile: str) -> Completion:
        asked.append(prompt)
        if failing:
            raise Unavailable("it is down")
        return reply("I saw the lamps by the Cistern.")

    life = Life(folder, model=model)
    life.set(strategy="entry_summary", **changes)
    life.remember(*(f"I saw lamp {number} by the Cistern in the evening." for number in range(10)))
    return life


async def test_without_a_fallback_nothing_is_folded_while_the_model_fails_and_everybody_is_told(tmp_path: Path) -> None:
    asked: list[str] = []
    life = with_model(tmp_path, True, asked, fallback_to_deterministic=False)
    view = life.compactor.view.shown()
    assert await life.compactor.fold_due() == []
    assert life.compactor.fold_due_now() == [], "not by rules either, at the end of the world"
    assert life.compactor.view.shown() == view
    assert "it is down" in life.memory.warnings[0]
    assert not life.compactor.due(), "it waits before it is tried again"
    assert len(asked) == 1
    assert await life.compactor.fold_now() is None
    assert "it is down" in life.compactor.notice, "who asks is told at once"
    life.set(fallback_to_deterministic=True)
    life.clock.advance(1000)
    (commit,) = await life.compactor.fold_due()
    assert commit.newest.method == "extractive"
    assert not any("could not be folded" in text for text in life.memory.warnings)


async def test_without_a_fallback_an_edit_meanwhile_is_not_folded_by_rules(tmp_path: Path) -> None:
    asked: list[str] = []
    life = with_model(tmp_path, False, asked, fallback_to_deterministic=False)
    assert len(await life.compactor.fold_due()) == 1

    async def editing(prompt: str, profile: str) -> Completion:
        path = life.summary_file("longterm")
        path.write_text(path.read_text().replace("I saw the lamps", "Quite secretly, I saw the lamps"))
        return reply("I saw the lamps by the Cistern, and then the birds in the evening.")

    life.model = editing
    life.start()
    life.remember(*(f"I saw bird {number} by the Cistern in the evening." for number in range(7)))
    assert await life.compactor.fold_due() == []
    assert "edited meanwhile" in life.compactor.notice
    assert "Quite secretly" in life.longterm.text


async def test_a_strategy_that_may_not_ask_is_written_by_rules_and_begins_once(tmp_path: Path) -> None:
    asked: list[str] = []
    life = with_model(tmp_path, False, asked, use_llm_for_summary=False)
    (commit,) = await life.compactor.fold_due()
    assert (asked, commit.newest.method, commit.rejected) == ([], "extractive", ())
    assert [line.split(": ")[1].split(" (")[0] for line in life.logged] == [
        "Starting compaction",
        "Long-term summary updated",
        "Compaction complete",
    ]


@FOLDING
async def test_at_most_one_fold_is_in_flight(strategy: Strategy, tmp_path: Path) -> None:
    running, most = 0, 0

    async def model(prompt: str, profile: str) -> Completion:
        nonlocal running, most
        running, most = running + 1, max(most, running + 1)
        for _ in range(3):
            await asyncio.sleep(0)
        running -= 1
        return reply("")

    life = small(tmp_path, strategy)
    life.model = model
    life.start()
    life.remember(*(f"I saw lamp {number} by the Cistern. " * 40 for number in range(40)))
    first = asyncio.ensure_future(life.compactor.fold_due())
    await asyncio.sleep(0)
    assert await life.compactor.fold_due() == []
    assert await life.compactor.fold_now() is None
    assert life.compactor.notice == "a fold is under way already"
    by_rules = life.compactor.fold_due_now()
    assert all(commit.reason == EMERGENCY for commit in by_rules), "it alone overtakes, and the model's fold yields"
    assert (await first == []) == bool(by_rules)
    assert most == 1
