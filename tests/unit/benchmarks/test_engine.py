from __future__ import annotations

import json

import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.engine import LINES, cost_of, world_of


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_a_round_leaves_everything_where_it_was(lines: tuple[str, ...]) -> None:
    world = world_of(3, 2, 0)
    before = dict(world.where)
    assert cost_of(lines, world, 20, 3).best > 0
    assert dict(world.where) == before


def test_the_record_has_a_row_for_each_kind_of_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", "--steps", "20", "--rounds", "1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [row["line"] for row in record["rows"]] == list(LINES)
    assert all(row["best_us"] > 0 for row in record["rows"])
