from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.benchmarks.running import record_of
from tests.vaults import SHIPPED


@pytest.mark.torture
@pytest.mark.program("ray")
def test_ticks_and_recoveries_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    found = record_of("ray", Path(SHIPPED), capsys, "--batches", "1,5", "--minds", 10, "--kills", 1, "--ticks", 2)
    assert [(one["host"], one["minds"]) for one in found["ticks"]] == [
        (host, minds) for host in ("local", "process", "ray") for minds in (1, 5)
    ]
    assert [one["killed"] for one in found["back"]] == ["a host", "a node"]
    assert all(0 < one["lent_s"] <= one["acted_s"] for one in found["back"])
