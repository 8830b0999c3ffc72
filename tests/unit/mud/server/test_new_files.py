"""A file that somebody has just made: told apart from those that were there, and left as it is until it is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from mud.server.checks import check_files
from mud.server.wiring import opened
from tests.unit.mud.server.stage import edited
from tests.vaults import copy_vault

WRONG = {
    "world/items/a.md": "---\nwight: 3\n---\n# Anvil\n\nAn anvil.\n",
    "world/items/b.md": '---\nlocation: "[[Nowhere At All]]"\n---\n# Bell\n\nA bell.\n',
    "world/items/c.md": "# Ju\u200bg\n\nA jug.\n",
    "world/items/d.md": "# me\n\nA me.\n",
    "world/items/e.md": "# Bronze Fin\n\nAnother fin.\n",
    "agents/xa/agent.md": '---\ntype: agent\nlocation: "[[Nowhere]]"\n---\n# Xa\n',
    "agents/xb/agent.md": '---\ntype: agent\nlocation: "[[The Garden]]"\nvoice: nosuch\n---\n# Xb\n',
    "agents/xc/agent.md": '---\ntype: agent\nlocation: "[[The Garden]]"\n---\n# \u0415liza\n',
}
RIGHT = {
    "world/items/h.md": '---\nlocation: "[[The Garden]]"\n---\n# Horn\n\nA horn.\n',
    "agents/xd/agent.md": '---\ntype: agent\nlocation: "[[The Garden]]"\n---\n# Xd\n',
}


def put(vault: Path, file: str, text: str) -> Path:
    """Write a file of a vault and return its path."""
    path = vault / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_an_id_is_written_into_a_new_file_that_is_right_and_into_no_other(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    for file, text in (WRONG | RIGHT).items():
        put(vault, file, text)
    for _ in range(2):
        with opened(vault, writable=True) as parts:
            names = {one.name for one in parts.engine.world.things.values()}
            assert {"Horn", "Xd"} <= names
            assert not {"Anvil", "Bell", "me", "Xa", "Xb", "\u0415liza"} & names
            assert set(WRONG) <= {one.file for one in parts.problems}
            assert not [one for one in parts.problems if "has no id yet" in one.message]
            parts.save()
        assert {file: (vault / file).read_text("utf-8") for file in WRONG} == WRONG
        assert all("\nid: " in (vault / file).read_text("utf-8") for file in RIGHT)
    put(vault, "world/items/a.md", "# Anvil\n\nAn anvil.\n")
    put(vault, "agents/xb/agent.md", WRONG["agents/xb/agent.md"].replace("voice: nosuch\n", ""))
    with opened(vault, writable=True) as parts:
        assert {"Anvil", "Xb"} <= {one.name for one in parts.engine.world.things.values()}


async def test_while_the_world_runs_it_is_the_same_and_what_is_mended_comes_in(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        room = '---\nexits:\n  south: "[[The Garden]]"\n{}---\n# Cellar\n\nA cellar.\n'
        files = WRONG | {"world/locations/cellar.md": room.format("wight: 3\n")}
        for file, text in files.items():
            put(on.vault, file, text)
        jar = put(on.vault, "world/items/jar.md", '---\nlocation: "[[Cellar]]"\n---\n# Jar\n\nA jar.\n')
        on.noticed(*files, "world/items/jar.md")
        on.reloading.everything()
        assert {file: (on.vault / file).read_text("utf-8") for file in files} == files
        assert all(any(one.startswith(f"{file}:") for one in map(_plain, on.told)) for file in files), on.told
        put(on.vault, "world/locations/cellar.md", room.format(""))
        on.noticed("world/locations/cellar.md")
        world = on.home.engine.world
        found = {one.name: one.id for one in world.things.values()}
        assert world.where[found["Jar"]] == found["Cellar"]
        assert "\nid: " in jar.read_text("utf-8")


def _plain(told: str) -> str:
    """Return what was told from the file's name on."""
    return told[max(0, min((at for top in ("world/", "agents/") if (at := told.find(top)) >= 0), default=0)) :]


LOOKS = "looks like "
FIN = '---\nid: "{}"\nlocation: "[[The Garden]]"\n---\n# {}\n\nA fin.\n'
ALIKE = "Brоnze Fin"  # its o is Cyrillic


def blamed(vault: Path) -> list[str]:
    """Return the files with a name that looks like another's."""
    return [one.file for one in check_files(vault) if LOOKS in one.message]


@pytest.mark.parametrize("saved", [True, False])
@pytest.mark.parametrize("file", ["world/items/a-fin.md", "world/items/zz-fin.md"])
def test_of_two_names_that_look_alike_the_one_that_was_not_there_is_blamed(
    tmp_path: Path, file: str, *, saved: bool
) -> None:
    vault = copy_vault(tmp_path)
    if saved:
        with opened(vault, writable=True) as parts:
            parts.save()
    put(vault, file, FIN.format("#9" if saved else "#7003", ALIKE))
    assert blamed(vault) == [file]


def test_of_two_that_were_both_there_the_one_with_the_higher_id_is_blamed(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    put(vault, "world/items/a-fin.md", FIN.format("#7003", ALIKE))
    with opened(vault, writable=True) as parts:
        parts.save()
    assert blamed(vault) == ["world/items/a-fin.md"]


@pytest.mark.parametrize("saved", [True, False])
def test_a_thing_that_is_newer_than_an_agent_is_blamed_and_not_the_agent(tmp_path: Path, *, saved: bool) -> None:
    vault = copy_vault(tmp_path)
    if saved:
        with opened(vault, writable=True) as parts:
            parts.save()
    put(vault, "world/items/doll.md", FIN.format("#1999" if saved else "#7003", "\u0415liza"))
    assert blamed(vault) == ["world/items/doll.md"]


def test_of_two_agents_the_one_that_the_state_does_not_know_is_blamed(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    with opened(vault, writable=True) as parts:
        parts.save()
    put(vault, "agents/aa/agent.md", '---\nid: "#7"\nlocation: "[[The Garden]]"\n---\n# \u0415liza\n')
    assert blamed(vault) == ["agents/aa/agent.md"]
