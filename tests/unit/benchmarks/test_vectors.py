from __future__ import annotations

import json

import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.vectors import INDEXES, MEMORIES


def test_every_index_has_a_row_for_each_size_and_many_lives_open_no_more_files_in_files_of_their_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lives = 12
    assert main(["vectors", "--sizes", "50", "--lives", str(lives), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["index"], row["lives"], row["each"]) for row in rows] == [
        (name, *size) for name in INDEXES for size in ((1, 50), (lives, MEMORIES))
    ]
    matrix, many, chroma, many_chroma = (row["files"] for row in rows)
    assert many - matrix < lives < many_chroma - chroma
