from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.memory.entries import read_record
from tests.benchmarks._compaction.summaries import LIVES, WantedFact, faults_of, in_a_row, shares_of
from tests.unit.benchmarks.running import record_of, run_bench
from tests.vaults import copy_vault, without_vectors

STEPS = 700
"""Enough for a first fold of everybody in the simulation."""


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return without_vectors(copy_vault(tmp_path_factory.mktemp("summaries")))


def _bench(vault: Path, capsys: pytest.CaptureFixture[str], *argv: object) -> dict[str, Any]:
    return record_of("compaction", vault, capsys, "--parts", "summaries", "--steps", STEPS, *argv)


def test_every_life_has_a_row_for_each_summary_and_for_both_together(
    vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = _bench(vault, capsys, "--seed", 7)
    rows = {(row["life"], row["tier"]): row for row in record["summaries"]}
    assert {tier for _, tier in rows} == {"longterm", "recent", "both"}
    assert {life for life, _ in rows} == {"simulation", *(path.stem for path in LIVES.glob("*.jsonl"))}
    for row in rows.values():
        assert row["versions"] == 0 or row["chars"] > 50
        assert all(row[group] is None or 0 <= row[group] <= 1 for group in ("facts", "people", "promises"))
    scripted = rows["rosalind", "recent"]
    assert scripted["versions"] == 5
    assert min(scripted[group] for group in ("facts", "people", "promises")) > 0

    earlier = tmp_path / "before.json"
    earlier.write_text(json.dumps(record), "utf-8")
    assert run_bench("compaction", vault, "--parts", "summaries", "--steps", STEPS, "--before", earlier) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("| simulation, recent"))
    assert " / " in line  # another seed is another simulation


def test_what_is_no_record_of_summaries_is_not_compared_with(
    vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}", "utf-8")
    assert run_bench("compaction", vault, "--before", other) == 2
    assert "holds no such record" in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted(LIVES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_scripted_life_holds_memories_each_with_the_words_it_is_marked_with(path: Path) -> None:
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert sum(bool(record.get("facts")) for record in records) > 40
    for record in records:
        read_record(record)
        marked = [*record.get("facts", ()), *record.get("promise", ())]
        wanted = [WantedFact("facts", (in_a_row(word),), 1) for word in marked]
        assert shares_of(record["text"], wanted).get("facts", 1.0) == 1.0, record["text"]


def test_a_share_counts_what_is_held_whole_and_once() -> None:
    wanted = {
        WantedFact("people", (" anna ",), 1),
        WantedFact("people", (" bo ",), 1),
        WantedFact("facts", ("red", "door"), 2),
    }
    assert shares_of("Anna stood by the red wall.", wanted) == {"people": 0.5, "facts": 0.0}
    assert shares_of("The door that Bo painted red.", wanted) == {"people": 0.5, "facts": 1.0}


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ('I thought, "(memories 65, 68, 69)" and slept.', {"empty_quotations"}),
        ('Bo said, "" and left.', {"empty_quotations"}),
        ('Bo said, "the year was 1911 (memory 12)".', set()),
        ("Anna brushes dry earth from her cuffs.", {"own_name"}),
        ("Bo gave the lamp to Anna's cat.", {"own_name"}),
        ('I am Anna. Bo said, "Anna, come here." My name is Anna.', set()),
        ("I met Bo. It rained. I met Bo.", {"said_twice"}),
        ("I met Bo. I met Bob.", set()),
    ],
)
def test_faults_are_found_where_they_are_and_nowhere_else(text: str, faults: set[str]) -> None:
    assert faults_of(text, "Anna") == faults
