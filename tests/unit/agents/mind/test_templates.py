from __future__ import annotations

from pathlib import Path

import pytest

from agents.mind.templates import Templates
from mud.errors import Problem, VaultProblem


def _parse(text: str, file: str) -> str:
    if "bad" in text:
        raise VaultProblem([Problem(file, 1, "", "it is bad")])
    return text.strip()


@pytest.fixture
def templates(tmp_path: Path) -> Templates[str]:
    (tmp_path / "one.md").write_text("first")
    found = Templates(tmp_path, lambda: ("one.md",), _parse)
    assert found.load() == []
    return found


def test_an_edit_acts_after_the_next_reading(templates: Templates[str], tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("second")
    assert templates.get("one.md") == "first"
    assert templates.load() == []
    assert templates.get("one.md") == "second"


def test_a_broken_edit_changes_nothing_and_is_told(templates: Templates[str], tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("bad")
    assert [str(problem) for problem in templates.load()] == ["prompts/one.md:1: it is bad"]
    assert templates.get("one.md") == "first"


@pytest.mark.parametrize("text", ["", "\n \n", None])
def test_an_empty_or_vanished_file_is_an_edit_in_progress(
    templates: Templates[str], tmp_path: Path, text: str | None
) -> None:
    (tmp_path / "one.md").unlink()
    if text is not None:
        (tmp_path / "one.md").write_text(text)
    assert templates.load() == []
    assert templates.get("one.md") == "first"


def test_what_was_never_there_is_a_problem_and_cannot_be_had(tmp_path: Path) -> None:
    templates = Templates(tmp_path, lambda: ("none.md",), _parse)
    (problem,) = templates.load()
    assert problem.file == "prompts/none.md"
    with pytest.raises(VaultProblem, match=r"prompts/none\.md"):
        templates.get("none.md")


def test_of_a_whole_folder_every_file_can_be_had_by_its_name_and_a_new_one_after_the_next_reading(
    tmp_path: Path,
) -> None:
    (tmp_path / "one.md").write_text("first")
    (tmp_path / "two.md").write_text("bad")
    found = Templates(tmp_path, None, _parse, "prompts/summaries")
    assert [problem.file for problem in found.load()] == ["prompts/summaries/two.md"]
    assert found.names() == ["one"]
    (tmp_path / "two.md").write_text("second")
    (tmp_path / "one.md").unlink()
    assert found.load() == []
    assert found.names() == ["one", "two"]
    assert (found.named("one"), found.named("two")) == ("first", "second")
    with pytest.raises(VaultProblem, match=r"prompts/summaries/three\.md"):
        found.named("three")
