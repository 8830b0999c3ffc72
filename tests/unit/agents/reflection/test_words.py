"""The prompts of the inner life: the shipped ones are the golden ones; a broken one is told with its line."""

from __future__ import annotations

import pytest

from agents.llm.tokens import at_most
from agents.reflection import FILES, parse_prompt
from agents.reflection.experiences import SHOWN, fitting, line_of
from mud.errors import VaultProblem
from tests.unit.agents.prompt.test_prompt import checked_golden
from tests.unit.agents.reflection.telling import heard, made
from tests.vaults import SHIPPED

EVENING = [
    heard(12, "Moss", "I will bring you the brass key tomorrow."),
    made(13, "did", "You wave."),
    heard(40, "Tamsin", "The {name} of the heron is Otto.\nHe is 7."),
    made(41, "saw", "The long rain. " * 30),
]


@pytest.mark.parametrize("file", FILES)
def test_the_shipped_prompts_are_the_golden_ones(file: str) -> None:
    words = parse_prompt((SHIPPED / "prompts" / file).read_text("utf-8"), f"prompts/{file}")
    shown = "\n".join(map(line_of, EVENING))
    text = words.render("Eliza", "Curious and warm; she asks before she tells.", shown)
    checked_golden(f"inner_{file.removesuffix('.md')}", f"{text}\n")


def test_a_place_that_is_unknown_or_missing_is_told_with_its_line() -> None:
    with pytest.raises(VaultProblem) as wrong:
        parse_prompt("---\na: b\n---\nYou are {nam}.\n", "prompts/dream.md")
    assert [str(one) for one in wrong.value.problems] == [
        "prompts/dream.md:4: {nam}: unknown place; expected one of name, profile, memories; did you mean name?",
        "prompts/dream.md: {memories}: this place is missing; expected it once",
    ]


def test_a_long_memory_is_cut_and_what_is_filled_in_is_not_searched_for_places() -> None:
    assert len(line_of(EVENING[3])) <= SHOWN + len("41:  ...")
    words = parse_prompt("{name}: {memories}", "x")
    assert words.render("Eliza", "", "{name} {profile}") == "Eliza: {name} {profile}"


def test_of_memories_the_newest_that_fit_are_shown() -> None:
    room = at_most(line_of(EVENING[2])) + at_most(line_of(EVENING[3])) + 2
    assert fitting(EVENING, room, at_most) == EVENING[2:]
    assert fitting(EVENING, 0, at_most) == []
