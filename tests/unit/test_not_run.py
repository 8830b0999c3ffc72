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


PROBE = """
import pytest

@pytest.mark.program("a program that nobody has")
def test_it() -> None:
    raise AssertionError

def test_all_else() -> None:
    pass
"""


@pytest.mark.parametrize("spread", [[], ["-n", "2"]])
def test_what_needs_a_missing_program_is_left_out_and_named(tmp_path: Path, spread: list[str]) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *", encoding="utf-8")
    (tmp_path / "test_probe.py").write_text(PROBE, encoding="utf-8")
    options = ["-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), *spread]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith("not run here: ")]
    assert lines == ["not run here: test_probe.py::test_it (needs a program that nobody has)"]
