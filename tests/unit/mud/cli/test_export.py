from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mud.command_line import main
from mud.server.checks import check_vault
from mud.server.wiring import opened
from mud.simulation.figures import state_hash
from mud.simulation.run import SimulationPlan, simulate
from mud.storage.accounts import Account, AccountFiles
from mud.world.roles import Role
from tests.processes import Running, memories, texts
from tests.vaults import copy_vault, without_vectors


def exported(vault: Path, file: Path, *more: str) -> list[str]:
    """Export a vault; return the names in the file."""
    assert main(["export", str(file), *more, "--vault", str(vault)]) == 0
    with zipfile.ZipFile(file) as packed:
        assert packed.testzip() is None
        return packed.namelist()


def back(file: Path, vault: Path) -> Path:
    """Make a vault of what was exported."""
    assert main(["init", str(vault), "--from", str(file)]) == 0
    return vault


def hash_of(vault: Path) -> str:
    """Return the hash of a world and all lives in it."""
    with opened(vault, writable=True) as parts:
        return state_hash(parts.engine.world, parts.minds.opened())


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a vault in which something was lived through and folded."""
    vault = without_vectors(copy_vault(tmp_path_factory.mktemp("lived")))
    assert simulate(SimulationPlan(vault, 600, None, 1, keep=True), lambda text: None)["compactions"] > 0
    return vault


def test_a_vault_goes_out_and_comes_back_with_all_that_was_lived(lived: Path, tmp_path: Path) -> None:
    exported(lived, tmp_path / "it.zip")
    copy = back(tmp_path / "it.zip", tmp_path / "copy")
    assert check_vault(copy) == []
    kept = [path.relative_to(lived) for path in lived.rglob("*") if path.is_file() and ".index" not in path.parts]
    differ = [str(file) for file in kept if file.name != ".lock" and (lived / file).read_bytes() != _there(copy / file)]
    assert differ == []
    assert hash_of(copy) == hash_of(lived)


def _there(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def test_the_same_vault_gives_the_same_file(lived: Path, tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        exported(lived, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_accounts_stay_out_unless_they_are_asked_for_and_the_index_always(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    AccountFiles(vault).write(Account("Ann", Role.PLAYER, ""))
    (vault / ".index").mkdir()
    (vault / ".index/lexical.sqlite3").write_bytes(b"x")
    assert [name for name in exported(vault, tmp_path / "out.zip") if name.startswith(("accounts", ".index"))] == []
    with_them = exported(vault, tmp_path / "all.zip", "--accounts")
    assert [name for name in with_them if name.startswith(("accounts", ".index"))] == ["accounts/ann.json"]
    (file,) = back(tmp_path / "all.zip", tmp_path / "copy").glob("accounts/*")
    assert file.stat().st_mode & 0o077 == 0


def test_links_and_what_is_no_file_are_left_out_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = copy_vault(tmp_path)
    (tmp_path / "secret.md").write_text("no business of a vault")
    (vault / "world/items/secret.md").symlink_to(tmp_path / "secret.md")
    assert main(["export", str(tmp_path / "it.zip"), "--json", "--vault", str(vault)]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["left_out"] == ["world/items/secret.md"]
    with zipfile.ZipFile(tmp_path / "it.zip") as packed:
        assert "world/items/secret.md" not in packed.namelist()


def test_a_world_that_runs_is_exported_with_what_was_answered(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    world = Running(vault, "--as", "Ann", "--no-agents")
    for number in range(30):
        world.say(f"say plum {number}", f"plum {number}")
    exported(vault, tmp_path / "it.zip")
    world.say("say a pear", "a pear")
    assert world.terminate() == 0
    copy = back(tmp_path / "it.zip", tmp_path / "copy")
    with opened(copy, writable=True) as parts:
        assert parts.minds.find("Ann") is not None
    said = [text for text in texts(memories(copy, "ann")) if text.startswith("You say")]
    assert said == [f'You say, "plum {number}"' for number in range(30)]
    assert check_vault(copy) == []


@pytest.mark.parametrize(
    ("file", "vault", "told"),
    [
        ("there.zip", "vault", "is there already; expected a new name"),
        ("none/it.zip", "vault", "there is no folder"),
        ("vault/it.zip", "vault", "is inside a vault"),
        ("it.zip", "none", "there is no vault in"),
        ("it.zip", "there.zip", "there is no vault in"),
    ],
)
def test_where_nothing_can_be_exported_one_sentence_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, vault: str, told: str
) -> None:
    copy_vault(tmp_path)
    (tmp_path / "there.zip").write_bytes(b"mine")
    before = sorted(tmp_path.rglob("*"))
    assert main(["export", str(tmp_path / file), "--vault", str(tmp_path / vault)]) == 1
    said = capsys.readouterr().err
    assert (said.startswith("loci: "), told in said, said.count("\n")) == (True, True, 1)
    assert (sorted(tmp_path.rglob("*")), (tmp_path / "there.zip").read_bytes()) == (before, b"mine")


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "cannot be read"), (b"", "cannot be read as a zip"), (b"PK\3\4half", "cannot be read as")],
)
def test_half_an_archive_makes_no_vault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, told: str
) -> None:
    if content is not None:
        (tmp_path / "half.zip").write_bytes(content)
    assert main(["init", str(tmp_path / "new"), "--from", str(tmp_path / "half.zip")]) == 1
    assert told in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir() if path.name != "half.zip"] == []
