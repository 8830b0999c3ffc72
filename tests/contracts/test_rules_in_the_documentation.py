"""Whatever `docs/things.md` says that rules can say, they can."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mud.storage.documents import parse_document
from mud.storage.trait_files import read_traits
from mud.world.rules import parse_condition, parse_effects, parse_rule
from mud.world.things import Kind

PAGE = Path("docs/things.md").read_text("utf-8")


def shown(heading: str) -> list[str]:
    """Return the code in the first column of the table with a heading."""
    [table] = [part for part in PAGE.split("\n\n") if part.startswith(f"| {heading} |")]
    cells = [row.split(" | ")[0] for row in table.splitlines()[2:]]
    return [code for cell in cells for code in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize("trigger", shown("trigger"))
def test_a_trigger_on_the_page_is_one(trigger: str) -> None:
    assert parse_rule(f'when {trigger}: say "So."').trigger


@pytest.mark.parametrize("condition", shown("condition"))
def test_a_condition_on_the_page_is_one(condition: str) -> None:
    assert parse_condition(condition)


@pytest.mark.parametrize("effect", shown("effect"))
def test_an_effect_on_the_page_is_one(effect: str) -> None:
    assert parse_effects(effect)


def test_the_thing_on_the_page_is_one() -> None:
    [example] = re.findall(r"```markdown\n(.*?)```", PAGE, re.S)
    traits, problems = read_traits(parse_document(example, "chest.md"), "chest.md", Kind.ITEM)
    assert problems == []
    assert (len(traits.rules), len(traits.texts), len(traits.verbs)) == (2, 1, 1)
