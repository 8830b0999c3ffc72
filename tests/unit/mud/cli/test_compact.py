from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mud.command_line import main
from mud.server.wiring import opened
from mud.world.events import Perception
from tests.vaults import copy_vault


def _lived(tmp_path: Path, count: int) -> Path:
    vault = copy_vault(tmp_path)
    with opened(vault, writable=True) as parts:
        eliza = parts.minds.get("Eliza")
        for number in range(1, count + 1):
            seen = Perception(eliza.id, "saw", f"Pear {number} fell in The Garden.")
            eliza.memory.append([seen], "2026-01-01T00:00:00.000Z", number)
    return vault


def test_the_record_of_a_fold_has_the_fields_of_the_seed_and_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = _lived(tmp_path, 100)
    assert main(["compact", "Eliza", "--json", "--vault", str(vault)]) == 0
    record = json.loads(capsys.readouterr().out)
    seed = "original_entries compacted_entries original_chars compacted_chars summary preserved_entries timestamp"
    assert set(f"{seed} used_llm compression_ratio range reason tokens retention seconds".split()) <= set(record)
    assert (record["range"], record["original_entries"], record["preserved_entries"]) == (
        {"first": 1, "last": 36},
        100,
        64,
    )
    assert record["used_llm"] is False


@pytest.mark.parametrize("count", [0, 10, 64])
def test_nothing_to_fold_is_an_empty_summary(tmp_path: Path, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    vault = _lived(tmp_path, count)
    assert main(["compact", "Eliza", "--json", "--vault", str(vault)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["summary"], record["range"], record["original_entries"]) == ("", None, count)
    assert record["preserved_entries"] == record["compacted_entries"] == count
    assert main(["compact", "Eliza", "--vault", str(vault)]) == 0
    assert capsys.readouterr().out.startswith("There is nothing to fold: ")


def test_a_fold_is_told_in_aligned_lines_with_the_summary_below(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = _lived(tmp_path, 100)
    assert main(["compact", "Eliza", "--vault", str(vault)]) == 0
    head, _, summary = capsys.readouterr().out.partition("\n\n")
    rows = dict(line.split("  ", 1) for line in head.splitlines())
    assert rows["Folded"].strip() == "memories 1-36, 64 stay word for word"
    assert rows["Written by"].strip() == "extractive"
    assert re.fullmatch(r"[\d,]+ became [\d,]+, \d+% less", rows["Characters"].strip())
    assert re.fullmatch(r"every later prompt [\d,]+ shorter; [\d,]+ spent, .+", rows["Tokens"].strip())
    assert re.fullmatch(r"\d+% of names, numbers, places and promises", rows["Kept"].strip())
    assert len({line.index(rows[line.split("  ")[0]].strip()) for line in head.splitlines()}) == 1
    with opened(vault, writable=False) as parts:
        recent = parts.minds.get("Eliza").memory.recent
        assert recent is not None
        assert summary.strip() == recent.text
