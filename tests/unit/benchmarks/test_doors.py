from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks._doors.remembered import Remembered, count, sentence
from tests.unit.benchmarks.running import record_of
from tests.vaults import copy_vault


def test_what_a_small_crowd_says_is_heard_remembered_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = record_of("doors", copy_vault(tmp_path), capsys, "--parts", "talk", "--clients", 3, "--seconds", 1)["talk"]
    assert found["says"] > 3
    assert found["memories"] == 3 * found["says"]
    assert found["missing"] == found["twice"] == found["heard_missing"] == 0
    assert found["echo_ms"]["p50"] > 0
    assert found["rss_mb"][0] > 10


def test_what_is_missing_and_what_is_there_twice_is_counted_in_the_fullest_archives(tmp_path: Path) -> None:
    for name, numbers in (("ann", (0, 1, 2)), ("ben", (0, 1, 1)), ("passer-by", (0,))):
        archive = tmp_path / "agents" / name / "archive"
        archive.mkdir(parents=True)
        (archive / "0000000001.jsonl").write_text("\n".join(sentence(7, number, "Hello.") for number in numbers))
    assert count(tmp_path, [(7, 0), (7, 1), (7, 2)], 2) == Remembered(6, 1, 1)
    assert count(tmp_path, [(7, 0)], 4).missing == 1
