from __future__ import annotations

from pathlib import Path

import pytest

from tests.settings import put
from tests.unit.benchmarks.running import record_of
from tests.vaults import copy_vault


def test_a_small_town_is_simulated_and_visited_coarse_and_exact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = copy_vault(tmp_path)
    put(vault, "thinking", coarse_from=0)
    few = ("--agents", 10, "--exact", 10, "--minutes", 20, "--exact-minutes", 20, "--seconds", 1)
    coarse, exact = record_of("scale", vault, capsys, *few)["towns"]
    assert (coarse["places"], coarse["exact"], exact["exact"]) == (2, False, True)
    assert 0 < 2 * coarse["simulated"]["lines_an_agent_hour"] < exact["simulated"]["lines_an_agent_hour"]
    for town in (coarse, exact):
        assert town["simulated"]["cpu_seconds_a_minute"] > 0
        assert town["visited"]["looks"] > 1
        assert 0 < town["visited"]["look_ms"]["p50"] <= town["visited"]["look_ms"]["p99"]
        assert 0 <= town["visited"]["stolen_share"] < 1
        assert 0 <= town["visited"]["start_stolen_share"] < 1
        assert town["visited"]["undisturbed_looks"] <= town["visited"]["looks"]
        calm = town["visited"]["undisturbed_look_ms"]
        assert calm is None or calm["p99"] <= town["visited"]["look_ms"]["p99"]
        assert town["visited"]["rss_mb"][0] > 10
        assert town["visited"]["files"][0] > 3
        assert town["visited"]["threads"][0] >= 1
