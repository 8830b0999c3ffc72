"""Messages as bytes for terminals."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from mud.portal.ansi import WIDEST, Style, columns_of, draw, fitting, wrap
from mud.portal.session import Message

CODES = re.compile(r"\x1b\[[0-9;]*m")
NAMES = (("Eliza", "person"), ("The Garden", "place"), ("brass lamp", "item"))
WORDS = st.lists(
    st.sampled_from(
        ["Eliza", "The Garden", "brass lamp", '"well, well"', "鶴の庭", "naïve", "e\u0301", "x" * 30, "a", "\n"]
    )
).map(" ".join)


@given(WORDS, st.integers(1, 200), st.sampled_from([0, 16, 256]), st.sampled_from(["reply", "whisper", "refusal"]))
def test_colours_and_line_ends_are_all_that_is_added(text: str, columns: int, colours: int, kind: str) -> None:
    message = Message(text, kind, NAMES)
    drawn = draw(message, Style(colours, fitting(columns))).decode()
    plain = CODES.sub("", drawn)
    assert plain.endswith("\r\n")
    assert plain[:-2].replace("\r\n", "\n").replace("\n", " ") == text.replace("\n", " ")
    assert ("\x1b" in drawn) is bool(colours and (message.marks or kind != "reply"))
    if "\x1b" in drawn:
        assert CODES.findall(drawn)[-1] == "\x1b[0m"


@given(WORDS, st.integers(20, WIDEST))
def test_no_line_is_wider_than_the_terminal_unless_a_word_is(text: str, columns: int) -> None:
    for line in wrap(text, columns).split("\n"):
        assert columns_of(line) <= columns or " " not in line.strip()


def test_each_mark_has_its_colour_and_the_rest_that_of_its_kind() -> None:
    drawn = draw(Message('Eliza whispers, "psst"', "whisper", NAMES), Style(16)).decode()
    assert drawn == '\x1b[35m\x1b[36mEliza\x1b[0m\x1b[35m whispers, \x1b[1m"psst"\x1b[0m\x1b[35m\x1b[0m\r\n'


def test_a_message_is_drawn_once_for_all_who_have_the_same_terminal() -> None:
    message = Message("Eliza hums.", "emote", NAMES)
    assert draw(message, Style(256, 80)) is draw(message, Style(256, 80))
    assert draw(message, Style(256, 80)) is not draw(message, Style(0, 80))


def test_what_a_terminal_cannot_show_becomes_a_question_mark() -> None:
    assert draw(Message("naïve 鶴"), Style(encoding="ascii")) == b"na?ve ?\r\n"
