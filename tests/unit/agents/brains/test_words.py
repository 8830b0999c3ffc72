"""Telling words, stems and words that mean much the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.brains._words import coverage, meanings, stem, telling, tokens, widened, with_article


def test_forms_of_one_word_have_one_stem() -> None:
    for forms in ("hide hides hid hidden hiding", "key keys", "house houses", "run runs ran running", "string strings"):
        assert len({stem(word) for word in forms.split()}) == 1, forms


@given(st.text(max_size=40))
def test_a_stem_has_no_other_stem_and_nothing_breaks(text: str) -> None:
    for word in tokens(text):
        assert stem(stem(word)) == stem(word)


def test_small_words_and_names_left_out_tell_nothing() -> None:
    assert telling("Eliza, where is the brass key of my aunt?", ("Eliza",)) == ("brass", "key", "aunt")


def test_other_words_for_the_same_are_found() -> None:
    assert coverage(("passphrase",), meanings("The password is heliotrope.")) == 1.0
    assert coverage(("bury", "ring"), meanings("I hid the ring")) == 1.0


def test_a_general_word_in_common_proves_nothing() -> None:
    assert coverage(("find", "spoon"), meanings("I found a key")) == 0.0
    assert 0.4 < coverage(("silver", "key"), meanings("the brass key")) < 0.6


def test_a_wider_look_holds_the_words_and_their_likes() -> None:
    assert {"boat", "skiff", "key"} <= set(widened(("boat", "key")))


def test_things_are_spoken_of_with_an_article_and_names_without() -> None:
    assert [with_article(name) for name in ("sundial", "a wax tablet", "Old Tom")] == [
        "the sundial",
        "a wax tablet",
        "Old Tom",
    ]
