from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks._recall.speed import FRESH
from tests.unit.benchmarks.recall.data import write_conversation, write_life
from tests.unit.benchmarks.running import record_of, run_bench
from tests.vaults import copy_vault, without_vectors


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


@pytest.fixture
def hashing(tmp_path: Path) -> Path:
    vault = copy_vault(tmp_path)
    config = vault / "config/recall.md"
    config.write_text(config.read_text("utf-8").replace("**embedder**: minilm", "**embedder**: hashing"), "utf-8")
    return vault


def _bench(vault: Path, *argv: object) -> int:
    return run_bench("recall", vault, *argv)


def _record(vault: Path, capsys: pytest.CaptureFixture[str], *argv: object) -> dict[str, Any]:
    return record_of("recall", vault, capsys, *argv)


TIMES = {"p50_ms", "p95_ms", "fill_seconds", "seconds"}


def test_a_conversation_is_lived_asked_in_every_way_and_scored(
    tmp_path: Path, hashing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, cache = write_conversation(tmp_path), tmp_path / "cache"
    record = _record(hashing, capsys, "--data", data, "--cache", cache)
    assert (record["lives"], record["memories"], record["questions"], record["left_out"]) == (1, 4, 2, 1)
    # Every turn is among the first five of four, but for the evidence that names none.
    assert record["turns"] == {"5": 0.75, "10": 0.75, "40": 0.75}
    assert record["sessions"] == {"10": 0.75}
    assert list(record["tokens"]) == ["256", "721", "2000", "7000"]
    assert record["by_category"]["4"]["turns"]["5"] == 1.0
    assert list(record["by_category"]) == ["1", "4"]
    assert set(record["arms"]) == {"recall", "words", "vectors", "window", "chroma", "bm25"}
    assert record["arms"]["chroma"]["turns"]["5"] == 0.75
    assert (cache / "embeddings.sqlite3").stat().st_size > 0
    again = _record(hashing, capsys, "--data", data, "--cache", cache)
    assert {key: again[key] for key in again.keys() - TIMES} == {key: record[key] for key in record.keys() - TIMES}


def test_a_life_is_lived_and_its_answers_are_looked_for(
    tmp_path: Path, hashing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = _record(hashing, capsys, "--data", write_life(tmp_path))
    assert (record["data"], record["memories"], record["questions"], record["found"]) == ("life", 40, 2, 1)
    assert record["by_kind"] == {"obscure": 1, "central": 0}
    assert record["missed"] == [2]
    assert set(record["arms"]) == {"recall", "memories", "words", "vectors", "window", "chroma", "bm25"}
    assert record["arms"]["memories"]["evidence"] == 1
    assert record["arms"]["window"]["found"] == 0


def test_without_vectors_it_goes_by_words_alone(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = _record(vault, capsys, "--data", write_conversation(tmp_path))
    assert record["embedder"] == "none"
    assert set(record["arms"]) == {"recall", "words", "window", "bm25"}


def test_one_may_ask_in_some_ways_alone_but_always_by_recall(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = _record(vault, capsys, "--data", write_conversation(tmp_path), "--arms", "window", "chroma")
    assert set(record["arms"]) == {"recall", "window"}


def test_the_tables_are_written_by_the_program_and_hold_no_word_of_the_data(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, details = tmp_path / "page.md", tmp_path / "details.jsonl"
    page.write_text("before\n<!-- bench recall locomo -->\n<!-- end -->\nafter\n")
    data = write_conversation(tmp_path)
    assert _bench(vault, "--data", data, "--table", page, "--details", details) == 0
    printed = capsys.readouterr()
    assert printed.out.strip() in page.read_text()
    assert page.read_text().startswith("before\n<!-- bench recall locomo -->\n| asked by ")
    assert page.read_text().endswith("\n<!-- end -->\nafter\n")
    lines = [json.loads(line) for line in details.read_text().splitlines()]
    assert len(lines) == 4 * 2
    assert lines[0] | {"ranks": None} == {
        "arm": "recall",
        "life": 1,
        "question": 1,
        "category": "4",
        "turns": {"5": 1.0, "10": 1.0, "40": 1.0},
        "sessions": {"10": 1.0},
        "tokens": {"256": 1.0, "721": 1.0, "2000": 1.0, "7000": 1.0},
        "ranks": None,
    }
    for word in ("Maud", "Osric", "kiln", "boat", "bees"):
        assert word not in page.read_text() + details.read_text() + printed.out + printed.err


def test_the_vault_that_lends_its_settings_stays_as_it_is(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.stat().st_mtime_ns for path in vault.rglob("*")}
    assert _bench(vault, "--data", write_conversation(tmp_path)) == 0
    assert {path: path.stat().st_mtime_ns for path in vault.rglob("*")} == before


def test_a_page_without_a_place_for_the_table_is_said_before_anything_is_lived(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing")
    assert _bench(vault, "--data", write_conversation(tmp_path), "--table", page) == 1
    told = capsys.readouterr().err
    assert told.startswith("loci: ")
    assert "has no place for the table: expected the line <!-- bench recall locomo -->" in told
    assert "memories" not in told


@pytest.mark.parametrize("argv", [["--data", "none.json"], ["--data", "README.md"], ["--memories", "10"]])
def test_what_cannot_be_measured_is_one_sentence_and_exit_code_1(
    tmp_path: Path, argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _bench(tmp_path / "nowhere", *argv) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("loci: ")
    assert told.err.count("\n") == 1


def test_made_up_lives_are_filled_asked_and_timed(
    tmp_path: Path, hashing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = _record(hashing, capsys, "--lives", 2, "--memories", 20, "--seed", 7)
    assert (record["lives"], record["memories"], record["seed"]) == (2, 20, 7)
    assert record["lexical_per_second"] > 0
    assert record["p50_ms"] <= record["p95_ms"] <= record["p99_ms"]
    assert set(record["queries"]) == {"both", "words"}
    assert 500 < record["embedded"] < FRESH  # so many say something new; what such a world says all day they repeat
    assert record["embedded_per_second"] > 0
    assert set(record["blocked_ms"]) == {"filling words", "filling vectors", "asking", "adding"}
    assert all(record["blocked_cpu_ms"][what] <= longest for what, longest in record["blocked_ms"].items())
    assert record["rss_mb"]["parent"] > 10
    assert record["rss_mb"]["child"] > 10


def test_without_vectors_nothing_is_embedded_and_no_speed_of_it_is_told(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = _record(vault, capsys, "--lives", 1, "--memories", 10)
    assert (record["embedder"], record["embedded"], record["embedded_per_second"]) == ("none", 0, None)


def test_a_size_that_is_no_number_is_wrong_usage(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _bench(vault, "--memories", "0") == 2
    assert "'0' is wrong; expected a whole number from 1 on" in capsys.readouterr().err


def test_conversations_are_grouped_into_long_memories_with_bm25_beside(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_conversation(tmp_path)
    record = _record(vault, capsys, "--data", data, "--grouped", "2-2")
    assert (record["grouped"], record["memories"], record["questions"]) == ("2-2", 3, 2)
    assert record["arms"]["bm25"]["turns"]["5"] == record["turns"]["5"] == 0.75
    assert _bench(vault, "--data", write_life(tmp_path), "--grouped") == 1
    assert "--grouped is for conversations" in capsys.readouterr().err
