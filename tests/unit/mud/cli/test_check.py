from __future__ import annotations

import json
from pathlib import Path

import pytest

from mud.command_line import main
from tests.processes import loci
from tests.settings import put
from tests.vaults import copy_vault, without_vectors


def test_a_vault_in_order_is_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--vault", str(copy_vault(tmp_path))]) == 0
    assert capsys.readouterr() == ("", "")


def test_every_mistake_is_named_with_file_line_and_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = copy_vault(tmp_path)
    for file, old, new in (
        ("config/world.md", "**line_limit**", "**line_limt**"),
        ("agents/moss/agent.md", "[[The Library]]", "[[The Libary]]"),
        ("prompts/summaries/narrative.md", "# Memories:\n{memories}", "# Memories:\n{memmories}"),
        ("config/memory_compaction.md", "**prompt_style**: base_v2", "**prompt_style**: base_v3"),
    ):
        text = (vault / file).read_text(encoding="utf-8")
        assert old in text
        (vault / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert main(["check", "--json", "--vault", str(vault)]) == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["file"] for one in found} == {
        "config/world.md",
        "config/memory_compaction.md",
        "agents/moss/agent.md",
        "prompts/summaries/narrative.md",
    }
    assert all(set(one) == {"file", "line", "key", "message"} for one in found)
    assert {one["key"] for one in found} >= {"line_limt", "location", "{memmories}", "prompt_style"}
    assert all(one["line"] > 0 for one in found)


def test_what_stops_the_world_is_a_problem_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = copy_vault(tmp_path)
    (vault / "world/state.md").write_text("---\nstep: many\n---\n", encoding="utf-8")
    assert main(["check", "--vault", str(vault)]) == 1
    assert "world/state.md:2: step: " in capsys.readouterr().out


def test_without_a_location_the_other_mistakes_are_told_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = copy_vault(tmp_path)
    for path in (vault / "world/locations").iterdir():
        path.unlink()
    for file, old, new in (
        ("config/world.md", "**line_limit**", "**line_limt**"),
        ("config/memory_compaction.md", "**profile**: summarizer", "**profile**: nosuch"),
        ("agents/moss/agent.md", "voice: ", "voice: no"),
        ("text/app.md", "{host}", "{hots}"),
    ):
        text = (vault / file).read_text(encoding="utf-8")
        assert old in text
        (vault / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert main(["check", "--json", "--vault", str(vault)]) == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["file"] for one in found} >= {
        "world/locations",
        "config/world.md",
        "config/memory_compaction.md",
        "agents/moss/agent.md",
        "text/app.md",
    }


def test_it_writes_nothing(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    main(["check", "--vault", str(vault)])
    assert {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()} == before


def test_a_line_of_an_archive_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = copy_vault(tmp_path)
    archive = vault / "agents/moss/archive"
    archive.mkdir()
    whole = '{"seq":%d,"at":"2026-11-20T07:21:37.123Z","kind":"told","text":"A pear fell.","source":1}\n'
    (archive / "0000000001.jsonl").write_text(whole % 1 + "{broken\n" + whole % 3 + '{"seq":4,')
    assert main(["check", "--vault", str(vault)]) == 1
    told = "this line cannot be read; expected one JSON object, with the number of a memory as seq or an event"
    assert capsys.readouterr().out == f"agents/moss/archive/0000000001.jsonl:2: {told}\n"


@pytest.mark.parametrize("followed", [True, False])
def test_links_that_are_followed_out_of_the_vault_are_named_and_are_no_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, followed: bool
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "vault", follow_links=str(followed).lower())
    (tmp_path / "elsewhere.md").write_text("# Elsewhere\n\nKept elsewhere.\n")
    (vault / "agents/eliza/notes").mkdir(exist_ok=True)
    (vault / "agents/eliza/notes/out.md").symlink_to(tmp_path / "elsewhere.md")
    (vault / "agents/eliza/notes/in.md").symlink_to(vault / "agents/moss/agent.md")
    told = "config/vault.md has follow_links: true, and what these links lead to is read: agents/eliza/notes/out.md -> "
    assert main(["check", "--vault", str(vault)]) == (0 if followed else 1)
    out, err = capsys.readouterr()
    expected = f"loci: {told}{tmp_path / 'elsewhere.md'}\n" if followed else ""
    assert err == expected
    assert ("agents/eliza/notes/out.md" in out) is not followed
    assert main(["status", "Eliza", "--json", "--vault", str(vault)]) == 0
    assert capsys.readouterr().err == expected
    assert loci("run", "--as", "Ann", "--no-agents", "--vault", vault).stderr.count(told) == followed
