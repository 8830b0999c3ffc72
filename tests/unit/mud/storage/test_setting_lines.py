"""Setting one key of a config file: that one line changes, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.settings import CompactionSettings
from mud.errors import VaultProblem
from mud.storage.settings import replace_setting
from tests.settings import parse_settings
from tests.vaults import SHIPPED

FILE = "config/memory_compaction.md"


def put(text: str, key: str, value: str | int | bool) -> str:
    return replace_setting(text, CompactionSettings, key, value, FILE)


def read(text: str) -> dict[str, object]:
    values, problems = parse_settings(text, CompactionSettings, FILE)
    assert problems == []
    return {key: value.value for key, value in values.items()}


def test_the_shipped_file_changes_in_one_line_alone() -> None:
    text = (SHIPPED / FILE).read_text("utf-8")
    before, after = text.splitlines(), put(text, "strategy", "sleep").splitlines()
    assert len(before) == len(after)
    assert [new for old, new in zip(before, after, strict=True) if old != new] == ["**strategy**: sleep"]


def test_a_key_that_is_not_there_comes_at_the_end() -> None:
    assert put("# Mine\n\nprose", "strategy", "none") == "# Mine\n\nprose\n\n**strategy**: none\n"
    assert put("", "auto_enabled", False) == "**auto_enabled**: false\n"


def test_front_matter_that_sets_it_keeps_it() -> None:
    text = "---\nstrategy: none # for now\n---\n# Mine\n"
    assert put(text, "strategy", "sleep") == "---\nstrategy: sleep # for now\n---\n# Mine\n"


def test_what_stands_in_a_code_fence_is_no_setting() -> None:
    text = "```\n**strategy**: none\n```\n\n**strategy**: none\n"
    assert put(text, "strategy", "sleep") == "```\n**strategy**: none\n```\n\n**strategy**: sleep\n"


def test_line_ends_stay_as_they_are() -> None:
    assert put("# Mine\r\n**strategy**: none\r\nprose\r\n", "strategy", "sleep") == (
        "# Mine\r\n**strategy**: sleep\r\nprose\r\n"
    )


@pytest.mark.parametrize("text", ["**strategie**: none\n", "**strategy**: nonsense\n", "---\n- a list\n---\n"])
def test_a_file_with_a_mistake_is_left_alone(text: str) -> None:
    with pytest.raises(VaultProblem, match=FILE):
        put(text, "strategy", "sleep")


PROSE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="`~*-\r"), max_size=60)


@given(PROSE, PROSE, st.sampled_from([("strategy", "none"), ("recent_window", 7), ("auto_enabled", False)]))
def test_what_is_set_is_read_back_and_prose_stays(before: str, after: str, one: tuple[str, str | int | bool]) -> None:
    text = f"{before}\n**recent_window**: 9\n{after}\n"
    made = put(text, *one)
    assert read(made) == {**read(text), one[0]: one[1]}
    assert made.startswith(f"{before}\n**recent_window**: ")
    assert f"\n{after}\n" in made
    assert put(made, *one) == made
