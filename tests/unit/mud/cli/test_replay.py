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


def test_json_is_one_object_with_the_hash_and_what_was_played(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--verify", "--json", "--vault", str(vault)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["same"], found["difference"], found["first"]) == (True, None, 1)
    assert found["state_hash"] == found["recorded_hash"]
    assert found["lines"] >= 20


def test_the_first_difference_ends_it_with_its_step_in_one_sentence(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = vault / "log/ledger-0000000001.jsonl"
    lines = ledger.read_text("utf-8").splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines, 1) if '"failed":false' in line and '"line":"' in line)
    lines[at - 1] = lines[at - 1].replace('"failed":false', '"failed":true')
    ledger.write_text("".join(lines), "utf-8")
    assert main(["replay", "--verify", "--vault", str(vault)]) == 1
    said = capsys.readouterr()
    assert said.err.startswith(f"loci: step {at} (")
    assert said.err.count("\n") == 1
    assert main(["replay", "--verify", "--vault", str(vault), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["difference"]["step"] == at


def test_without_verify_only_what_comes_of_it_is_compared(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--vault", str(vault)]) == 0
    assert "state_hash " in capsys.readouterr().out
    garden = vault / "world/locations/the-garden.md"
    garden.write_text(garden.read_text("utf-8") + "\nSwept.\n", "utf-8")
    assert main(["replay", "--vault", str(vault)]) == 1
    assert "--verify finds the first step" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["", "colour: [\n"])
def test_files_that_were_edited_or_have_a_mistake_since_are_named_with_what_to_do(
    vault: Path, capsys: pytest.CaptureFixture[str], wrong: str
) -> None:
    garden, new = vault / "world/locations/the-garden.md", vault / "world/items/rake.md"
    before = garden.read_text("utf-8")
    garden.write_text(before.replace("---\n", f"---\n{wrong}", 1) + "\nSwept.\n", "utf-8")
    new.write_text('---\nid: "#1950"\nlocation: "[[The Library]]"\n---\n# rake\n', "utf-8")
    (vault / "world/items/honey-cake.md").unlink()
    assert main(["replay", "--verify", "--vault", str(vault)]) == 1
    assert capsys.readouterr().err == (
        "loci: each step is as it was recorded, but files of the world are others now than after the last one: "
        "world/items/honey-cake.md, world/items/rake.md, world/locations/the-garden.md; mend what the command check "
        "names, then start the world once, which takes up the rest (--json has what differs)\n"
    )
    garden.write_text(before + "\nSwept.\n", "utf-8")
    assert main(["simulate", "--steps", "3", "--seed", "3", "--keep", "--vault", str(vault)]) == 0
    assert main(["replay", "--verify", "--vault", str(vault)]) == 0
