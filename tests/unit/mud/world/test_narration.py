"""The few forms that need grammar."""

from __future__ import annotations

from mud.world.narration import counted, listed, phrase, shortened
from mud.world.sentences import sentences


def test_names_are_joined_as_one_says_them() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_one_of_something_is_not_put_in_the_plural() -> None:
    assert counted(1, "memory", "memories") == "1 memory"
    assert counted(2, "memory", "memories") == "2 memories"
    assert counted(0, "fold") == "0 folds"
    assert counted(1200, "agent") == "1,200 agents"


def test_a_text_is_shortened_only_when_it_is_too_long() -> None:
    assert shortened("12345", 5) == "12345"
    assert shortened("123456", 5) == "12345..."


def test_a_phrase_is_found_by_its_key() -> None:
    said = phrase("commands.say.said", "words")
    assert said.name == said.key == "commands.say.said"
    assert said.places == ("words",)


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
