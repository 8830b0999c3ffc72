from __future__ import annotations

import json
from pathlib import Path

import pytest

from mud.command_line import main
from tests.vaults import copy_vault, without_vectors

FIELDS = [
    "seed", "agents", "steps", "world_seconds", "wall_seconds", "commands", "events", "memories", "thoughts",
    "compactions", "repetition_rate", "rss_mb", "state_hash",
]  # fmt: skip
"""What the design names, in its order."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


def _simulate(vault: Path, *argv: str) -> int:
    return main(["simulate", "--vault", str(vault), *argv])


def test_json_is_one_object_with_what_the_design_names_first(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _simulate(vault, "--steps", "60", "--agents", "6", "--seed", "7", "--json") == 0
    said = capsys.readouterr()
    (line,) = said.out.splitlines()
    record = json.loads(line)
    assert list(record)[: len(FIELDS)] == FIELDS
    assert (record["seed"], record["agents"], record["steps"]) == (7, 6, 60)
    assert 0 < record["commands"] <= 60
    assert record["world_seconds"] > 0
    assert "steps: 60 of 60" in said.err


def test_without_json_it_is_a_line_for_each_figure_in_columns(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _simulate(vault, "--steps", "30", "--seed", "7") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines][: len(FIELDS)] == FIELDS
    assert len({line.index(line.split()[1], len(line.split()[0])) for line in lines}) == 1


def test_without_a_seed_it_draws_one_and_says_which(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hashes = []
    assert _simulate(vault, "--steps", "30", "--json") == 0
    first = json.loads(capsys.readouterr().out)
    for seed in (first["seed"], first["seed"]):
        assert _simulate(vault, "--steps", "30", "--json", "--seed", str(seed)) == 0
        hashes.append(json.loads(capsys.readouterr().out)["state_hash"])
    assert hashes == [first["state_hash"]] * 2


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["--steps", "5", "--agents", "3"], "the vault has 4 agents of its own"),
        (["--steps", "5", "--agents", "-1"], "the vault has 4 agents of its own"),
        (["--steps", "5", "--agents", "100000"], "newcomers; expected 99996 at least"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line(
    vault: Path, capsys: pytest.CaptureFixture[str], argv: list[str], why: str
) -> None:
    assert _simulate(vault, *argv) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("loci: ")
    assert why in said.err


def test_a_vault_that_is_none_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _simulate(tmp_path / "nowhere", "--steps", "5") == 1
    assert "there is no vault in" in capsys.readouterr().err
    (tmp_path / "world").mkdir()
    assert _simulate(tmp_path, "--steps", "5") == 1
    assert "it lacks any of agents/, config/, instinct/, prompts/, text/" in capsys.readouterr().err
    (tmp_path / "agents").mkdir()
    assert _simulate(tmp_path, "--steps", "5") == 1
    assert "there is no location" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [[], ["--steps", "many"], ["--steps", "5", "--seed", "x"]])
def test_wrong_usage_is_exit_code_two(vault: Path, capsys: pytest.CaptureFixture[str], argv: list[str]) -> None:
    assert _simulate(vault, *argv) == 2


@pytest.mark.parametrize("steps", ["0", "-5", "x", "1.5", ""])
def test_steps_that_are_none_are_wrong_usage(vault: Path, capsys: pytest.CaptureFixture[str], steps: str) -> None:
    assert _simulate(vault, "--steps", steps) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.endswith(f"error: argument --steps: {steps!r} is wrong; expected a whole number from 1 on")
