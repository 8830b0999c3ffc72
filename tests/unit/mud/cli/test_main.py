from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mud.cli import Tool, VectorProgress, emit, progress
from mud.command_line import NEEDED, check_packages, main
from mud.registry import load, plug_in_names
from tests.vaults import ROOT, copy_vault, without_vectors


@pytest.mark.parametrize(
    "argv",
    [
        ["dance"],
        ["run", "--web", "everywhere"],
        ["run", "--telnet", "0"],
        ["run", "--telnet-tls", "70000"],
        ["run", "--seconds", "soon"],
        ["simulate", "--steps", "x"],
        ["simulate", "--steps", "0"],
        ["simulate", "--steps", "-1"],
        ["--nonsense"],
        ["status"],
        ["recall", "Eliza", "key", "--k", "0"],
        ["recall", "Eliza", "key", "--k", "many"],
        ["recall", "Eliza", "key", "--only", "dreams"],
    ],
)
def test_wrong_usage_ends_with_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["status", "Nobody"],
        ["status", ""],
        ["compact", "Nobody"],
        ["remember", "Eliza", "no-such-file.jsonl"],
        ["run", "--seconds", "-1"],
        ["run", "--seconds", "nan"],
        ["run", "--as", "|"],
        ["--as", "|"],
    ],
)
def test_what_cannot_be_done_ends_with_1_and_one_line(
    tmp_path: Path, argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*argv, "--vault", str(copy_vault(tmp_path))]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("loci: ")
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_a_missing_vault_is_one_line_for_every_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    for argv in (
        ["status", "Eliza"],
        ["check"],
        ["check", "--json"],
        ["prompt", "Eliza"],
        ["recall", "Eliza", "x"],
        ["compact", "Eliza"],
    ):
        for folder in ("none", "empty"):
            assert main([*argv, "--vault", str(tmp_path / folder)]) == 1
            said = capsys.readouterr()
            assert (said.out, said.err.count("\n")) == ("", 1)
            assert said.err.startswith("loci: there is no vault in")


def test_a_file_in_the_way_is_one_line_and_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = copy_vault(tmp_path)
    (vault / "log").write_text("in the way")
    assert main(["compact", "Eliza", "--vault", str(vault)]) == 1
    assert capsys.readouterr().err.startswith("loci: ")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for name in ("run", *load("mud.cli", Tool, "command").names()):
        assert name in shown.split()


@pytest.mark.parametrize(
    ("argv", "usage"),
    [
        (["recall", "Eliza", "--k", "0"], "usage: python -m mud recall "),
        (["recall", "Eliza", "golden", "key"], "usage: python -m mud recall "),
        (["status"], "usage: python -m mud status "),
        (["--nonsense"], "usage: python -m mud run "),
    ],
)
def test_wrong_usage_of_a_command_shows_that_commands_own(
    argv: list[str], usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    assert capsys.readouterr().err.startswith(usage)


@pytest.mark.parametrize(
    "argv",
    [
        ["recall", "Eliza", "--k", "2", "golden key"],
        ["recall", "--k", "2", "Eliza", "golden key"],
        ["recall", "--k", "2", "Eliza", "--lexical", "golden key"],
        ["recall", "Eliza", "golden key", "--k", "2"],
    ],
)
def test_options_may_stand_between_the_arguments(
    argv: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    assert main([*argv, "--vault", str(vault)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "golden key"


def test_options_may_stand_before_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = str(copy_vault(tmp_path))
    assert main(["--vault", vault, "status", "eliza"]) == 0
    assert capsys.readouterr().out.startswith("Memory of Eliza")


def test_a_player_is_shown_no_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--json", "--vault", str(copy_vault(tmp_path))]) == 1
    assert "--headless" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv", [[], ["--help"], ["run"], *([name.replace("_", "-")] for name in plug_in_names("mud.cli"))]
)
def test_a_python_without_the_packages_is_told_so_in_one_line(argv: list[str]) -> None:
    without = subprocess.run(  # -S: nothing that was installed is found
        [sys.executable, "-S", "-m", "mud", *argv], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )
    assert without.returncode == 1
    assert without.stdout == ""
    assert without.stderr.startswith("loci: ")
    assert without.stderr.count("\n") == 1
    for wanted in ("frontmatter", "httpx", sys.executable, ".venv/bin/python -m mud", "make run"):
        assert wanted in without.stderr


def test_a_python_without_docstrings_is_told_so_in_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "-OO", "-m", "mud", "check"], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("loci: Python was told to drop docstrings (-OO, PYTHONOPTIMIZE=2)")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("limit", range(6, 19, 2))
def test_too_few_open_files_are_told_in_one_line(tmp_path: Path, limit: int) -> None:
    line = f'ulimit -n {limit}; exec "$0" -m mud run --no-agents --vault "$1"'
    done = subprocess.run(
        ["bash", "-c", line, sys.executable, str(without_vectors(copy_vault(tmp_path)))],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("loci: Too many open files")
    assert done.stderr.count("\n") == 1


def test_another_package_called_agents_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/__init__.py").write_text("")
    shadowed = subprocess.run(
        [sys.executable, "-P", "-m", "mud", "check"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
    )
    assert shadowed.returncode == 1
    assert shadowed.stderr.count("\n") == 1
    assert f"another package called agents, in {tmp_path / 'agents'}" in shadowed.stderr


def test_the_packages_that_are_looked_for_are_those_that_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(NEEDED) == sorted(re.split(r"[<>=]", wanted)[0] for wanted in project["dependencies"])


def test_where_all_is_installed_nothing_is_said() -> None:
    check_packages()


def test_a_record_is_one_line_in_any_script_and_progress_goes_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    emit({"name": "Ἑλένη", "text": "one\ntwo", "none": None})
    progress("half")
    said = capsys.readouterr()
    assert said.out.count("\n") == 1
    assert json.loads(said.out) == {"name": "Ἑλένη", "text": "one\ntwo", "none": None}
    assert "Ἑλένη" in said.out
    assert said.err == "half\n"


def test_every_command_says_what_it_does() -> None:
    for one in load("mud.cli", Tool, "command"):
        assert one.help


def test_how_far_the_vectors_are_is_said_at_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    said = VectorProgress()
    for done in range(21):
        said(done, 20)
    assert capsys.readouterr().err.splitlines() == [f"vectors: {done} of 20" for done in range(0, 21, 2)]


def test_vectors_that_are_all_there_are_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    said = VectorProgress()
    said(20, 20)
    assert capsys.readouterr().err == ""
