"""Lines that begin with an alias."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.commands import expand, read_line
from mud.errors import Refusal
from tests.worlds import GARDEN, LOCATIONS, commands

HERE = next(one for one in LOCATIONS if one.id == GARDEN)
ALIASES = {
    "gs": "go south", "hi": "say Hello, $*!", "two": "say $2 before $1", "gate": "say shut", "look": "quit",
    "n": "quit", "loop": "loop again", "other": "gs", "pay": "give $1 to Eliza | as agreed",
}  # fmt: skip


def typed(line: str) -> str:
    return expand(line, ALIASES, commands(), HERE)


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("gs", "go south"),
        ("  GS  ", "go south"),
        ("gs slowly", "go south slowly"),
        ("gs | to rest", "go south | to rest"),
        ("gs|to rest", "go south |to rest"),
        ("hi Eliza  and Moss", "say Hello, Eliza  and Moss!"),
        ("hi", "say Hello, !"),
        (r"hi a \| b", r"say Hello, a \| b!"),
        ("two a b c", "say b before a"),
        ("two a", "say  before a"),
        ("pay coin", "give coin to Eliza | as agreed"),
        ("hi $1", "say Hello, $1!"),
    ],
)
def test_an_alias_stands_for_its_line_with_the_words_put_in(line: str, whole: str) -> None:
    assert typed(line) == whole


@pytest.mark.parametrize(
    "line", ["look", "look gs", "n", "NORTH", "gate", "gsx", "say gs", "'gs", ":gs", "", " ", "|", "| gs"]
)
def test_commands_ways_and_all_else_are_left_alone(line: str) -> None:
    assert typed(line) == line


def test_what_an_alias_stands_for_is_not_expanded_again() -> None:
    assert typed("loop") == "loop again"
    assert typed("other") == "gs"


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_no_line_and_no_alias_makes_it_fail_and_a_private_reason_stays_private(text: str, words: str, why: str) -> None:
    whole = expand(f"x {words} | §{why}", {"x": text}, commands(), None)
    try:
        line = read_line(whole, 8192)
    except Refusal:
        return
    assert "§" not in line.verb + line.rest or "§" in text + words
