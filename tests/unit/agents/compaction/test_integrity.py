"""How a memory stands: every field of a status, in a situation where it matters."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.status import DEEP, READ, Facts, Shed, band, coverage, holes, shown_texts, status
from agents.llm.backend import Completion
from agents.llm.tokens import TokenCounter, by_characters
from agents.memory.entries import Entry
from tests.lives import STRATEGIES, Life, reply

CONTRACT = (
    "agent total covered_through immediate recent longterm gaps overlaps next_compaction_at strategy compactions "
    "warnings index"
)
PLAIN = TokenCounter(lambda: "characters")


def of(life: Life, **facts: Any) -> dict[str, Any]:
    known = {"counter": PLAIN, "now": life.clock.now(), **facts}
    return status(life.compactor.view, Facts(**known))


def rewrite(life: Life, change: Callable[[str], str]) -> None:
    """Put something else for lines of the archive."""
    for path in (life.folder / "archive").glob("*.jsonl"):
        path.write_text("".join(f"{change(line)}\n" for line in path.read_text().splitlines()))


def lived(life: Life, count: int) -> Life:
    """Live so many memories in bulk, unfolded."""
    life.set(auto_enabled=False)
    life.memory.append_raw([{"text": f"The wind has turned again, for the {number}. time."} for number in range(count)])
    return life


def test_the_status_begins_with_exactly_the_keys_of_the_design(tmp_path: Path) -> None:
    life = Life(tmp_path)
    empty = of(life)
    assert (empty["recent"], empty["immediate"], empty["next_compaction_at"]) == (None, None, 129)
    life.live(300)
    found = of(life, index={"lexical_through": 300, "vector_through": 193})
    assert " ".join(list(found)[:13]) == CONTRACT
    assert (found["total"], found["covered_through"], found["compactions"]) == (300, 193, 3)
    assert found["immediate"] == {"first": 194, "last": 300}
    assert list(found["recent"]) == ["first", "last", "chars", "method", "updated"]
    assert found["gaps"] == found["overlaps"] == found["warnings"] == []
    assert found["index"] == {"lexical_through": 300, "vector_through": 193}
    assert json.loads(json.dumps(found)) == found


def test_how_far_the_index_is_behind_is_told(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(20)
    assert of(life, index={"lexical_through": 20, "vector_through": 12})["index_lag"] == {"lexical": 0, "vector": 8}
    assert of(life)["index_lag"] == {"lexical": None, "vector": None}


def test_tiers_have_ranges_ages_lengths_and_texts(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(300)
    life.clock.advance(3600)
    longterm, recent, immediate = of(life)["tiers"]
    assert (longterm["first"], longterm["last"], longterm["memories"]) == (1, 129, 129)
    assert (longterm["text"], longterm["chars"]) == (life.longterm.text, len(life.longterm.text))
    assert (recent["first"], recent["last"], recent["text"]) == (130, 193, life.recent.text)
    assert 3600 <= recent["age_seconds"] < longterm["age_seconds"] + 3600
    assert (immediate["first"], immediate["last"], immediate["memories"]) == (194, 300, 107)
    assert immediate["chars"] == sum(len(entry.text) for entry in life.memory.tail)


def test_an_age_that_a_hand_made_unreadable_is_not_told(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    for written in ("yesterday", "2026-11-20 07:21"):
        rewrite(life, lambda line, at=written: json.dumps({**json.loads(line), "at": at}))  # type: ignore[misc]
        life.start()
        assert of(life)["tiers"][-1]["age_seconds"] is None


@pytest.mark.parametrize(
    ("strategy", "waits"),
    [
        ("waterfall", "at 129 memories"),
        ("entry_summary", "at 10 memories or 8,000 characters"),
        ("layered", "over 6,000 tokens (now "),
        ("sleep", "over 5,734 tokens asleep, 6,553 awake (now "),
        ("hybrid", "at 43 memories"),
        ("hierarchical", "at 129 memories, or when a day is over"),
        ("masking", "only what a prompt has no room for"),
        ("none", "only what a prompt has no room for"),
        ("sliding_window", "only what a prompt has no room for"),
    ],
)
def test_what_is_due_next_is_told_for_every_strategy(tmp_path: Path, strategy: str, waits: str) -> None:
    life = Life(tmp_path)
    life.set(strategy=strategy)
    life.live(3)
    assert of(life)["waits"].startswith(waits)
    life.set(auto_enabled=False)
    off = of(life)
    assert (off["automatic"], off["next_compaction_at"]) == (False, None)
    assert "@compact-memories" in off["waits"]


def test_what_a_strategy_keeps_the_view_within_is_told(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="layered")
    life.live(30)
    found = of(life)
    (budget,) = found["budgets"]
    assert budget == {"unit": "tokens", "taken": found["tokens"]["view"], "most": 6000}


@pytest.mark.parametrize(
    ("share", "name"),
    [(0, "ok"), (0.6999, "ok"), (0.7, "warning"), (0.8499, "warning"), (0.85, "danger"), (0.95, "danger")],
)
def test_the_bands_of_utilization_begin_where_the_seed_has_them(share: float, name: str) -> None:
    assert band(share) == name


@pytest.mark.parametrize("share", [0.9501, 1.0, 30.0])
def test_beyond_the_last_band_it_is_critical(share: float) -> None:
    assert band(share) == "critical"


def test_utilization_is_the_share_of_the_window_that_summaries_and_shown_memories_take(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(300)
    found = of(life)["tokens"]
    texts = shown_texts(life.compactor.view)
    assert len(texts) == 2 + 107
    assert found["view"] == sum(map(by_characters, texts))
    assert found["utilization"] == round(found["view"] / 8192, 4)
    assert (found["window"], found["band"], found["estimated"]) == (8192, "ok", False)
    assert found["counted_by"] == "a quarter of the characters"


def test_masked_results_count_as_they_are_shown(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="masking", auto_enabled=False)
    long = "You see a shelf of books, and behind it another shelf of books. " * 20
    life.memory.append_raw([{"text": f"{number}: {long}", "kind": "result"} for number in range(40)])
    life.memory.append_raw([{"text": "I go north.", "kind": "moved"}])
    assert of(life)["tokens"]["view"] < 40 * by_characters(long) / 2


def test_what_is_hidden_is_told_and_is_no_gap(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="sliding_window")
    life.live(300)
    found = of(life)
    assert (found["hidden"], found["immediate"]) == ({"first": 1, "last": 295}, {"first": 296, "last": 300})
    assert found["gaps"] == found["overlaps"] == []


def test_a_threshold_beyond_the_window_is_warned_of(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="layered")
    assert of(life)["warnings"] == []
    life.set(strategy="layered", threshold_tokens=12_000)
    assert of(life)["warnings"] == [
        "layered waits for 12,000 tokens or more, but the window holds 8,192: its folds come only when a prompt has no "
        "room left"
    ]
    life.set(strategy="layered", threshold_tokens=8192)
    assert of(life)["warnings"] == []
    life.set(strategy="waterfall", threshold_tokens=12_000)
    assert of(life)["warnings"] == []
    life.set(strategy="layered", threshold_tokens=12_000, auto_enabled=False)
    assert of(life)["warnings"] == []


@pytest.mark.parametrize(("on", "why"), [(True, "they could not be folded"), (False, "auto_enabled is off")])
def test_a_memory_that_no_summary_holds_and_the_next_prompt_leaves_out_is_warned_of(
    tmp_path: Path, on: bool, why: str
) -> None:
    life = Life(tmp_path)
    life.live(60)
    life.set(auto_enabled=on)
    shed = Shed(("2 hints", "48 oldest lines (memories 1-48)"), (1, 48))
    (warning,) = of(life, shed=shed)["warnings"]
    assert warning.startswith("the next prompt has no room for memories 1-48, which no summary holds: ")
    assert why in warning
    assert of(life, shed=shed)["shed"] == ["2 hints", "48 oldest lines (memories 1-48)"]
    assert of(life, shed=Shed(("2 hints",), None))["warnings"] == []
    assert of(life)["shed"] is None


def test_a_lost_memory_that_was_folded_long_ago_is_warned_of(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    assert of(life)["warnings"] == []
    (path,) = sorted((tmp_path / "archive").glob("*.jsonl"))
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:9], b"{broken", *lines[10:]]))
    assert any("memory 10 cannot be read" in text for text in of(life)["warnings"])


def test_what_a_person_wrote_has_no_receipt(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(129)
    file = life.summary_file("recent")
    file.write_text(file.read_text().replace("My first memories", "I met a dragon, and my first memories"))
    life.memory.refresh()
    tier = next(one for one in of(life)["tiers"] if one["tier"] == "recent")
    assert (tier["method"], tier["retention"], tier["faithful"]) == ("edited", None, None)


def test_depth_is_warned_of_from_three_on(tmp_path: Path) -> None:
    life = Life(tmp_path)
    depths = []
    for _ in range(6):
        life.live(64 if life.memory.total else 129)
        found = of(life)
        depths.append(found["depth"])
        assert (found["depth_warning"] is not None) == (found["depth"] >= DEEP)
    assert depths[0] == 1
    assert depths[-1] >= DEEP
    assert "@rebuild-summaries" in found["depth_warning"]
    assert found["warnings"] == []


def test_the_last_fold_by_rules_costs_no_model_anything(tmp_path: Path) -> None:
    life = Life(tmp_path)
    assert of(life)["last_fold"] is None
    life.live(200)
    fold = of(life)["last_fold"]
    assert (fold["first"], fold["last"], fold["reason"], fold["method"]) == (66, 129, "automatic", "extractive")
    assert fold["saved_tokens"] == fold["source_tokens"] - fold["summary_tokens"] > 0
    assert (fold["spent_tokens"], fold["break_even_rounds"]) == (0, 0)


async def test_when_a_fold_pays_off_that_a_model_was_asked_for_is_told(tmp_path: Path) -> None:
    async def useless(prompt: str, profile: str) -> Completion:
        return reply("")

    life = lived(Life(tmp_path, model=useless), 129)
    assert await life.compactor.fold_now() is not None
    told = of(life)["last_fold"]
    assert (told["spent_tokens"], told["method"]) == (240, "extractive")
    assert told["break_even_rounds"] == -(-240 // told["saved_tokens"])


def test_skipped_folds_and_why_are_told(tmp_path: Path) -> None:
    found = of(Life(tmp_path), skipped=2, notice="it would save 3 tokens")
    assert (found["skipped"], found["notice"]) == (2, "it would save 3 tokens")


def test_an_archive_that_cannot_be_written_shows_what_waits_and_the_last_error(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(10)
    life.disk.full = True
    life.live(5)
    found = of(life)
    assert (found["total"], found["waiting"]) == (15, 5)
    assert found["immediate"] == {"first": 1, "last": 15}
    assert "cannot be written" in found["last_error"]
    assert found["gaps"] == []
    life.disk.full = False
    life.live(1)
    found = of(life)
    assert (found["waiting"], found["warnings"]) == (0, [])
    assert "cannot be written" in found["last_error"]


def test_the_archives_bytes_are_those_of_its_files(tmp_path: Path) -> None:
    life = lived(Life(tmp_path), 5000)
    taken = sum(path.stat().st_size for path in (tmp_path / "archive").glob("*.jsonl"))
    assert of(life)["archive"] == {"bytes": taken, "files": 2}


def test_settings_and_errors_from_outside_are_told(tmp_path: Path) -> None:
    found = of(Life(tmp_path), settings={"strategy": ("waterfall", "default")}, errors=["nobody answers"])
    assert found["settings"] == {"strategy": {"value": "waterfall", "from": "default"}}
    assert found["errors"] == ["nobody answers"]


def test_an_overlap_is_a_warning(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(300)
    tiers = life.memory._summaries._held  # a fault that nothing can bring about any more
    recent = tiers["recent"]
    tiers["recent"] = replace(recent, summary=replace(recent.summary, covers=(120, 193)))
    found = of(life)
    assert found["overlaps"] == [{"first": 120, "last": 129}]
    assert "memories 120-129 are shown twice" in found["warnings"]


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("lost", [5, 4090, 4097, 4500])
def test_a_gap_far_back_in_a_long_tail_is_found_though_nobody_reads_it(
    tmp_path: Path, lost: int, writable: bool
) -> None:
    life = lived(Life(tmp_path), 4096 + 2 * READ)
    rewrite(life, lambda line: "garbage" if f'"seq":{lost},' in line else line)
    life.start(writable)
    found = of(life)
    assert found["gaps"] == [{"first": lost, "last": lost}]
    assert any(f"memory {lost} cannot be read" in warning for warning in found["warnings"])
    assert found["immediate"] == {"first": 1, "last": 4096 + 2 * READ}


def test_of_a_long_tail_the_newest_are_weighed_and_the_others_taken_to_be_like_them(tmp_path: Path) -> None:
    life = lived(Life(tmp_path), 5 * READ)
    found = of(life)
    whole = sum(by_characters(entry.text) for entry in life.memory.read(1, 5 * READ))
    assert found["tokens"]["estimated"]
    assert abs(found["tokens"]["view"] - whole) <= 0.05 * whole
    assert found["tokens"]["band"] == "critical"
    assert abs(found["tiers"][-1]["chars"] - sum(len(e.text) for e in life.memory.read(1, 5 * READ))) < 5 * READ


@pytest.fixture(scope="module")
def long_life(tmp_path_factory: pytest.TempPathFactory) -> Life:
    """Return a life of a hundred thousand memories, opened to be read."""
    life = lived(Life(tmp_path_factory.mktemp("life")), 100_000)
    life.memory.close()
    life.start(writable=False)
    return life


@pytest.mark.parametrize("strategy", STRATEGIES.names())
def test_the_status_of_a_hundred_thousand_memories_comes_at_once(long_life: Life, strategy: str) -> None:
    life = long_life
    life.start(writable=False)
    life.set(strategy=strategy, auto_enabled=True)
    took = []
    for _ in range(3):
        began = time.process_time()
        found = of(life)
        took.append(time.process_time() - began)
    assert (found["total"], found["gaps"]) == (100_000, [])
    assert min(took) < 0.5


def test_holes_are_found() -> None:
    assert holes([(1, 5), (5, 9), (12, 20)], 25) == ([(10, 11), (21, 25)], [(5, 5)])


@given(st.lists(st.integers(1, 40), max_size=8), st.integers(0, 40))
def test_ranges_and_their_holes_account_for_every_memory(starts: list[int], total: int) -> None:
    ranges = [(start, min(total, start + 3)) for start in starts if start <= total]
    gaps, _ = holes(ranges, total)
    shown = {seq for first, last in ranges for seq in range(first, last + 1)}
    assert {seq for first, last in gaps for seq in range(first, last + 1)} == set(range(1, total + 1)) - shown


def test_coverage_is_in_order_with_the_runs_of_the_tail(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(300)
    view = life.memory.view()
    tail: tuple[Entry, ...] = tuple(entry for entry in view.tail if entry.seq != 200)
    assert coverage(replace(view, tail=tail)) == [(1, 129), (130, 193), (194, 199), (201, 300)]


def test_a_status_tells_how_often_an_agent_says_the_same_again_and_over_what(tmp_path: Path) -> None:
    life = Life(tmp_path)
    assert (of(life)["repetition_rate"], of(life)["repetition_over"]) == (None, None)
    life.remember(
        *(f'You say, "{words}"' for words in ("The pears are ripe.", "A heron!", "the pears are ripe")), kind="said"
    )
    life.remember('Moss says, "A heron!"')
    found = of(life)
    assert found["repetition_rate"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["repetition_over"] == {"lines": 3, "first": 1, "last": 4}
