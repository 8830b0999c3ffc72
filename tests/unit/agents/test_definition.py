from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.settings import CompactionSettings
from agents.definition import (
    LONGEST_NAME,
    AgentDefinition,
    check_name,
    find_definition,
    read_definition,
    write_definition,
)
from agents.mind.settings import ThinkingSettings
from mud.errors import Refusal, VaultProblem

SCHEMAS = {"memory_compaction": CompactionSettings, "thinking": ThinkingSettings}
GOOD = """---
id: "#2001"
type: agent
aliases: [Liz]
location: "[[The Garden]]"
brain: instinct
voice: eliza
think_interval: 12
goal: to find the fin
immediate_window: 8
---
# Eliza

## Description
Small.

## Profile
You keep the garden.
"""


def _folder(tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "eliza"
    folder.mkdir(exist_ok=True)
    (folder / "agent.md").write_text(text, encoding="utf-8")
    return folder


def _wrong(tmp_path: Path, text: str) -> list[str]:
    return [str(problem) for problem in read_definition(_folder(tmp_path, text), SCHEMAS)[1]]


def _read(folder: Path) -> AgentDefinition:
    definition, problems = read_definition(folder, SCHEMAS)
    assert problems == []
    assert definition is not None
    return definition


def test_every_part_of_the_file_is_read(tmp_path: Path) -> None:
    eliza = _read(_folder(tmp_path, GOOD))
    assert (eliza.slug, eliza.id, eliza.names) == ("eliza", "#2001", ("Eliza", "Liz"))
    assert (eliza.location, eliza.brain, eliza.voice, eliza.overrides["think_interval"].value) == (
        "[[The Garden]]",
        "instinct",
        "eliza",
        12.0,
    )
    assert (eliza.goal, eliza.description, eliza.profile) == ("to find the fin", "Small.", "You keep the garden.")
    assert eliza.overrides["immediate_window"].value == 8
    assert eliza.thing().thinks


def test_a_person_is_a_character_that_no_brain_plays(tmp_path: Path) -> None:
    person = _read(_folder(tmp_path, GOOD.replace("type: agent", "type: person")))
    assert person.person
    assert not person.thing().thinks


@pytest.mark.parametrize(
    ("right", "wrong", "key"),
    [
        ('id: "#2001"', "id: 2001", "id"),
        ('id: "#2001"', "id: #2001", "id"),
        ('id: "#2001"', 'id: "Eliza"', "id"),
        ("type: agent", "type: agnet", "type"),
        ("aliases: [Liz]", "aliases: [7]", "aliases"),
        ("brain: instinct", "brain: instinkt", "brain"),
        ("voice: eliza", "voice: 7", "voice"),
        ("think_interval: 12", "think_interval: soon", "think_interval"),
        ("think_interval: 12", "think_interval: 0", "think_interval"),
        ("immediate_window: 8", "immediate_window: many", "immediate_window"),
        ("goal: to find the fin", "gaol: to find the fin", "gaol"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_key(tmp_path: Path, right: str, wrong: str, key: str) -> None:
    line = GOOD[: GOOD.index(right)].count("\n") + 1
    (problem,) = _wrong(tmp_path, GOOD.replace(right, wrong))
    assert problem.startswith(f"agents/eliza/agent.md:{line}: {key}: ")


def test_near_misses_are_suggested(tmp_path: Path) -> None:
    (brain,) = _wrong(tmp_path, GOOD.replace("brain: instinct", "brain: instinkt"))
    assert brain.endswith("did you mean instinct?")
    (key,) = _wrong(tmp_path, GOOD.replace("think_interval", "think_intervall"))
    assert "did you mean think_interval?" in key


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    told = _wrong(tmp_path, GOOD.replace("# Eliza\n", "").replace("12", "soon").replace("instinct", "none"))
    assert len(told) == 3


def test_what_is_right_beside_a_mistake_is_read_too(tmp_path: Path) -> None:
    text = GOOD.replace("brain: instinct", "brain: foo").replace("[[The Garden]]", "[[Atlantis]]")
    eliza, problems = read_definition(_folder(tmp_path, text), SCHEMAS)
    assert [problem.key for problem in problems] == ["brain"]
    assert eliza is not None
    assert (eliza.location, eliza.brain, eliza.voice) == ("[[Atlantis]]", "auto", "eliza")


def test_of_a_front_matter_that_is_none_nothing_is_read(tmp_path: Path) -> None:
    eliza, problems = read_definition(_folder(tmp_path, "---\nid: [\n---\n# Eliza\n"), SCHEMAS)
    assert (eliza, len(problems)) == (None, 1)


@pytest.mark.parametrize("name", ["../x", "", '"Eliza"', "Eli|za", "#7", "x" * (LONGEST_NAME + 1), "[[Eliza]]", "---"])
def test_a_name_that_cannot_be_typed_is_a_mistake(tmp_path: Path, name: str) -> None:
    assert any("name" in problem.lower() for problem in _wrong(tmp_path, GOOD.replace("# Eliza", f"# {name}")))


def test_a_key_without_a_value_is_one_not_yet_filled_in(tmp_path: Path) -> None:
    eliza = _read(_folder(tmp_path, GOOD.replace("goal: to find the fin", "goal:")))
    assert eliza.goal == ""


def test_a_missing_file_is_named_as_in_the_vault(tmp_path: Path) -> None:
    (tmp_path / "moss").mkdir()
    with pytest.raises(VaultProblem, match=r"^agents/moss/agent\.md: "):
        read_definition(tmp_path / "moss", SCHEMAS)


def _clean(name: str) -> str | None:
    try:
        return check_name(name)
    except Refusal:
        return None


@given(st.text(max_size=80))
def test_a_name_that_is_taken_is_short_and_stays_as_it_is(name: str) -> None:
    clean = _clean(name)
    assert clean is None or (0 < len(clean) <= LONGEST_NAME and _clean(clean) == clean)


@pytest.mark.parametrize("name", ["Ann", "Ἑλένη", "..x", "con", "Ann O'Dell"])
def test_somebody_new_is_written_so_that_it_reads_back_and_stays_in_its_folder(tmp_path: Path, name: str) -> None:
    slug = write_definition(tmp_path / "agents", name, "#3001", person=True)
    again = write_definition(tmp_path / "agents", name, "#3002", person=False, location="The Garden")
    assert again == f"{slug}-2"
    person = _read(tmp_path / "agents" / slug)
    assert (person.name, person.id, person.person) == (name, "#3001", True)
    agent = _read(tmp_path / "agents" / again)
    assert (agent.location, agent.person) == ("[[The Garden]]", False)
    assert (tmp_path / "agents" / slug / ".gitignore").exists()
    assert not (tmp_path / "agents" / again / ".gitignore").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["agents"]


def test_somebody_is_found_by_name_slug_id_and_alias_in_any_case() -> None:
    moss = AgentDefinition("moss-the-slow", "#2002", "Moss the Slow", ("Moss",))
    nameless = AgentDefinition("new", "", "New One")
    known = {one.slug: one for one in (moss, nameless)}
    for wanted in ("MOSS THE SLOW", "moss-the-slow", "#2002", " moss "):
        assert find_definition(wanted, known) is moss
    assert find_definition("mo", known) is None
    assert find_definition("  ", known) is None
