from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.compaction.settings import CompactionSettings
from agents.compaction.view import placeholder
from agents.llm.tokens import at_most
from agents.memory.entries import Entry, entry_from_record
from agents.memory.memory import View
from agents.memory.summaries import Summary
from tests.benchmarks._compaction import archive, micro
from tests.benchmarks._compaction.keeping import age_of, counted, in_window
from tests.benchmarks._compaction.made_up import LEAST, TOLD, made_up_life
from tests.benchmarks._compaction.watching import WatchTotals
from tests.benchmarks._recall.lives import BenchmarkLife, LifeQuestion
from tests.benchmarks._recall.scores import answered
from tests.settings import put
from tests.unit.benchmarks.recall.data import write_conversation, write_life
from tests.unit.benchmarks.running import record_of, run_bench
from tests.vaults import copy_vault, without_vectors

COUNT = at_most
SAID = 'Maud says, "The tide is in again."'
EACH = COUNT(SAID)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


def _same(folder: Path, memories: int, text: str = SAID, question: str = "Who speaks of the tide?") -> Path:
    """Write a life that says the same again and again, and what it is asked."""
    path = folder / "same.jsonl"
    record = {"at": "2026-03-01T07:00:00.000Z", "kind": "heard", "actor": "Maud", "text": text}
    path.write_text(f"{json.dumps(record)}\n" * memories, "utf-8")
    asked = {"kind": "central", "question": question, "answer_contains": ["Maud"], "evidence": [0, memories - 1]}
    path.with_name("same-questions.jsonl").write_text(json.dumps(asked) + "\n", "utf-8")
    return path


def _bench(vault: Path, *argv: object) -> int:
    return run_bench("compaction", vault, *argv)


def _record(vault: Path, capsys: pytest.CaptureFixture[str], *argv: object) -> dict[str, Any]:
    return record_of("compaction", vault, capsys, *argv)


def _strategies(vault: Path, capsys: pytest.CaptureFixture[str], *argv: object) -> dict[str, dict[str, Any]]:
    rows = _record(vault, capsys, "--parts", "strategies", *argv)["strategies"]
    return {row["strategy"]: row for row in rows}


