"""Generous names that never match by chance."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mud.world.matching import match, match_names, plain, split_name
from mud.world.things import Kind, Thing

ELIZA = Thing("#1", Kind.CHARACTER, "Eliza")
KIND = Thing("#2", Kind.CHARACTER, "Eliza the Kind")
MOSS = Thing("#3", Kind.CHARACTER, "Old Moss", aliases=("The Gardener",))
SOFIA = Thing("#4", Kind.CHARACTER, "Σοφία της Πόλης")
EVERYBODY = (ELIZA, KIND, MOSS, SOFIA)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("eliza", [ELIZA]),
        ("ELIZA THE KIND", [KIND]),
        ("eliza kind", [KIND]),
        ("el", [ELIZA, KIND]),
        ("moss", [MOSS]),
        ("mos", [MOSS]),
        ("gardener", [MOSS]),
        ("a gardener", [MOSS]),
        ("σοφία", [SOFIA]),
        ("ΣΟΦΊΑ ΤΗΣ ΠΌΛΗΣ", [SOFIA]),
        ("πόλης", [SOFIA]),
        ("#3", [MOSS]),
        (" #3 ", [MOSS]),
        ("liza", []),
        ("oss", []),
        ("kind eliza", []),
        ("", []),
        ("   ", []),
        ("#33", []),
    ],
)
def test_a_name_means_whoever_it_fits_best(typed: str, meant: list[Thing]) -> None:
    assert match(typed, EVERYBODY) == meant


def test_a_letter_written_in_two_ways_is_one_letter() -> None:
    elise = Thing("#9", Kind.CHARACTER, unicodedata.normalize("NFC", "Élise"))
    assert match(unicodedata.normalize("NFD", "élise"), [elise]) == [elise]


def test_keys_that_fit_equally_well_come_in_the_order_given() -> None:
    assert match_names("gate", [("b", ("gateway",)), ("a", ("gatehouse",)), ("c", ("garden gate",))]) == ["b", "a"]


@pytest.mark.parametrize(
    ("typed", "who", "words"),
    [
        ("Eliza hello  there", ELIZA, "hello  there"),
        ("eliza the kind hello", KIND, "hello"),
        ("Eliza, hello", ELIZA, "hello"),
        ("Eliza: hello", ELIZA, "hello"),
        ("Eliza the key is gone", ELIZA, "the key is gone"),
        ("the gardener hello", MOSS, "hello"),
        ("moss hello", MOSS, "hello"),
        ("mos, hello", MOSS, "hello"),
        ("#3 hello", MOSS, "hello"),
        ("Eliza", ELIZA, ""),
        ("Σοφία της Πόλης γεια", SOFIA, "γεια"),
        ("El hello", None, "El hello"),
        ("nobody hello", None, "nobody hello"),
        ("", None, ""),
    ],
)
def test_a_name_is_split_from_the_words_after_it(typed: str, who: Thing | None, words: str) -> None:
    assert split_name(typed, EVERYBODY) == (who, words)


def test_a_very_long_line_is_split_at_once() -> None:
    crowd = [Thing(f"#{n}", Kind.CHARACTER, f"Somebody Number {n}") for n in range(50)]
    started = time.process_time()
    assert split_name("a " * 50_000, crowd)[0] is None
    assert time.process_time() - started < 0.5


@given(st.text(max_size=40))
def test_any_text_can_be_asked_for(text: str) -> None:
    assert all(thing in EVERYBODY for thing in match(text, EVERYBODY))
    thing, words = split_name(text, EVERYBODY)
    assert thing is not None or words == text
    assert words in text


@given(st.text(max_size=40))
def test_a_plain_name_is_as_plain_as_it_gets_apart_from_stacked_articles(name: str) -> None:
    once = plain(name)
    assert "  " not in once
    assert once == once.strip()
    assert plain(name.upper().lower()) == plain(name.upper().lower().casefold())


@given(st.sampled_from(EVERYBODY), st.text(alphabet=st.characters(categories=("L", "N", "P")), min_size=1, max_size=20))
@example(EVERYBODY[0], ":")
@example(EVERYBODY[0], ",")
def test_a_full_name_and_words_always_split_as_typed(who: Thing, words: str) -> None:
    found, rest = split_name(f"{who.name} {words}", EVERYBODY)
    assert (found, rest) == (who, words)
