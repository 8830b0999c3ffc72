from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mud.command_line import main
from mud.server.wiring import opened
from mud.storage.files import lock_vault
from mud.world.events import Perception
from tests.vaults import ROOT, copy_vault, without_vectors

PARTS = ("lexical", "vector", "neighbours", "who", "when", "answer", "echoed", "called", "recency", "importance")
SCORES = ("score", *PARTS)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    vault = without_vectors(copy_vault(tmp_path))
    with opened(vault, writable=True) as parts:
        eliza = parts.minds.get("Eliza")
        for number, text in enumerate(("The key is under the pot.", "A heron stood in the rain.", "Soup."), 1):
            eliza.memory.append([Perception(eliza.id, "saw", text)], "2026-01-01T00:00:00.000Z", number)
        eliza.notes.add("Heron", "It comes at dusk.", "2026-01-01T00:00:00.000Z", None, None)
    return vault


def _hits(out: str) -> list[dict[str, object]]:
    hits: list[dict[str, object]] = json.loads(out)["hits"]
    return hits


def test_a_hit_tells_its_number_and_every_part_of_its_score(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "Eliza", "where is the key?", "--json", "--vault", str(vault)]) == 0
    (hit,) = _hits(capsys.readouterr().out)[:1]
    assert set(hit) == {"seq", "kind", "text", "at", "times", *SCORES}
    assert (hit["seq"], hit["kind"], hit["text"]) == (1, "saw", "The key is under the pot.")


def test_the_parts_of_a_score_can_be_read(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "Eliza", "where is the key?", "--parts", "--lexical", "--vault", str(vault)]) == 0
    assert "lexical 1.000" in capsys.readouterr().out.splitlines()[2]


@pytest.mark.parametrize(("only", "kinds"), [("memories", {"saw"}), ("notes", {"note"}), ("summaries", set())])
def test_it_can_be_narrowed(vault: Path, only: str, kinds: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "Eliza", "heron", "--only", only, "--json", "--vault", str(vault)]) == 0
    assert {hit["kind"] for hit in _hits(capsys.readouterr().out)} == kinds


def test_no_more_than_k_are_told(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "Eliza", "heron key soup", "--k", "1", "--json", "--vault", str(vault)]) == 0
    assert len(_hits(capsys.readouterr().out)) == 1


def test_every_line_of_stdin_is_a_question_whatever_bytes_it_has(vault: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mud", "recall", "Eliza", "--json", "--lexical", "--vault", str(vault)],
        input=b"heron\n\n\xff\xfe key\n",
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONUTF8": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, second = [json.loads(line) for line in done.stdout.splitlines()]
    assert (first["query"], first["hits"][0]["kind"]) in (("heron", "saw"), ("heron", "note"))
    assert second["hits"][0]["seq"] == 1


def test_an_empty_question_is_refused(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "Eliza", " ", "--vault", str(vault)]) == 1
    assert "the question is empty" in capsys.readouterr().err


def test_a_question_without_words_finds_nothing_and_says_so(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "Eliza", "???", "--json", "--vault", str(vault)]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == {"query": "???", "hits": []}
    assert "there are no words to look for in ???" in said.err


def test_a_vault_in_use_is_answered_from_and_not_written_to(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(path for path in vault.rglob("*"))
    with lock_vault(vault):
        assert main(["recall", "Eliza", "heron", "--vault", str(vault)]) == 0
    said = capsys.readouterr()
    assert "heron stood in the rain" in said.out
    assert "words alone" in said.err
    assert sorted(path for path in vault.rglob("*")) == before
