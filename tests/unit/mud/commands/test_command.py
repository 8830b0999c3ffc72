"""The decorator that makes a function a command, and what it insists on."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.commands import Context, Outcome, command
from mud.commands._command import Form
from mud.errors import Refusal
from mud.world.roles import Role


def test_a_docstring_is_the_help() -> None:
    @command("hum", "<tune>", aliases=("h",), category="social")
    def hum(ctx: Context, tune: str) -> Outcome:
        """Hum a tune.

        Everybody likes that,
        whatever the tune.

        - Loudly
        - Softly

        Example: hum a waltz
        Example: hum
        """
        return Outcome(tune)

    assert hum.summary == "Hum a tune."
    assert hum.details == "Everybody likes that, whatever the tune.\n\n- Loudly\n- Softly"
    assert hum.examples == ("hum a waltz", "hum")
    assert hum.usage == "hum <tune>"
    assert hum.role is Role.AGENT


def run(ctx: Context, words: str) -> Outcome:
    """Do.

    Example: do it
    """
    return Outcome(words)


def bare(ctx: Context, words: str) -> Outcome:
    """Do, without an example."""
    return Outcome(words)


@pytest.mark.parametrize(
    ("function", "form", "more"),
    [
        (bare, "<words>", {"category": "social"}),
        (run, "", {"category": "social"}),
        (run, "<other>", {"category": "social"}),
        (run, "<words>", {"category": "nonsense"}),
        (run, "<words>", {"category": "social", "keeps": "sometimes"}),
        (run, "words", {"category": "social"}),
    ],
)
def test_a_command_that_is_not_whole_fails_at_import(function: Any, form: str, more: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"docstring|form|category"):
        command("do", form, **more)(function)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("form", "rest", "texts"),
    [
        ("", "", []),
        ("", "  ", []),
        ("<words>", " a  b ", ["a  b"]),
        ("[name]", "", [""]),
        ("<person> <words>", "Eliza hello there", ["Eliza hello there"]),
        ("<title> -> <text>", "Key -> under the mat -> left", ["Key", "under the mat -> left"]),
        ("<title> -> <text>", "Key->mat", ["Key", "mat"]),
        ("<title> -> [text]", "Key", ["Key", ""]),
    ],
)
def test_each_slot_gets_its_text(form: str, rest: str, texts: list[str]) -> None:
    assert Form(form).read("verb", rest) == texts


@pytest.mark.parametrize(
    ("form", "rest", "told"),
    [
        ("", "x", "verb takes nothing after it."),
        ("<words>", " ", "verb needs more: words."),
        ("<title> -> <text>", "Key", "There is no -> in that."),
        ("<title> -> <text>", "-> mat", "verb needs more: title."),
        ("<title> -> <text>", "Key ->", "verb needs more: text."),
    ],
)
def test_what_does_not_fit_is_refused_with_the_form(form: str, rest: str, told: str) -> None:
    with pytest.raises(Refusal) as refusal:
        Form(form).read("verb", rest)
    assert refusal.value.text == told
    assert f"verb {form}".strip() in refusal.value.hint


@pytest.mark.parametrize(
    "form", ["words", "<words", "<a] ", "<a> -> ", "-> <a>", "<a>  <b>", "<a> -> <b> -> <c>", "<a>\n"]
)
def test_a_form_that_means_nothing_is_a_programming_error(form: str) -> None:
    with pytest.raises(ValueError, match="no such form"):
        Form(form)


@given(st.sampled_from(["", "<a>", "[a]", "<a> -> <b>", "<a> -> [b]", "<a> <b>"]), st.text(max_size=40))
def test_any_text_gives_one_text_for_each_slot_or_a_refusal(form: str, rest: str) -> None:
    read = Form(form)
    try:
        texts = read.read("verb", rest)
    except Refusal:
        return
    assert len(texts) == len(read.names)


@pytest.mark.parametrize(
    ("verb", "rest", "hint"),
    [
        ("where", "is the red tin", "type just: where; to ask or tell those here: say where is the red tin"),
        ("where", "x", "type just: where"),
        ("@save", "it all now", "type just: @save"),
    ],
)
def test_a_sentence_that_begins_as_a_command_is_told_how_it_is_said(verb: str, rest: str, hint: str) -> None:
    with pytest.raises(Refusal) as refusal:
        Form("").read(verb, rest)
    assert refusal.value.hint == hint
