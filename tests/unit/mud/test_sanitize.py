from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.sanitize import sanitize, sanitize_json, visible

ODD = st.text(
    st.characters()
    | st.sampled_from("\x1b\x9b[m]\x07\u200b\u200c\u200d\u200e\u200f\u061c\ufe0f\u202e\ud83d\ude00👩❤می葛a1#")
)
ALWAYS = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *map(chr, range(0xD800, 0xE000))} - {"\n", "\t"}
ALWAYS |= {*"\u200b\u2028\u2029\ufeff\xad\u3164", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2060, 0x2070))}
ALWAYS |= set(map(chr, range(0xE0000, 0xE0100)))


@given(ODD)
def test_what_comes_out_holds_nothing_that_is_always_hidden_and_stays_as_it_is(text: str) -> None:
    clean = sanitize(text)
    assert not ALWAYS & set(clean)
    assert sanitize(clean) == clean
    clean.encode("utf-8")


@given(ODD)
def test_lines_keep_their_numbers(text: str) -> None:
    assert sanitize(text).count("\n") == text.count("\n") or "\x1b" in text or "\x9b" in text


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧‍👦 👩🏽‍⚕️ ❤️‍🔥 🏳️‍🌈 1️⃣ ☺︎ ©️ ‼️",
        "می‌خواهم نامه‌ای", "क्‍ष क्‌ष", "שלום‏!", "‏مرحبا", "Zoë, Zoe\u0308, Ελένη, Ярослав, 名前, 葛\U000e0100",
        "tabs\tand\nlines", "“quotes” — dashes … \u202f and \u2009 thin spaces\u00a0", "x\u0323\u0301", "ᠠ\u180b",
    ],
)  # fmt: skip
def test_what_people_write_with_stays(text: str) -> None:
    assert sanitize(text) == text
    assert visible(text.replace("\n", "").replace("\t", "")) == text.replace("\n", "").replace("\t", "")


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("red \x1b[31mletters\x1b[0m", "red letters"),
        ("\x1b]0;a title\x07words", "words"),
        ("\x9b2Jwords", "words"),
        ("El\u200biza\u2060", "Eliza"),
        ("a\u200db\u200cc\u200ed\u200fe", "abcde"),
        ("a\ufe0f\U000e0100\U000e0041", "a"),
        ("\ufe0f\u200d👧", "👧"),
        ("\u061c" * 5, ""),
        ("one\r\ntwo\rthree\u2028four\x85five", "one\ntwo three four five"),
        ("\ud83d\ude00 \ud83d", "😀 ?"),
    ],
)
def test_what_nobody_sees_goes(text: str, clean: str) -> None:
    assert sanitize(text) == clean
    assert sanitize_json(json.dumps(text).encode(), {"k": [text]}) == {"k": [clean]}


def test_a_name_in_a_message_stands_on_one_line_and_loses_nothing() -> None:
    assert visible("a\x1b[31m\nb\u202e\udcff\tc\\") == r"a\x1b[31m\nb\u202e\udcff\tc" + "\\"


@pytest.mark.parametrize("sign", ["\x9d", "\x1b[", "\x1b[0", "\ufe0f\u200d👧", "\u200d", "\x1b]0;"])
def test_the_time_that_it_takes_grows_with_the_text_alone(sign: str) -> None:
    started = time.process_time()
    sanitize(sign * 100_000)
    assert time.process_time() - started < 5
