from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agents.recall.recall import FOLDER, LEXICAL
from mud.command_line import main
from mud.storage.files import lock_vault
from tests.settings import put
from tests.vaults import copy_vault


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with a life, indexed by words and vectors."""
    vault = copy_vault(tmp_path)
    put(vault, "recall", embedder="hashing")
    life = tmp_path / "life.jsonl"
    # So long ago that how recent it is does not change from one question to the next.
    told = [{"text": f"The bell rang {number} times.", "at": "2001-01-01T00:00:00Z"} for number in range(40)]
    life.write_text("\n".join(json.dumps(one) for one in told))
    assert main(["remember", "Eliza", str(life), "--vault", str(vault)]) == 0
    return vault


def _found(vault: Path, capsys: pytest.CaptureFixture[str]) -> object:
    capsys.readouterr()
    assert main(["recall", "Eliza", "bells 17", "--json", "--vault", str(vault)]) == 0
    return json.loads(capsys.readouterr().out)


def _tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {row[0] for row in db.execute("SELECT name FROM sqlite_master")}


def test_an_index_made_anew_answers_alike(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = _found(vault, capsys)
    assert main(["reindex", "--json", "--vault", str(vault)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["memories"], told["vectors"]) == (40, True)
    assert told["agents"] > 1
    assert _found(vault, capsys) == before


def test_a_broken_index_is_made_anew_and_what_was_embedded_kept(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, cache = _found(vault, capsys), vault / FOLDER / "embeddings.sqlite3"
    (vault / FOLDER / LEXICAL).write_bytes(b"broken")
    with closing(sqlite3.connect(cache)) as db:
        db.execute("CREATE TABLE mark (of TEXT)")
    assert main(["reindex", "--vault", str(vault)]) == 0
    assert "40 memories of" in capsys.readouterr().out
    assert "mark" in _tables(cache)
    assert main(["reindex", "--embed", "--vault", str(vault)]) == 0
    assert "mark" not in _tables(cache)
    assert _found(vault, capsys) == before


def test_a_vault_in_use_is_left_alone(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with lock_vault(vault):
        assert main(["reindex", "--vault", str(vault)]) == 1
    assert "in use" in capsys.readouterr().err
    assert (vault / FOLDER / LEXICAL).stat().st_size > 0
