"""The words of the instinct: the shipped voices, and how a line is made of them."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.brains._texts import says_name, wrong_in
from agents.brains.instinct.facts import unwrapped
from agents.brains.instinct.voice import Speaker, clean, fill
from agents.mind.interpreter import shipped_interpreter
from mud.sanitize import sanitize
from tests.unit.agents.brains.stage import TEXTS, VOICES, Stage, voice

is_ignorant = shipped_interpreter().words.is_ignorant
NAMES = ("Eliza", "Moss", "Tamsin", "Corvin")
FOR_ANYBODY = tuple(name for name in TEXTS.variants("generate.people.voices") if name != "default")
OFTEN = ("greet.first", "greet.known", "greet.back", "ack.plain", "ack.thing", "answer.told", "answer.told_you")


def texts_of(name: str) -> dict[str, tuple[str, ...]]:
    prefix = f"instinct.{name}."
    return {key.removeprefix(prefix): TEXTS.variants(key) for key in TEXTS.keys(prefix)}


@pytest.mark.parametrize("name", VOICES)
def test_every_shipped_voice_is_in_order(name: str) -> None:
    assert wrong_in(texts_of(name), is_ignorant, None if name == "default" else texts_of("default")) == []


@pytest.mark.parametrize("name", VOICES)
def test_what_is_said_often_has_many_variants(name: str) -> None:
    texts = texts_of(name)
    assert all(len(texts[key]) >= 8 for key in (*OFTEN, "answer.quoted", "answer.quoted_you", "unknown.thing"))
    assert all(len(set(variants)) == len(variants) for variants in texts.values())


def test_mistakes_in_a_voice_are_named() -> None:
    wrong = wrong_in(
        {
            "greet.frist": ("Hello.",),
            "greet.first": ("Hello, {nmae}.",),
            "manner.talk": ("loudly",),
            "unknown.plain": ("It is in the garden.",),
        },
        is_ignorant,
        texts_of("default"),
    )
    assert [key for key, _ in wrong] == ["greet.frist", "greet.first", "manner.talk", "unknown.plain"]
    assert "did you mean greet.first?" in wrong[0][1]
    assert any(key == "reply.how" for key, _ in wrong_in({}, is_ignorant))


def test_a_variant_with_an_empty_place_is_passed_over() -> None:
    assert fill("Hello, {name}.", {"name": ""}) is None
    assert fill("Hello, {name}.", {}) is None
    assert fill(
        "{when}, {name}. {words} He said: '{words}'", {"name": "Anna", "when": "just now", "words": "it rains."}
    ) == ("Just now, Anna. It rains. He said: 'It rains.'")


@given(st.text(max_size=2000))
def test_whatever_is_filled_in_stays_one_line_without_a_reason_mark(text: str) -> None:
    line = clean(text)
    assert "|" not in line
    assert line == " ".join(sanitize(line).split())
    assert len(line) <= 600


def test_a_speaker_never_says_again_what_was_said_lately_even_before_a_restart() -> None:
    speaker = Speaker(Random(1), voice)
    speaker.remember(["I do not know, Anna."])
    lines = []
    while (line := speaker.line("unknown.plain", name="Anna")) is not None:
        lines.append(line)
    assert "I do not know, Anna." not in lines
    assert len(lines) == len(set(lines)) == len(voice("default", "unknown.plain")) - 1


def test_a_text_that_nobody_wrote_is_not_said() -> None:
    speaker = Speaker(Random(1), lambda _name, _key: ())
    assert speaker.line("greet.first", name="Anna") is None
    assert speaker.plain("when.now") == ""
    assert speaker.share("manner.talk") == 0.5


def test_thoughts_and_gestures_push_no_spoken_line_out_of_the_twenty() -> None:
    def texts(name: str, key: str) -> tuple[str, ...]:
        return ("The pears are ripe.",) if key == "talk" else ("{n}",)

    speaker = Speaker(Random(1), texts)
    assert speaker.line("talk") is not None
    for number in range(30):
        assert speaker.line("think.place", n=f"thought {number} {number * 7} {number * 11}") is not None
    assert speaker.line("talk") is None


def test_what_another_brain_said_counts_as_said() -> None:
    speaker = Speaker(Random(1), lambda name, key: ("The pears are ripe.",))
    speaker.remember(["The pears are ripe!"])
    assert speaker.line("talk") is None


@pytest.mark.parametrize("name", VOICES)
def test_whoever_speaks_with_a_shipped_voice_says_their_own_name(name: str) -> None:
    stage = Stage(exits={"The Garden": {}})
    stage.mind("Gerda", voice_name=name)
    stage.enter("Anna")
    stage.run(30)
    asked = stage.seconds
    for _ in range(4):
        stage.say("Anna", "Gerda, who are you?")
        stage.run(240)
    told = [one.words for one in stage.lines("Gerda", asked)]
    assert sum("Gerda" in words for words in told) >= 2
    assert not any(other in words for one in stage.lines() for other in NAMES for words in (one.words,))


def test_every_text_that_is_spoken_has_a_place_for_the_speakers_name() -> None:
    default = texts_of("default")
    spoken = {"talk.here": ("I am {me}, {name}.",), "emote.idle": ("is every inch {me}.",)}
    assert wrong_in(spoken, is_ignorant, default) == []
    assert wrong_in({"hint.enough": ("{me}",), "manner.talk": ("{me}",)}, is_ignorant, default) != []


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("I am Eliza, {name}.", "Eliza", True),
        ("Eliza is what they call me.", "Eliza", True),
        ("Elizabeth came by.", "Eliza", False),
        ("{name}. May I ask you something?", "May", False),
        ("May, {name}, and always was.", "May", True),
        ("They call me May.", "May", True),
        ("'May I?' said nobody.", "May", False),
    ],
)
def test_a_name_is_told_from_a_word_that_begins_a_sentence(text: str, name: str, said: bool) -> None:
    assert says_name(text, name, {"may", "will"}) is said


@pytest.mark.parametrize("name", VOICES)
@pytest.mark.parametrize("people", [("Eliza", "Moss"), ("Eliza", "Moss", "Jonas")])
def test_whoever_is_told_news_in_any_voice_knows_whose_it_is(name: str, people: tuple[str, ...]) -> None:
    told = {"name": "Moss", "person": "Jonas", "words": "The mill at Harrow has burned down.", "me": "Eliza"}
    for key in ("topic.news", "talk.news", "talk.errand"):
        for variant in texts_of(name).get(key, ()):
            line = fill(variant, told)
            assert line
            assert unwrapped(line, people, shipped_interpreter().words)[0] == "Jonas", line


@pytest.mark.parametrize("name", FOR_ANYBODY)
def test_what_a_voice_for_anybody_says_of_its_own_is_not_taken_for_words_of_another(name: str) -> None:
    told = {"name": "Moss", "thing": "the silver key", "place": "The Yard", "words": "The mill has burned down.",
            "me": "Eliza", "when": "just now"}  # fmt: skip
    quoting = ("answer.", "opinion.", "greet.remembers")
    own = [one for key, variants in texts_of(name).items() if not key.startswith(quoting) for one in variants]
    for line in filter(None, (fill(variant, told) for variant in own)):
        assert unwrapped(line, ("Eliza", "Moss"), shipped_interpreter().words)[0] == "", line


@pytest.mark.parametrize("name", FOR_ANYBODY)
def test_a_voice_for_anybody_says_nothing_that_another_voice_says(name: str) -> None:
    others = {text for other in VOICES if other != name for told in texts_of(other).values() for text in told}
    own = {text for key, told in texts_of(name).items() if not key.startswith("manner.") for text in told}
    assert own & others == set()
