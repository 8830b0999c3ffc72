from __future__ import annotations

import json
from pathlib import Path

import pytest

from mud.command_line import main
from tests.processes import loci, memories
from tests.vaults import copy_vault, without_vectors


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("\u0415liza", "looks like 'Eliza'"),
        ("Ｅｌｉｚａ", "looks like 'Eliza'"),
        ("Thе Garden", "looks like 'The Garden'"),
        ("me", "means something else where a name is typed"),
        ("Everybody", "means something else where a name is typed"),
        ("north", "means something else where a name is typed"),
        ("El\u200biza", "all of them visible"),
        ("\u202eazilE", "all of them visible"),
        ("\u200b\u2060", "all of them visible"),
        ("\u3164", "all of them visible"),
        ("Eliza\ufe0f", "all of them visible"),
    ],
)
def test_nobody_comes_in_or_is_made_under_a_name_that_misleads(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str], name: str, why: str
) -> None:
    folders = sorted((vault / "agents").iterdir())
    done = loci("run", "--as", name, "--vault", vault)
    assert (done.returncode, done.stdout) == (1, "")
    assert why in done.stderr or "at least one letter" in done.stderr
    life = tmp_path / "life.jsonl"
    life.write_text('{"text": "One pear."}\n')
    assert main(["remember", name, str(life), "--create", "--vault", str(vault)]) == 1
    said = capsys.readouterr().err
    assert why in said or "at least one letter" in said
    assert sorted((vault / "agents").iterdir()) == folders


@pytest.mark.parametrize("name", ["Élise", "Ярослав", "نرگس‌بانو", "名前", "Lan"])
def test_a_name_in_any_script_may_come_in(tmp_path: Path, vault: Path, name: str) -> None:
    life = tmp_path / "life.jsonl"
    life.write_text('{"text": "One pear."}\n')
    assert main(["remember", name, str(life), "--create", "--vault", str(vault)]) == 0


def test_names_in_files_that_mislead_are_told_with_their_line_and_the_world_goes_on(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents, items = vault / "agents", vault / "world/items"
    for slug, id, name, aliases in (("other", 7001, "\u0415liza", "[]"), ("self", 7002, "Self", '["me"]')):
        (agents / slug).mkdir()
        (agents / slug / "agent.md").write_text(
            f'---\nid: "#{id}"\ntype: agent\naliases: {aliases}\nlocation: "[[The Garden]]"\n---\n\n# {name}\n', "utf-8"
        )
    (items / "fin.md").write_text('---\nid: "#7003"\n---\n\n\n# Brоnze Fin\n\nA fin.\n', "utf-8")
    (items / "all.md").write_text('---\nid: "#7004"\n---\n# All\n\nAll.\n', "utf-8")
    (items / "jug.md").write_text('---\nid: "#7005"\n---\n# Ju\u200bg\n\nA jug.\n', "utf-8")
    assert main(["check", "--json", "--vault", str(vault)]) == 1
    told = {
        (one["file"], one["line"], one["key"]): one["message"]
        for one in map(json.loads, capsys.readouterr().out.splitlines())
    }
    expected = {
        ("agents/other/agent.md", 8, ""): "looks like 'Eliza'",
        ("agents/self/agent.md", 8, ""): "'Self' is a word",
        ("agents/self/agent.md", 4, "aliases"): "'me' is a word",
        ("world/items/all.md", 4, "name"): "'All' is a word",
        ("world/items/jug.md", 4, "name"): "characters that nobody can see",
    }
    fins = [place for place in told if place[0].startswith("world/items/") and "Fin" in told[place]]
    assert len(fins) == 1
    assert {place: why in told.get(place, "") for place, why in expected.items()} == dict.fromkeys(expected, True)
    assert len(told) == len(expected) + 1
    life = tmp_path / "life.jsonl"
    life.write_text('{"text": "One pear."}\n')
    assert main(["remember", "#7001", str(life), "--vault", str(vault)]) == 0
    assert len(memories(vault, "other")) == 1
