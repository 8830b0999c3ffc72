from __future__ import annotations

import json

import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.engine import LINES, RULES, costs_of, world_of


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_a_round_leaves_everything_where_it_was(lines: tuple[str, ...]) -> None:
    worlds = [world_of(3, 2, rules) for rules in RULES]
    before = [(dict(world.where), {one: list(held) for one, held in world.live.states.items()}) for world in worlds]
    assert all(cost.best > 0 for cost in costs_of(lines, worlds, 20, 3))
    assert [
        (dict(world.where), {one: list(held) for one, held in world.live.states.items()}) for world in worlds
    ] == before


def test_the_record_has_a_row_for_each_kind_of_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", "--steps", "20", "--rounds", "1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [row["line"] for row in record["rows"]] == [name for name in LINES for _ in RULES]
    assert all(row["best_us"] > 0 for row in record["rows"])
