from __future__ import annotations

from pathlib import Path

import pytest

from agents.directory import AgentDirectory
from mud.world.changes import Define
from mud.world.things import Kind, Thing
from mud.world.world import World


def _write(folder: Path, slug: str, name: str, id: str | None) -> None:
    (folder / slug).mkdir(parents=True, exist_ok=True)
    front = f'id: "{id}"\n' if id else ""
    (folder / slug / "agent.md").write_text(f"---\n{front}voice: eliza\n---\n# {name}\n", encoding="utf-8")


@pytest.fixture
def roster(tmp_path: Path) -> AgentDirectory:
    _write(tmp_path, "eliza", "Eliza", "#2001")
    _write(tmp_path, "moss", "Moss", "#2002")
    roster = AgentDirectory(tmp_path, {})
    assert roster.load(None, ()) == []
    return roster


def test_a_copied_folder_gives_way_to_the_one_it_is_a_copy_of(roster: AgentDirectory, tmp_path: Path) -> None:
    _write(tmp_path, "another", "Eliza", "#2001")
    told = [str(problem) for problem in roster.load(None, ())]
    assert told == [
        "agents/another/agent.md:2: id: '#2001' is taken by agents/eliza/agent.md; "
        "expected an id of its own: until then this folder is left alone",
        "agents/another/agent.md: name: 'Eliza' is taken by agents/eliza/agent.md",
    ]
    assert set(roster.definitions) == {"eliza", "moss"}


def test_a_broken_edit_keeps_the_last_good(roster: AgentDirectory, tmp_path: Path) -> None:
    (tmp_path / "moss" / "agent.md").write_text('---\nid: "#2002"\nthink_interval: soon\n---\n# Moss\n')
    (problem,) = roster.load_one("moss", None)
    assert problem.key == "think_interval"
    assert "think_interval" not in roster.definitions["moss"].overrides


@pytest.mark.parametrize("text", ["", " \n", None])
def test_an_empty_or_vanished_file_is_an_edit_in_progress(
    roster: AgentDirectory, tmp_path: Path, text: str | None
) -> None:
    file = tmp_path / "moss" / "agent.md"
    file.unlink()
    if text is not None:
        file.write_text(text)
    assert roster.load_one("moss", None) == []
    assert roster.definitions["moss"].name == "Moss"


def test_an_id_never_changes_while_the_world_runs(roster: AgentDirectory, tmp_path: Path) -> None:
    _write(tmp_path, "moss", "Moss", "#2009")
    (problem,) = roster.load_one("moss", None)
    assert "expected '#2002'" in problem.message
    _write(tmp_path, "moss", "Moss", None)
    assert roster.load_one("moss", None) == []
    roster.assign_ids(3000)
    assert roster.definitions["moss"].id == "#2002"
    assert 'id: "#2002"' in (tmp_path / "moss" / "agent.md").read_text()


def test_whoever_has_the_id_of_a_thing_stays_out(roster: AgentDirectory, tmp_path: Path) -> None:
    (problem,) = roster.give_way({"#2002": "world/items/lamp.md"})
    assert (problem.file, problem.line, problem.key) == ("agents/moss/agent.md", 2, "id")
    assert set(roster.definitions) == {"eliza"}
    world = World()
    world.apply([Define(Thing("#2002", Kind.ITEM, "lamp"))])
    (problem,) = roster.load_one("moss", world)
    assert problem.message == "'#2002' is taken by lamp"


def test_a_mistake_does_not_hide_that_an_id_is_taken(roster: AgentDirectory, tmp_path: Path) -> None:
    for slug in ("eliza", "moss"):
        (tmp_path / slug / "agent.md").write_text(f'---\nid: "#2001"\nbrain: foo\n---\n# {slug}\n')
    fresh = AgentDirectory(tmp_path, {})
    told = [(problem.file, problem.key) for problem in fresh.load(None, ())]
    assert told == [
        ("agents/eliza/agent.md", "brain"),
        ("agents/moss/agent.md", "brain"),
        ("agents/moss/agent.md", "id"),
    ]
    assert set(fresh.definitions) == {"eliza"}
    assert [problem.file for problem in fresh.give_way({"#2001": "world/items/lamp.md"})] == [
        "agents/eliza/agent.md",
        "agents/moss/agent.md",
    ]


def test_a_wrong_id_is_told_once(roster: AgentDirectory, tmp_path: Path) -> None:
    (tmp_path / "moss" / "agent.md").write_text("---\nid: Moss\n---\n# Moss\n")
    (problem,) = roster.load_one("moss", None)
    assert "'Moss' is wrong" in problem.message


def test_a_removed_folder_is_forgotten_unless_it_is_kept(roster: AgentDirectory, tmp_path: Path) -> None:
    for slug in ("eliza", "moss"):
        (tmp_path / slug / "agent.md").unlink()
    assert roster.load(None, {"moss"}) == []
    assert set(roster.definitions) == {"moss"}


def test_hidden_folders_are_nobody(roster: AgentDirectory, tmp_path: Path) -> None:
    _write(tmp_path, ".trash", "Gone", "#2007")
    assert roster.load(None, ()) == []
    assert ".trash" not in roster.definitions


def test_ids_are_written_once_and_stay(roster: AgentDirectory, tmp_path: Path) -> None:
    _write(tmp_path, "new", "New", None)
    roster.load(None, ())
    roster.assign_ids(3000)
    assert roster.definitions["new"].id == "#3000"
    file = tmp_path / "new" / "agent.md"
    first = file.read_bytes()
    assert first == b'---\nvoice: eliza\nid: "#3000"\n---\n# New\n'
    roster.assign_ids(4000)
    assert AgentDirectory(tmp_path, {}).load(None, ()) == []
    assert file.read_bytes() == first


def test_a_reader_gives_an_id_and_writes_nothing(roster: AgentDirectory, tmp_path: Path) -> None:
    _write(tmp_path, "new", "New", None)
    before = (tmp_path / "new" / "agent.md").read_bytes()
    roster.load(None, ())
    roster.assign_ids(3000, write=None)
    assert roster.definitions["new"].id == "#3000"
    assert (tmp_path / "new" / "agent.md").read_bytes() == before