def test_views_are_measured_after_every_single_memory(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = _strategies(vault, capsys, "--data", _same(tmp_path, 140), "--strategies", "waterfall,none,sliding_window")
    assert list(rows) == ["none", "sliding_window", "waterfall"]
    none, sliding, waterfall = rows.values()
    assert (none["view_peak"], none["view_mean"]) == (140 * EACH, round(EACH * 141 / 2))
    assert (sliding["view_peak"], sliding["view_mean"]) == (5 * EACH, round(EACH * (1 + 2 + 3 + 4 + 5 * 136) / 140))
    assert waterfall["view_peak"] == 128 * EACH  # at the 129th, 65 are folded
    assert [row["folds"] for row in rows.values()] == [0, 0, 1]
    assert [row["peak_of_budget"] for row in rows.values()] == [None, 1.0, 1.0]
    assert [row["over_budget"] for row in rows.values()] == [0, 0, 0]
    assert none["peak_of_window"] == round(140 * EACH / 8192, 4)


def test_what_a_fold_saves_and_would_cost_is_counted_by_hand_too(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = _strategies(vault, capsys, "--data", _same(tmp_path, 129), "--strategies", "none,waterfall")
    one = rows["waterfall"]
    made = 65 * EACH - one["saved_per_prompt"]  # the summary's length
    assert 0 < made < 65 * EACH
    assert one["would_spend_tokens"] == 65 * EACH + made  # both read and written
    assert one["break_even_if_paid"] == round(one["would_spend_tokens"] / one["saved_per_prompt"], 2)
    assert (one["calls"], one["spent_tokens"], one["break_even_rounds"]) == (0, 0, 0.0)
    none = rows["none"]
    assert (none["saved_per_prompt"], none["break_even_rounds"], none["break_even_if_paid"]) == (None, None, None)
    assert none["summary_bytes"] == 0
    assert one["summary_bytes"] > 0
    assert one["archive_bytes"] > none["archive_bytes"] > 129 * len(SAID)


def test_what_no_view_holds_any_more_recall_still_finds_with_every_strategy(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = _record(vault, capsys, "--data", write_life(tmp_path), "--parts", "strategies")
    assert (record["recall_as_without"], record["within_budget"], record["by"]) == (True, True, "words")
    kept = {row["strategy"]: row["kept"] for row in record["strategies"]}
    assert len(kept) == 9
    for one in kept.values():
        # The bowl is the seventh of forty memories; that somebody's cousin keeps bees nobody ever said.
        assert one["recall"] == {
            "found": 1,
            "by_kind": {"obscure": 1, "central": 0},
            "by_age": {"1": 1, "2": 0, "3": 0, "4": 0},
        }
        assert one["either"] == one["recall"]
    assert kept["none"]["view"]["found"] == 1
    assert kept["sliding_window"]["view"] == {
        "found": 0,
        "by_kind": {"obscure": 0, "central": 0},
        "by_age": {"1": 0, "2": 0, "3": 0, "4": 0},
    }


def test_a_view_over_its_budget_is_counted_and_told(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Four entries of 3,000 characters are below the gate of five, and over 8,000 characters from the third on.
    data = _same(tmp_path, 4, "Maud counts. " * 231)
    argv = ("--data", data, "--strategies", "entry_summary", "--parts", "strategies")
    record = _record(vault, capsys, *argv)
    (row,) = record["strategies"]
    assert (row["over_budget"], row["peak_of_budget"]) == (2, round(4 * 13 * 231 / 7999, 4))
    assert (record["within_budget"], record["recall_as_without"]) == (False, None)
    assert _bench(vault, *argv) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Over its budget: entry_summary." in told
    assert "as with none" not in told  # nobody lived without


def test_a_model_is_asked_only_when_it_is_asked_for_and_its_calls_and_tokens_are_counted(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(vault, "llm/summarizer", backend="scripted", model="Maud told me that the tide was in again.")
    data = _same(tmp_path, 129)
    rows = _strategies(vault, capsys, "--data", data, "--strategies", "waterfall", "--model")
    one = rows["waterfall"]
    assert (one["folds"], one["calls"]) == (1, 1)
    assert one["spent_tokens"] > 65 * 5
    assert one["break_even_rounds"] == round(one["spent_tokens"] / one["saved_per_prompt"], 2)
    without = _strategies(vault, capsys, "--data", data, "--strategies", "waterfall")["waterfall"]
    assert (without["calls"], without["spent_tokens"]) == (0, 0)


def test_a_model_that_does_not_answer_gives_no_figures(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(vault, "llm/summarizer", host="http://127.0.0.1:9")
    data = _same(tmp_path, 129)
    assert _bench(vault, "--data", data, "--strategies", "waterfall", "--parts", "strategies", "--model") == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "loci: the model did not answer: " in told.err


def test_masks_save_exactly_what_the_placeholders_are_shorter_by(vault: Path, tmp_path: Path) -> None:
    shapes = (micro.SHAPES[0], micro.SHAPES[1])
    small, many = micro.measure(vault, tmp_path / "cache", print, shapes, (100,))
    assert (small["looks"], small["masked"], small["saved_tokens"]) == (25, 0, 0)
    assert (many["looks"], many["masked"]) == (50, 40)  # all but ten, and those in blocks of five
    entries = [
        entry_from_record(one, seq, "2026-01-01T00:00:00.000Z", 0)
        for seq, one in enumerate(micro.records(shapes[1], 100), 1)
    ]
    results = [entry for entry in entries if entry.kind == "result"]
    assert {len(entry.text) for entry in results} == {600}
    assert many["whole_tokens"] == sum(COUNT(entry.text) for entry in entries)
    saved = sum(COUNT(entry.text) - COUNT(placeholder(entry, "listener")) for entry in results[:40])
    assert (many["saved_tokens"], many["masked_tokens"]) == (saved, many["whole_tokens"] - saved)


def test_the_sweep_folds_at_the_threshold_and_not_where_it_saves_too_little(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = _same(tmp_path, 100)
    argv = ("--data", data, "--parts", "threshold", "--thresholds", "900,9000", "--savings", "50,5000")
    low, dear, high, both = _record(vault, capsys, *argv)["threshold"]
    assert 900 < 100 * EACH < 2 * 900
    at = 900 // EACH + 1  # the memory with which the view takes more than 900 tokens; all up to it are folded
    assert (low["folds"], low["view_peak"]) == (1, 900 // EACH * EACH)
    made = at * EACH - low["saved_per_prompt"]
    assert low["would_spend"] == at * EACH + made
    assert low["break_even_rounds"] == round((at * EACH + made) / (at * EACH - made), 2)
    before, after = sum(range(at)) * EACH, sum(range(100 - at + 1)) * EACH
    assert low["view_mean"] == round((before + after + (100 - at + 1) * made) / 100)
    for row in (dear, high, both):
        assert row["folds"] == row["would_spend"] == 0
        assert (row["view_peak"], row["view_mean"]) == (100 * EACH, round(EACH * 101 / 2))
        assert (row["saved_per_prompt"], row["break_even_rounds"]) == (None, None)


def test_the_archive_is_measured_in_bytes_of_its_lines() -> None:
    short, longer = archive.measure(print, (50, 200), 129)
    line = Entry(1, "2026-01-01T00:00:00.000Z", "heard", "Egbert", "the Yard", "x" * 50).to_json()
    digits = 9 * 1 + 90 * 2 + 30 * 3 - 129  # what the numbers take beyond a digit each
    assert short["append_bytes"] == round(len(line) + 1 + digits / 129, 1)
    assert round(longer["append_bytes"] - short["append_bytes"], 1) == 150
    assert short["commits"] == 2
    assert longer["commit_file_bytes"] - short["commit_file_bytes"] == 64 * 150  # the memories it covers, once
    assert short["commit_line_bytes"] > 0
    assert all(one[key] > 0 for one in (short, longer) for key in ("append_us", "append_many_us", "commit_ms"))


def test_of_a_fold_that_was_never_made_there_is_no_figure() -> None:
    (row,) = archive.measure(print, (50,), 10)
    assert (row["commits"], row["commit_ms"], row["commit_line_bytes"], row["commit_file_bytes"]) == (0, *[None] * 3)
    cells = str(archive.table([row])).splitlines()[2].split("|")
    assert [cell.strip() for cell in cells[5:]] == ["-", "-", "-", ""]


def test_what_does_not_save_never_breaks_even() -> None:
    assert (WatchTotals().mean, WatchTotals().saved_per_prompt, WatchTotals().break_even(5)) == (0, None, None)
    assert WatchTotals(folds=2, saved=-10).break_even(5) is None
    assert WatchTotals(folds=2, saved=100).break_even(150) == 1.5


def test_a_fact_is_as_old_as_when_it_was_last_told() -> None:
    life = BenchmarkLife(
        [{"text": "x"}] * 8, [LifeQuestion("?", "central", ("0", "3")), LifeQuestion("?", "obscure", ("7",))]
    )
    assert [age_of(one, 8) for one in life.questions] == ["2", "4"]
    assert [age_of(LifeQuestion("?", "x", evidence), 8) for evidence in ((), ("9",), ("D1:3",))] == [None] * 3
    assert counted(life, [True, False]) == {
        "found": 1,
        "by_kind": {"central": 1, "obscure": 0},
        "by_age": {"1": 0, "2": 1, "3": 0, "4": 0},
    }


def test_of_a_view_a_prompt_shows_the_summaries_and_the_newest_that_fit() -> None:
    tail = tuple(Entry(seq, "", "heard", None, None, f"number {seq}") for seq in range(1, 6))
    view = View(None, Summary("recent", (1, 9), "a summary"), tail)
    assert in_window(view, 4, lambda text: len(text.split())) == ["a summary", "number 5"]
    assert in_window(replace(view, recent=None), 5, lambda text: len(text.split())) == ["number 4", "number 5"]


def test_a_made_up_life_is_the_same_for_the_same_seed_and_tells_every_fact() -> None:
    life = made_up_life(200, 7)
    assert life == made_up_life(200, 7)
    assert life != made_up_life(200, 8)
    assert len(life.records) == 200
    assert [sum(one.kind == kind for one in life.questions) for kind in ("central", "peripheral", "obscure")] == [4] * 3
    for question in life.questions:
        assert len(question.evidence) == (TOLD if question.kind == "central" else 1)
        for place in question.evidence:
            assert question.kind == "central" or answered(question.answer, [life.records[int(place)]["text"]])
    assert any(one["kind"] == "result" and len(one["text"]) > CompactionSettings().mask_chars for one in life.records)


def test_without_data_a_made_up_life_is_lived_and_the_tables_are_written_by_the_program(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- bench compaction made-up strategies -->\n<!-- end -->\nafter\n")
    before = {path: path.stat().st_mtime_ns for path in vault.rglob("*")}
    argv = ("--memories", 150, "--parts", "strategies", "--strategies", "none,hybrid", "--lexical", "--table", page)
    assert _bench(vault, *argv) == 0
    printed = capsys.readouterr()
    assert printed.out.strip() in page.read_text()
    assert page.read_text().startswith("before\n<!-- bench compaction made-up strategies -->\n| strategy ")
    assert page.read_text().endswith("\n<!-- end -->\nafter\n")
    assert "Recall found as much with every strategy as with none." in " ".join(printed.out.split())
    assert "strategy 2 of 2: none" in printed.err
    assert {path: path.stat().st_mtime_ns for path in vault.rglob("*")} == before


def test_data_is_lived_but_no_word_of_it_is_told(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _bench(vault, "--data", write_life(tmp_path), "--parts", "strategies", "--strategies", "waterfall") == 0
    printed = capsys.readouterr()
    for word in ("Maud", "Osric", "bowl", "bees"):
        assert word not in printed.out + printed.err


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["--data", "none.jsonl"], "none.jsonl cannot be read"),
        (["--memories", LEAST - 1], f"has no room for the facts; expected {LEAST} at least"),
        (["--memories", 50, "--table", "none.md"], "none.md cannot be read"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence_and_exit_code_1(
    vault: Path, argv: list[object], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _bench(vault, *argv) == 1
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert told.err.startswith("loci: ")
    assert why in told.err


def test_conversations_are_no_life(tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _bench(vault, "--data", write_conversation(tmp_path)) == 1
    assert "holds conversations; expected one life of JSON lines" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--strategies", "none,waterfal", "'waterfal' is wrong; expected some of "),
        ("--parts", "macro", "'macro' is wrong; expected some of strategies,micro,threshold,archive"),
        ("--thresholds", "5,0", "'0' is wrong; expected a whole number from 1 on"),
    ],
)
def test_a_name_or_number_that_there_is_not_is_wrong_usage(
    vault: Path, option: str, value: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _bench(vault, option, value) == 2
    assert why in capsys.readouterr().err
