"""A typed line, split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.commands import InputLine, read_line
from mud.commands._line import find_command
from mud.errors import Refusal
from tests.worlds import commands


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("look", InputLine("look", "", None)),
        ("  say  hello  there ", InputLine("say", "hello  there", None)),
        ("say\thello", InputLine("say", "hello", None)),
        ("say\u00a0hello", InputLine("say", "hello", None)),
        ("'hello", InputLine("say", "hello", None)),
        ("' hello", InputLine("say", "hello", None)),
        ('"hello', InputLine("say", "hello", None)),
        ('"hello"', InputLine("say", "hello", None)),
        ('"He said "no"', InputLine("say", 'He said "no"', None)),
        (":waves", InputLine("emote", "waves", None)),
        (":", InputLine("emote", "", None)),
        ("say hi | to be kind", InputLine("say", "hi", "to be kind")),
        ("say hi|to be kind", InputLine("say", "hi", "to be kind")),
        ("say hi | a | b", InputLine("say", "hi", "a | b")),
        ("say hi |", InputLine("say", "hi", None)),
        (r"say a \| b", InputLine("say", "a | b", None)),
        (r"say a \| b | c \| d", InputLine("say", "a | b", "c | d")),
        ("'hi | softly", InputLine("say", "hi", "softly")),
        ("n", InputLine("go", "n", None)),
        ("NORTH", InputLine("go", "NORTH", None)),
        ("north | away from here", InputLine("go", "north", "away from here")),
        ("north wind", InputLine("north", "wind", None)),
        ("say κόσμε", InputLine("say", "κόσμε", None)),
    ],
)
def test_a_line_is_verb_rest_and_private_reason(typed: str, line: InputLine) -> None:
    assert read_line(typed, 8192) == line._replace(typed=typed)


@pytest.mark.parametrize(
    "typed", ["", " ", "|", " | why", "say \x07", "say \x7f", "say \u2028", "say a\rb", "say \udfff"]
)
def test_what_nobody_can_read_is_refused(typed: str) -> None:
    with pytest.raises(Refusal):
        read_line(typed, 8192)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_and_nothing_private_is_in_the_words(text: str) -> None:
    try:
        line = read_line(f"{text} | §secret§", 8192)
    except Refusal:
        return
    assert line.verb
    assert "§secret§" not in line.verb + line.rest
    assert line.reason is not None
    assert line.reason.endswith("§secret§")


@given(st.text(st.characters(categories=("L", "N", "P", "Zs"), exclude_characters="|\\"), min_size=1, max_size=60))
def test_what_is_said_is_kept_as_typed(words: str) -> None:
    assert read_line(f"say {words}", 8192).rest == words.strip()


def test_a_verb_is_found_in_any_case_and_a_wrong_one_names_the_nearest() -> None:
    registry = commands()
    assert find_command(InputLine("LOOK", "", None), registry).name == "look"
    assert find_command(InputLine("l", "", None), registry).name == "look"
    with pytest.raises(Refusal) as wrong:
        find_command(InputLine("examin", "", None), registry)
    assert wrong.value.hint == "did you mean examine? help all lists every command"
    with pytest.raises(Refusal) as far:
        find_command(InputLine("x" * 500, "", None), registry)
    assert len(far.value.text) < 80
