"""A folder or file that was copied has the id of the one it is a copy of: that one stays who it is."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from agents.compaction.status import report
from mud.command_line import main
from mud.server.wiring import opened
from mud.storage.world_files import STATE
from mud.world.roles import Role
from tests.houses import texts_of
from tests.processes import loci, memories
from tests.unit.mud.server.stage import edited
from tests.vaults import copy_vault, without_vectors

COPY = "backup of eliza"
TAKEN = f"agents/{COPY}/agent.md:2: id: '#2001' is taken by agents/eliza/agent.md"


def lived(tmp_path: Path) -> Path:
    """Return a vault in which Eliza has lived, and that was saved."""
    vault = without_vectors(copy_vault(tmp_path))
    with opened(vault, writable=True) as parts:
        eliza = parts.minds.get("Eliza")
        parts.engine.observe(parts.minds.observe)
        parts.engine.step(eliza.id, "say Before the copy.", Role.OWNER)
        parts.save()
    return vault


def copied(vault: Path, name: str = COPY) -> Path:
    """Copy Eliza's folder, as somebody who wants a backup does."""
    return shutil.copytree(vault / "agents/eliza", vault / "agents" / name)


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file in a folder."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def home_of_eliza(vault: Path) -> tuple[str, list[str]]:
    """Return the folder in which Eliza lives after a start that saves, and what is told of ids."""
    with opened(vault, writable=True) as parts:
        parts.save()
        told = [str(one) for one in parts.problems if one.key == "id"]
        return parts.minds.get("#2001").folder.name, told


def test_the_folder_that_the_state_knows_stays_the_agent_and_its_copy_is_told_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = lived(tmp_path)
    before = contents(copied(vault))
    for _ in range(2):
        with opened(vault, writable=True) as parts:
            eliza = parts.minds.get("Eliza")
            assert eliza.folder.name == "eliza"
            assert any(str(one).startswith(TAKEN) for one in parts.problems)
            parts.engine.observe(parts.minds.observe)
            parts.engine.step(eliza.id, "say After the copy.", Role.OWNER)
            assert any("After the copy." in text for text in texts_of(eliza))
            assert TAKEN in report(parts.minds.status(eliza))
            parts.save()
    assert contents(vault / "agents" / COPY) == before
    assert main(["check", "--vault", str(vault)]) == 1
    assert TAKEN in capsys.readouterr().out
    assert main(["status", "Eliza", "--vault", str(vault)]) == 0
    assert TAKEN in capsys.readouterr().out


def test_the_state_knows_whose_folder_it_is_whatever_the_two_are_called(tmp_path: Path) -> None:
    vault = lived(tmp_path)
    (vault / "agents/eliza").rename(vault / "agents/zz")
    assert home_of_eliza(vault) == ("zz", [])  # a folder that was renamed stays the agent
    shutil.copytree(vault / "agents/zz", vault / "agents/eliza")
    home, told = home_of_eliza(vault)
    assert home == "zz"
    assert told[0].startswith("agents/eliza/agent.md:2: id: '#2001' is taken by agents/zz/agent.md")


def test_a_copy_takes_nobodys_place_whose_own_file_cannot_be_read(tmp_path: Path) -> None:
    vault = lived(tmp_path)
    copied(vault)
    good = (vault / "agents/eliza/agent.md").read_bytes()
    (vault / "agents/eliza/agent.md").write_bytes(b"\xff\xfe no text")
    with opened(vault, writable=True) as parts:
        assert parts.minds.find("Eliza") is None
        assert any(str(one).startswith(TAKEN) for one in parts.problems)
        parts.save()
    (vault / "agents/eliza/agent.md").write_bytes(good)
    assert home_of_eliza(vault)[0] == "eliza"


def test_without_a_state_the_folder_called_as_the_agent_is_stays_it(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    copied(vault)
    home, told = home_of_eliza(vault)
    assert home == "eliza"
    assert told[0].startswith(TAKEN)


@pytest.mark.parametrize("older", ["aa", "bb"])
def test_without_a_state_and_a_name_the_older_archive_is_the_agents(tmp_path: Path, older: str) -> None:
    vault = lived(tmp_path)
    (vault / "agents/eliza").rename(vault / "agents/aa")
    shutil.copytree(vault / "agents/aa", vault / "agents/bb")
    (vault / STATE).unlink()
    shutil.rmtree(vault / "log")
    for slug in ("aa", "bb"):
        for file in (vault / "agents" / slug / "archive").iterdir():
            os.utime(file, (1000 + (slug != older),) * 2)
    home, told = home_of_eliza(vault)
    assert home == older
    assert len(told) == 1
    assert "agents/aa/agent.md" in told[0]
    assert "agents/bb/agent.md" in told[0]


async def test_a_copy_made_while_the_world_runs_is_told_at_once_and_at_every_reload(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        eliza = on.home.agent("Eliza")
        before = contents(copied(on.vault))
        on.noticed(f"agents/{COPY}/agent.md")
        assert any(TAKEN in one for one in on.told), on.told
        assert any(TAKEN in str(one) for one in on.reloading.everything())
        assert on.home.agent("#2001") is eliza
        assert contents(on.vault / "agents" / COPY) == before


async def test_a_copy_of_a_place_made_while_the_world_runs_takes_nothing_over(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        places = on.vault / "world/locations"
        text = (places / "the-library.md").read_text(encoding="utf-8")
        (places / "a library.md").write_text(text.replace("# The Library", "# A Copy"), encoding="utf-8")
        on.noticed("world/locations/a library.md")
        assert "world/locations/a library.md:2: id: #1003 is the id of world/locations/the-library.md too" in on.told[0]
        assert on.home.engine.world.things["#1003"].name == "The Library"
        (places / "the-library.md").write_bytes(b"\xff")  # also while its own file cannot be read
        on.noticed("world/locations/the-library.md")
        assert on.home.engine.world.things["#1003"].name == "The Library"


@pytest.mark.parametrize("saved", [True, False])
def test_of_two_world_files_with_one_id_the_known_one_stays(tmp_path: Path, *, saved: bool) -> None:
    vault = lived(tmp_path) if saved else copy_vault(tmp_path)
    places = vault / "world/locations"
    text = (places / "the-library.md").read_text(encoding="utf-8")
    name = "a-copy" if saved else "the library copy"  # the state knows better than any name
    (places / f"{name}.md").write_text(text.replace("# The Library", "# A Copy"), encoding="utf-8")
    for _ in range(2):
        with opened(vault, writable=True) as parts:
            assert parts.engine.world.things["#1003"].name == "The Library"
            wanted = f"world/locations/{name}.md:2: id: #1003 is the id of world/locations/the-library.md too"
            assert any(str(one).startswith(wanted) for one in parts.problems)
            parts.save()


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
