from __future__ import annotations

import json

import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.memory import KEPT


def test_every_witness_has_a_price_for_each_thing_that_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--witnesses", "12", "--says", "20", "--together", "5", "--rounds", "1"]
    assert main(["memory", *small, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [row["kept"] for row in record["rows"]] == list(KEPT)
    nothing, archives, words, _ = (row["us"] for row in record["rows"])
    assert 0 < nothing < archives < words
