from __future__ import annotations

import os
from pathlib import Path

import pytest

from agents.definition_cache import FILE, WORTH, DefinitionCache
from agents.directory import AgentDirectory
from mud.server.checks import SCHEMAS

TEXT = """---
id: "#{number}"
type: agent
aliases: [number {number}]
location: "[[The Garden]]"
think_interval: 6
---
# Keeper {number}

## Description
Grey and patient.

## Profile
You keep bees.

## Habits
- mornings: tends the hives in [[The Bee Yard]]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of very many agents, whose files were written some time ago."""
    for number in range(2000, 2000 + WORTH):
        path = tmp_path / "agents" / f"keeper-{number}/agent.md"
        path.parent.mkdir(parents=True)
        path.write_text(TEXT.format(number=number), "utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return tmp_path / "agents"


def loaded(folder: Path, *, cached: bool = True) -> AgentDirectory:
    roster = AgentDirectory(folder, SCHEMAS, cache=DefinitionCache(folder) if cached else None)
    assert roster.load(None, ()) == []
    roster.keep()
    return roster


def test_the_next_start_has_the_same_definitions_without_reading_the_files(folder: Path) -> None:
    wanted = loaded(folder, cached=False).definitions
    assert loaded(folder).definitions == wanted
    known = DefinitionCache(folder)
    assert {slug: known.find(slug) for slug in wanted} == wanted
    assert loaded(folder).definitions == wanted


def test_once_it_was_kept_whoever_comes_is_new_and_read_from_the_file(folder: Path) -> None:
    wanted = loaded(folder).definitions
    known = DefinitionCache(folder)
    assert known.find("keeper-2001") == wanted["keeper-2001"]
    known.keep(wanted.values())
    assert known.find("keeper-2001") is None


def test_a_file_that_changed_is_read_anew_and_one_that_is_gone_is_gone(folder: Path) -> None:
    loaded(folder)
    (folder / "keeper-2001/agent.md").write_text(TEXT.format(number=2001).replace("patient", "restful"), "utf-8")
    (folder / "keeper-2002/agent.md").unlink()
    found = loaded(folder).definitions
    assert found["keeper-2001"].description == "Grey and restful."
    assert "keeper-2002" not in found


def test_a_file_that_was_written_just_before_the_cache_is_not_trusted_to_be_unchanged(folder: Path) -> None:
    path = folder / "keeper-2003/agent.md"
    os.utime(path)
    loaded(folder)
    assert DefinitionCache(folder).find("keeper-2003") is None


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"program": 1}', '{"program": null, "agents": []}'])
def test_a_cache_that_is_damaged_or_gone_changes_nothing(folder: Path, damage: str) -> None:
    wanted = loaded(folder).definitions
    path = folder.parent / FILE
    path.write_text(damage, "utf-8")
    assert loaded(folder).definitions == wanted
    path.unlink()
    assert loaded(folder).definitions == wanted
    assert path.exists()
