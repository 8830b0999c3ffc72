"""How a command's arguments are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.commands._command import Form
from mud.errors import Refusal


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
