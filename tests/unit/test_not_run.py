"""A check that cannot be run on a machine is told, never passed over in silence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.syscalls import TRACED, Spec, can_trace, tracer
from tests.vaults import ROOT


@pytest.mark.parametrize(("asked", "told"), [("tests/live", True), ("tests/unit/mud/test_clock.py", False)])
def test_what_needs_ptrace_is_named_where_there_is_none(tmp_path: Path, asked: str, told: bool) -> None:
    # What is traced already cannot be traced once more.
    traced = tracer(Spec(str(tmp_path / "nothing"), str(tmp_path / "calls"))) if can_trace() else []
    command = [*traced, sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", asked]
    command.append("--ignore-glob=*/test_[!f]*")  # reading the others takes long
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("not run here: ")]
    assert len(lines) == told, done.stdout
    assert all(f"tests/live/{file}" in line for line in lines for file in TRACED)
    assert not any(f"{file}::" in done.stdout for file in TRACED)
