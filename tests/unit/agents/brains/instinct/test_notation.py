from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.brains._texts import TEXTS
from agents.brains.instinct.intents import Pattern
from agents.brains.instinct.meaning import Names
from agents.brains.instinct.ways import WAYS
from tests.unit.agents.brains.instinct.shipped import INTERPRETER

WORDS = st.sampled_from(["bees", "keeps", "honey", "hive", "smoke", "wax"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=5)


def fits(pattern: str, sentence: str) -> bool:
    return Pattern(pattern, INTERPRETER.words).fits(sentence.split()) is not None


@pytest.mark.parametrize(
    ("pattern", "sentence", "expected"),
    [
        ("how (are|do) you", "how do you", True),
        ("how (are|do) you", "how you", False),
        ("where is [the] hive", "where is hive", True),
        ("where is [the|my old] hive", "where is my old hive", True),
        ("where is [the] hive", "where is the hive now", False),
        ("tell me about {topic}", "tell me about the old hive", True),
        ("tell me about {topic}", "tell me about", False),
        ("(tell [me] more|say on) now", "tell more now", True),
        ("what's new", "what is new", True),
        ("{place} 's keeper", "the garden 's keeper", True),
    ],
)
def test_a_pattern_covers_a_sentence_as_a_whole(pattern: str, sentence: str, expected: bool) -> None:
    assert fits(pattern, sentence) is expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("how (are|do you", "a bracket is not closed; expected )"),
        ("how [are you", "a bracket is not closed; expected ]"),
        ("how are) you", ") is no part of a pattern"),
        ("how (are|) you", "nothing stands beside a |"),
        ("where is {persn}", "{persn} is no slot; expected one of"),
        ("where is {persn}", "did you mean person?"),
        ("where is {person", "is no slot"),
        ("{topic}", "it has no word that every sentence of it would have"),
        ("[hello]", "it has no word that every sentence of it would have"),
    ],
)
def test_a_mistake_in_a_pattern_is_named(pattern: str, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        Pattern(pattern, INTERPRETER.words)
    assert message in str(raised.value)


@given(SENTENCES)
def test_a_sentence_is_a_pattern_of_itself(words: list[str]) -> None:
    assert fits(" ".join(words), " ".join(words))


@given(SENTENCES, SENTENCES)
def test_one_of_several_covers_each_of_them(one: list[str], other: list[str]) -> None:
    pattern = f"({' '.join(one)}|{' '.join(other)})"
    assert fits(pattern, " ".join(one))
    assert fits(pattern, " ".join(other))


@given(SENTENCES, SENTENCES)
def test_what_may_be_left_out_may_be_there_too(words: list[str], more: list[str]) -> None:
    pattern = f"{' '.join(words)} [{' '.join(more)}]"
    assert fits(pattern, " ".join(words))
    assert fits(pattern, " ".join([*words, *more]))


@given(SENTENCES)
def test_a_slot_holds_the_words_in_its_place_as_they_were_said(words: list[str]) -> None:
    said = f"the {'  '.join(words)}"
    meaning = INTERPRETER.read(f"What do you know about {said}?", Names("Moss"))
    assert meaning.slots["topic"] == said


@given(st.text(max_size=60))
def test_any_line_is_read_without_an_error(text: str) -> None:
    meaning = INTERPRETER.read(text, Names("Moss", ("Ann",), ("The Library",), ("sundial",)))
    assert meaning.intent in INTERPRETER.intents


@given(st.text(alphabet="()[]{}| abc'", max_size=30))
def test_any_pattern_is_read_or_refused_with_a_reason(text: str) -> None:
    try:
        Pattern(text, INTERPRETER.words).fits(["abc"])
    except ValueError as error:
        assert str(error)  # noqa: PT017 - a reason is what this is about


@pytest.mark.parametrize(
    "pattern",
    ["[bees] " * 60 + "honey", "[(bees|bees bees)] " * 30 + "honey", "[{topic}] " * 30 + "honey"],
)
def test_no_pattern_takes_long_whoever_wrote_it(pattern: str) -> None:
    assert not fits(pattern, "bees " * 60)
    assert fits(pattern, "bees " * 20 + "honey")


def test_brackets_may_be_nested_as_deep_as_anybody_likes() -> None:
    assert fits("hive " + "[" * 2000 + "bees" + "]" * 2000, "hive bees")


def test_every_text_that_an_intent_or_a_way_to_answer_names_is_one_that_voices_have() -> None:
    named = {*WAYS, *(text for intent in INTERPRETER.intents.values() for text in intent.texts)}
    assert sorted(named.difference(TEXTS)) == []
