from __future__ import annotations

import json
from pathlib import Path

import pytest

from mud.command_line import main
from tests.vaults import copy_vault, without_vectors


@pytest.fixture
def vault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    vault = without_vectors(copy_vault(tmp_path))
    assert main(["simulate", "--steps", "20", "--seed", "3", "--keep", "--vault", str(vault)]) == 0
    capsys.readouterr()
    return vault


def test_a_vault_is_branched_and_rewound_and_compared(
    vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now, then = str(tmp_path / "now"), str(tmp_path / "then")
    assert main(["branch", now, "--vault", str(vault)]) == 0
    assert main(["branch", then, "--step", "8", "--json", "--vault", str(vault)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{now} is a vault at step ")
    assert json.loads(second)["step"] == 8
    assert main(["diff", str(vault), now]) == 0
    assert capsys.readouterr().out.startswith("they are the same up to step ")
    assert main(["diff", str(vault), then]) == 1
    said = capsys.readouterr().out
    assert said.startswith("they are the same up to step 8; ")
    assert f", only in {vault}: " in said
    assert main(["diff", str(vault), then, "--json"]) == 1
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"parting", "memory"} <= {record["kind"] for record in records}


def test_a_place_that_is_taken_or_a_step_that_is_none_is_an_error_in_one_sentence(
    vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["branch", str(vault), "--vault", str(vault)]) == 1
    assert main(["branch", str(tmp_path / "then"), "--step", "5000", "--vault", str(vault)]) == 1
    assert capsys.readouterr().err.count("\n") == 2
    assert main(["branch", str(tmp_path / "then"), "--step", "none", "--vault", str(vault)]) == 2
    assert not (tmp_path / "then").exists()


def test_vaults_that_have_nothing_in_common_say_so(
    vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path / "empty")]) == 0
    capsys.readouterr()
    assert main(["diff", str(vault), str(tmp_path / "empty")]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("they have no step in common; ")
    assert any(line.startswith("Eliza (#2001): only in ") for line in said)
