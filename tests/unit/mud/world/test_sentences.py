"""Where sentences end."""

from __future__ import annotations

from mud.world.sentences import sentences


def test_a_text_is_split_where_sentences_end() -> None:
    assert sentences("Hello! It is here. Is it?\nYes") == ["Hello!", "It is here.", "Is it?", "Yes"]


def test_an_abbreviation_ends_no_sentence_and_a_word_that_ends_like_one_does() -> None:
    assert sentences("Ask Mr. Vane or MRS. ABEL at St. Ives. The quest. Yes, sir. Plums, e.g. damsons.") == [
        "Ask Mr. Vane or MRS. ABEL at St. Ives.",
        "The quest.",
        "Yes, sir.",
        "Plums, e.g. damsons.",
    ]


def test_a_line_ends_a_sentence_whatever_stands_there() -> None:
    assert sentences("Written to Dr.\nVane and to\n\nMoss") == ["Written to Dr.", "Vane and to", "Moss"]
