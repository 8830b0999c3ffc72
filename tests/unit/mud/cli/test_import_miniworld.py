from __future__ import annotations

import asyncio
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agents.memory.entries import Hit
from mud.command_line import main
from mud.server.checks import check_vault
from mud.server.wiring import Parts, opened
from mud.storage.files import lock_vault
from tests.miniworlds import Fact, Made, file_name, make_miniworld
from tests.processes import memories, texts
from tests.vaults import copy_vault, without_vectors

ZONE = ("--zone", "Europe/Vienna")


def taken(old: Path, vault: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Import a vault of Miniworld; return the report."""
    assert main(["import-miniworld", str(old), *ZONE, "--no-wait", "--json", "--vault", str(vault)]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def files(vault: Path) -> dict[str, bytes]:
    """Return every file of a vault but the search index."""
    found = (path for path in sorted(vault.rglob("*")) if path.is_file() and ".index" not in path.parts)
    return {path.relative_to(vault).as_posix(): path.read_bytes() for path in found}


async def _found(parts: Parts, facts: list[Fact]) -> list[list[Hit]]:
    await parts.recall.start(vectors=False)
    try:
        asked = (
            parts.recall.search(parts.minds.get(one.who).id, f"where is the {one.query}?", 3, None) for one in facts
        )
        return [(await one)[0] for one in asked]
    finally:
        await parts.recall.stop()


def test_thirty_places_eight_lives_and_five_thousand_memories_are_taken_whole_and_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, vault = make_miniworld(tmp_path / "old"), tmp_path / "vault"
    report = taken(old.root, vault, capsys)
    assert report["read"] == {"locations": 30, "characters": 8, "memories": 5000, "notes": 16, "summaries": 52}
    assert {one["name"]: (one["read"], one["new"]) for one in report["lives"]} == {
        name: (count, count) for name, count in old.memories.items()
    }
    assert [sum(one[key] for one in report["lives"]) for key in ("notes", "summaries")] == [16, 52]
    assert len(list((vault / "world/locations").glob("*.md"))) == 30
    assert check_vault(vault) == []
    before = files(vault)
    again = taken(old.root, vault, capsys)
    assert {(one["new"], one["notes"], one["summaries"], one["compactions"]) for one in again["lives"]} == {
        (0, 0, 0, 0)
    }
    assert files(vault) == before
    with opened(vault, writable=True) as parts:
        found = asyncio.run(_found(parts, old.facts))
    missing = [one for one, hits in zip(old.facts, found, strict=True) if not any(one.told in hit.text for hit in hits)]
    assert (len(old.facts), missing) == (20, [])


@pytest.fixture
def old(tmp_path: Path) -> Made:
    return make_miniworld(tmp_path / "old", locations=6, memories=1200, facts=4)


def _body(path: Path) -> str:
    return path.read_text("utf-8").partition("# Memory\n\n")[2].rstrip("\n")


def test_every_memory_is_there_word_for_word_in_its_order(
    tmp_path: Path, old: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    taken(old.root, tmp_path / "vault", capsys)
    written = [_body(path) for path in sorted((old.root / "agents/Ada/memories").iterdir())]
    plain = [text.rpartition("\n\n❌ ")[2] for text in written]
    records = memories(tmp_path / "vault", "ada")
    assert texts(records) == plain
    assert [record["seq"] for record in records] == list(range(1, len(plain) + 1))
    failed = next(record for record in records if record["failed"])
    assert failed["reason"].startswith("to see ")
    assert records[0]["at"] == "2025-10-12T14:09:51.000Z"


def test_a_profile_that_was_cut_off_and_names_in_any_script_are_whole(
    tmp_path: Path, old: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    taken(old.root, tmp_path / "vault", capsys)
    with opened(tmp_path / "vault", writable=False) as parts:
        assert "You keep what you are told." in parts.minds.get("Esme").definition.profile
        assert [name for name in old.memories if parts.minds.find(name) is None] == []
        note = parts.minds.get("Grün & Co.").notes.read("Odd: Title?")
    assert note is not None
    assert note.text.index("The second, with") < note.text.index("The first.")  # the newest entry comes first


def test_the_old_vault_is_kept_byte_for_byte(tmp_path: Path, old: Made, capsys: pytest.CaptureFixture[str]) -> None:
    report = taken(old.root, tmp_path / "vault", capsys)
    with zipfile.ZipFile(tmp_path / "vault" / report["kept"]) as kept:
        assert {name: kept.read(name) for name in kept.namelist()} == files(old.root)


def test_what_is_in_the_vault_already_stays_and_only_what_is_new_is_added(
    tmp_path: Path, old: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    shipped = files(vault)
    taken(old.root, vault, capsys)
    lived = [path for path in shipped if not path.startswith("agents/") or path.endswith("agent.md")]
    assert [path for path in lived if files(vault)[path] != shipped[path]] == []
    late = old.root / "agents" / file_name("Ben Thorne") / "memories/20261001-090000-memory.md"
    late.write_text('---\ntype: memory\n---\n# Memory\n\nYou say, "At last."\n', "utf-8")
    report = taken(old.root, vault, capsys)
    assert {one["name"]: one["new"] for one in report["lives"] if one["new"]} == {"Ben Thorne": 1}
    assert texts(memories(vault, "ben-thorne"))[-1] == 'You say, "At last."'


def test_what_cannot_be_read_is_told_and_the_rest_is_taken(
    tmp_path: Path, old: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    (old.root / "agents/Ada/memories/20250101-000000-memory.md").write_bytes(b"\xff\xfe\xff")
    (old.root / "agents/Ada/memories/20250101-000001-memory.md").write_text("---\ntype: memory\n---\n# Memory\n\n")
    report = taken(old.root, tmp_path / "vault", capsys)
    told = [one["file"] for one in report["skipped"] if one["file"].startswith("agents/Ada/memories/")]
    assert told == [f"agents/Ada/memories/20250101-00000{number}-memory.md" for number in range(2)]
    assert report["lives"][0]["new"] == old.memories["Ada"]


@pytest.mark.parametrize(
    ("folder", "vault", "told"),
    [
        ("none", "new", "none is no vault of Miniworld; expected world/locations or agents in it"),
        ("file", "new", "file is no vault of Miniworld"),
        ("vault", "new", "vault is no vault of Miniworld"),
        ("old", "file", "there is no vault in"),
        ("old", "none/new", "there is no folder"),
        ("old", "old/new", "a vault needs a place of its own"),
        ("old", "old", "are the same folder, or one in the other"),
        ("old", "vault", "is in use by process"),
    ],
)
def test_bad_input_is_told_in_one_sentence_and_makes_nothing(
    tmp_path: Path, old: Made, capsys: pytest.CaptureFixture[str], folder: str, vault: str, told: str
) -> None:
    copy_vault(tmp_path)
    (tmp_path / "file").write_text("mine")
    with lock_vault(tmp_path / "vault"):
        before = files(tmp_path)
        assert main(["import-miniworld", str(tmp_path / folder), "--vault", str(tmp_path / vault)]) == 1
        assert files(tmp_path) == before
    said = capsys.readouterr().err
    assert told in said
    assert (said.startswith("loci: "), said.count("\n")) == (True, 1)
    assert not (tmp_path / "new").exists()


def test_an_import_that_was_broken_off_goes_on(tmp_path: Path, old: Made, capsys: pytest.CaptureFixture[str]) -> None:
    half = tmp_path / "half"
    shutil.copytree(old.root, half)
    for path in sorted((half / "agents").glob("*/memories/*"))[::3]:
        path.unlink()
    taken(half, tmp_path / "vault", capsys)
    taken(old.root, tmp_path / "vault", capsys)
    for name, count in old.memories.items():
        with opened(tmp_path / "vault", writable=False) as parts:
            assert parts.minds.get(name).memory.total == count
