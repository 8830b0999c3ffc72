"""What minds pass on, unwrapped."""

from __future__ import annotations

import pytest

from agents.brains.instinct.hearsay import unwrapped
from agents.brains.instinct.voice import fill
from tests.unit.agents.brains.stage import voice

WORDS = "the mill at Harrow has burned down."
VOICES = ("default", "eliza", "moss", "tamsin", "corvin")
FRAMES = ("told", "quoted", "near", "hearsay", "yes_told", "time")


def lines(name: str, key: str) -> list[str]:
    places = {
        "name": "Anna",
        "person": "Jonas",
        "place": "The Garden",
        "when": "some minutes ago",
        "words": WORDS,
        "via": "Eliza",
    }
    return [text for each in voice(name, f"answer.{key}") if (text := fill(each, places))]


@pytest.mark.parametrize("name", VOICES)
@pytest.mark.parametrize("key", FRAMES)
@pytest.mark.parametrize("known", [("Anna", "Eliza", "Jonas"), ("Anna", "Eliza")])
def test_every_frame_that_names_somebody_gives_back_the_words_and_whose_they_are(
    name: str, key: str, known: tuple[str, ...]
) -> None:
    for line in lines(name, key):
        source, words = unwrapped(line, known)
        assert (source, words.lower()) == ("Jonas", WORDS.lower()), line


@pytest.mark.parametrize("name", VOICES)
@pytest.mark.parametrize("key", ["told_you", "quoted_you", "near_you", "yes_told_you"])
def test_your_own_words_are_those_of_who_is_spoken_to(name: str, key: str) -> None:
    for line in lines(name, key):
        source, words = unwrapped(line, ("Anna", "Eliza", "Jonas"))
        assert (source, words.lower()) == ("Anna", WORDS.lower()), line


def test_what_quotes_nobody_stays_as_it_is() -> None:
    for line in ("The mill has burned down.", "I saw two herons: one grey, one white."):
        assert unwrapped(line, ("Anna",)) == ("", line)


@pytest.mark.parametrize("said", ["Jonas says that {}", "Jonas said, {}", "Jonas told me {}", "{}"])
def test_who_is_named_as_the_source_is_not_named_again(said: str) -> None:
    words = said.format(WORDS)
    for line in (f"I have it from Jonas, in The Mill: {words}", f"Jonas told me in The Mill: '{words}'"):
        assert unwrapped(line, ("Anna", "Jonas")) == ("Jonas", WORDS)
    assert unwrapped(f"I have it from Anna: {words}", ("Anna", "Jonas")) == ("Anna", words)
