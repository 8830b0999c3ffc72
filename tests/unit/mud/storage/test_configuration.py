"""All config files in force: the last good one stays, and every value says where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from mud.errors import UnknownName
from mud.storage.configuration import Configuration
from mud.storage.settings import Value, setting


@dataclass(frozen=True)
class Windows:
    recent_window: int = setting(64, "Memories folded at once.", low=1)
    timeout: float = setting(5.0, "Seconds.", per_agent=False)


@dataclass(frozen=True)
class World:
    start: str = setting("The Lobby", "Where new people appear.", per_agent=False)
    timeout: float = setting(9.0, "Seconds.", per_agent=False)


@dataclass(frozen=True)
class Profile:
    name: str = ""
    model: str = setting("", "Name of the model.")


OVERRIDES = {"recent_window": Value("recent_window", 4, "agents/moss/agent.md", 5)}


def write(vault: Path, name: str, text: str) -> Path:
    path = vault / "config" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    write(tmp_path, "memory", "**recent_window**: 8\n")
    write(tmp_path, "llm/think", "**model**: small\n")
    write(tmp_path, "llm/Summarizer", "# nothing set\n")
    return tmp_path


def configuration(vault: Path) -> Configuration:
    return Configuration(vault, {"memory": Windows, "world": World}, {"llm": Profile})


def test_files_over_defaults_and_a_missing_file_is_no_mistake(vault: Path) -> None:
    made = configuration(vault)
    assert made.load() == []
    assert made.get(Windows) == Windows(recent_window=8)
    assert made.get(World) == World()


def test_an_agent_of_its_own_mind_overrides_the_file(vault: Path) -> None:
    made = configuration(vault)
    made.load()
    assert made.for_agent(Windows, OVERRIDES) == Windows(recent_window=4)
    assert made.for_agent(Windows, {}) == Windows(recent_window=8)


def test_every_file_of_a_family_is_one_of_it_and_knows_its_name(vault: Path) -> None:
    made = configuration(vault)
    made.load()
    assert made.names(Profile) == ["Summarizer", "think"]
    assert made.get_named(Profile, "THINK") == Profile("think", "small")
    assert made.get_named(Profile, "summarizer") == Profile("Summarizer")
    with pytest.raises(UnknownName, match=r"no config/llm/thinc.md; there is: Summarizer, think; did you mean think\?"):
        made.get_named(Profile, "thinc")


def test_a_value_says_where_it_comes_from(vault: Path) -> None:
    made = configuration(vault)
    made.load()
    assert made.explain("recent_window", OVERRIDES) == [
        (4, "agents/moss/agent.md:5"),
        (8, "config/memory.md:1"),
        (64, "default"),
    ]
    assert made.explain("Start") == [("The Lobby", "default")]
    assert made.explain("llm/think.model") == [("small", "config/llm/think.md:1"), ("", "default")]
    assert made.explain("world.timeout", OVERRIDES) == [(9.0, "default")]
    with pytest.raises(UnknownName, match=r"several files have 'timeout'; name one: memory.timeout, world.timeout"):
        made.explain("timeout")
    with pytest.raises(UnknownName, match=r"there is no setting 'recent_windov'; did you mean recent_window\?"):
        made.explain("recent_windov")


def test_every_key_is_listed(vault: Path) -> None:
    made = configuration(vault)
    made.load()
    assert made.keys()[:3] == ["memory.recent_window", "memory.timeout", "world.start"]
    assert made.keys()[-1] == "llm/think.model"


def test_a_saved_file_holds_at_once_and_one_with_a_mistake_changes_nothing(vault: Path) -> None:
    made = configuration(vault)
    made.load()
    path = write(vault, "memory", "**recent_window**: 16\n")
    assert made.reload(path) == []
    assert made.get(Windows).recent_window == 16
    write(vault, "memory", "**recent_window**: 0\n**timeout**: 1\n")
    assert [str(problem) for problem in made.reload(path)] == [
        "config/memory.md:1: recent_window: 0 is too low; expected a whole number of at least 1"
    ]
    assert made.get(Windows) == Windows(recent_window=16)
    path.write_bytes(b"\xff")
    assert len(made.reload(path)) == 1
    assert made.get(Windows) == Windows(recent_window=16)


def test_a_mistake_in_a_file_of_a_family_leaves_its_name_and_what_is_right_in_it(vault: Path) -> None:
    write(vault, "llm/think", "**model**: small\n**modle**: big\n")
    write(vault, "llm/other", "")
    (vault / "config/llm/torn.md").write_bytes(b"\xff")
    made = configuration(vault)
    assert [problem.file for problem in made.load()] == ["config/llm/think.md", "config/llm/torn.md"]
    assert made.get_named(Profile, "think") == Profile("think", "small")
    assert made.get_named(Profile, "other") == Profile("other")
    assert made.get_named(Profile, "torn") == Profile("torn")
    new = write(vault, "llm/new", "**model**: x\n**modle**: y\n")
    assert len(made.reload(new)) == 1
    assert made.get_named(Profile, "new") == Profile("new", "x")


def test_what_a_file_says_of_a_key_is_known_although_a_mistake_keeps_it_out(vault: Path) -> None:
    made = configuration(vault)
    assert made.given(World, "start") == [Value("start", "The Lobby", "config/world.md", 0)]
    write(vault, "world", "**start**: a\n**start**: b\n**timeout**: soon\n")
    assert len(made.load()) == 2
    assert [(value.value, value.line) for value in made.given(World, "start")] == [("a", 1), ("b", 2)]
    assert made.get(World).start == "The Lobby"


def test_an_empty_or_vanished_file_is_an_edit_in_progress(vault: Path) -> None:
    made = configuration(vault)
    made.load()
    path = write(vault, "memory", " \n")
    assert made.reload(path) == []
    path.unlink()
    assert made.reload(path) == []
    assert made.get(Windows).recent_window == 8
    assert made.load() == []
    assert made.get(Windows).recent_window == 64


def test_reading_everything_again_keeps_what_a_file_with_a_mistake_said_before(vault: Path) -> None:
    made = configuration(vault)
    made.load()
    write(vault, "memory", "**recent_window**: many\n")
    assert len(made.load()) == 1
    assert made.get(Windows).recent_window == 8
    write(vault, "memory", "")
    assert made.load() == []
    assert made.get(Windows).recent_window == 8


def test_a_setting_is_found_by_its_key_and_knows_its_file(vault: Path) -> None:
    made = configuration(vault)
    made.load()
    assert [made.find(key)[0] for key in ("recent_window", "world.timeout", "LLM/think.model")] == [
        "memory",
        "world",
        "llm/think",
    ]
    assert made.find("recent_window")[1].help == "Memories folded at once."


def test_files_that_nothing_reads_are_told_and_foreign_ones_left_alone(vault: Path) -> None:
    write(vault, "memroy", "")
    write(vault, "voices/moss", "")
    write(vault, "README", "**recent_window**: 0")
    write(vault, ".obsidian/x", "")
    write(vault, "world", "**start**: a\n**start**: b\n")
    made = configuration(vault)
    assert [str(problem) for problem in made.load()] == [
        "config/memroy.md: no part of the program reads this file; expected one of memory, world, llm/...; "
        "did you mean memory.md?",
        "config/voices/moss.md: no part of the program reads this file; expected one of memory, world, llm/...",
        "config/world.md:2: start: set twice; expected once (first in line 1)",
    ]
    assert made.reload(vault / "text" / "commands.md") == []


def test_two_files_cannot_both_let_agents_set_one_key(vault: Path) -> None:
    @dataclass(frozen=True)
    class Other:
        recent_window: int = setting(1, "The same key.")

    with pytest.raises(ValueError, match="other and memory both let agents set 'recent_window'"):
        Configuration(vault, {"memory": Windows, "other": Other})
    with pytest.raises(ValueError, match="one schema is given for two"):
        Configuration(vault, {"memory": Windows, "other": Windows})
