"""Runs a bench as `python -m tests.benchmarks` does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.__main__ import main


def run_bench(name: str, vault: Path, *argv: object) -> int:
    """Run a bench with a vault's settings; return the exit code."""
    return main([name, *map(str, argv), "--vault", str(vault)])


def record_of(name: str, vault: Path, capsys: pytest.CaptureFixture[str], *argv: object) -> dict[str, Any]:
    """Run a bench and return the one JSON object that it prints."""
    assert run_bench(name, vault, *argv, "--json") == 0
    (line,) = capsys.readouterr().out.splitlines()
    record: dict[str, Any] = json.loads(line)
    return record
