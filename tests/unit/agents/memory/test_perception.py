"""What a perceived line means."""

from __future__ import annotations

import pytest

from agents.memory.entries import Entry
from agents.memory.perception import Utterance, of_own_notes, remembered, spoken, whispered
from agents.text.addressing import Address, addressed, is_question, mentions, without_address
from mud.world.events import OWN_NOTES, WHISPERED, Event, Perception

AT = "2026-05-01T09:00:00.000Z"


@pytest.mark.parametrize(
    "words",
    [
        "Eliza, where is the key?",
        "Eliza where is the key",
        "eliza: come here",
        "Hello Eliza!",
        "Good evening, Eliza.",
        "Where is the key, Eliza?",
        "thank you Eliza",
        "Tell me, Eliza, what do you know?",
        "Moss and Eliza, look at this.",
        "I have always liked Eliza",
    ],
)
def test_a_line_that_names_me_is_for_me(words: str) -> None:
    assert addressed(words, ("Eliza",), ("Moss", "Anna")) is Address.ME


@pytest.mark.parametrize(
    "words",
    [
        "Moss, where is the key?",
        "Moss, do you know where Eliza went?",
        "hey Moss",
        "Good night Moss",
        "What do you think, Moss?",
        "Anna, the key is under the pot.",
        "Anna and Moss, come here",
    ],
)
def test_a_line_that_calls_another_is_for_that_one_even_if_it_speaks_of_me(words: str) -> None:
    assert addressed(words, ("Eliza",), ("Moss", "Anna"), alone=False) is Address.OTHER


@pytest.mark.parametrize(
    "words",
    ["Where is the key?", "Where is Moss?", "Moss told me about the tide", "Eliza's garden is green", "Elizabeth"],
)
def test_a_line_that_calls_nobody_is_for_anybody(words: str) -> None:
    assert addressed(words, ("Eliza",), ("Moss", "Anna")) is Address.ANYBODY


def test_with_nobody_else_there_every_line_is_for_me_unless_it_calls_somebody() -> None:
    assert addressed("It rained.", ("Eliza",), (), alone=True) is Address.ME
    assert addressed("Moss, it rained.", ("Eliza",), ("Moss",), alone=True) is Address.OTHER


def test_a_whisper_is_for_whom_it_is_whispered_to() -> None:
    assert addressed("Moss, listen", ("Eliza",), ("Moss",), private=True) is Address.ME


@pytest.mark.parametrize(
    ("words", "whom", "bare"),
    [
        ("Saul, how are you?", Address.ME, "how are you?"),
        ("Hello saul!", Address.ME, ""),
        ("What do you do, Saul?", Address.ME, "What do you do?"),
        ("Saul Wilby, come here.", Address.ME, "come here."),
        ("Will, how are you?", Address.OTHER, "Will, how are you?"),
        ("Saul sings at night.", Address.ANYBODY, "Saul sings at night."),
    ],
)
def test_who_has_several_names_is_called_by_the_first_too(words: str, whom: Address, bare: str) -> None:
    assert addressed(words, ("Saul Wilby",), ("Will Ashton",)) is whom
    assert without_address(words, ("Saul Wilby",)) == bare


def test_a_first_name_that_is_a_word_calls_only_with_a_mark_behind_it() -> None:
    assert addressed("Will you come?", ("Will Ashton",), ()) is Address.ANYBODY
    assert without_address("Will you come?", ("Will Ashton",)) == "Will you come?"
    assert addressed("Will, you come!", ("Will Ashton",), ()) is Address.ME
    assert addressed("The, well, garden.", ("The Gardener",), ()) is Address.ANYBODY


@pytest.mark.parametrize(
    "words",
    [
        "Where is it?",
        "where is the key",
        "Eliza, do you remember the key",
        "Tell me where the key is.",
        "I wonder where the key is",
        "Hello! Who are you?",
        "what time is it",
        "how many hives are there",
        "He asked, \"Where?\"",
    ],
)  # fmt: skip
def test_questions_are_known_with_and_without_their_mark(words: str) -> None:
    assert is_question(words)


@pytest.mark.parametrize(
    "words",
    ["The key is here.", "When I was a child I had a dog.", "What a lovely day!", "Do it.", "Have a look at this.", ""],
)
def test_what_asks_nothing_is_no_question(words: str) -> None:
    assert not is_question(words)


def test_what_was_said_is_taken_from_the_event_as_typed() -> None:
    event = Event("speech", "#1", "#9", 'Anna says, "He said \\"hi\\""', words='He said "hi"')
    said = spoken(Perception("#2", "heard", event.text, "Anna", "The Garden", event=event))
    assert said == Utterance("Anna", 'He said "hi"')
    assert not said.question


def test_ones_own_line_and_a_mere_action_are_nobodys_words() -> None:
    assert spoken(Perception("#2", "said", 'You say, "hello"')) is None
    event = Event("emote", "#1", "#9", "Anna waves")
    assert spoken(Perception("#2", "saw", "Anna waves", "Anna", event=event)) is None


def test_what_was_said_is_read_back_from_memory() -> None:
    heard = Entry(1, AT, "heard", "Anna", "The Garden", 'Anna says, "He said "hi" to me."')
    told = Entry(2, AT, "told", "Anna", "The Garden", 'Anna whispers to you, "hush"')
    own = Entry(3, AT, "said", None, "The Garden", 'You say, "I heard."')
    saw = Entry(4, AT, "saw", "Anna", "The Garden", 'Anna points at a sign: "No fishing"')
    assert remembered(heard) == Utterance("Anna", 'He said "hi" to me.')
    assert remembered(told) == Utterance("Anna", "hush", private=True)
    assert remembered(own) == Utterance("", "I heard.")
    assert remembered(saw) is None


def test_words_are_found_in_a_memory_without_quotation_marks() -> None:
    assert remembered(Entry(1, AT, "heard", "Anna", None, "Anna says: the tide turns")) == Utterance(
        "Anna", "the tide turns"
    )


def test_a_memory_that_only_reports_gives_what_was_said_and_not_who_said_it() -> None:
    for text in ("Ulric says the mill opens at 7:30.", "Ulric says that the mill opens at 7:30."):
        heard = Entry(1, "", "heard", "Ulric", "The Mill", text)
        assert remembered(heard) == Utterance("Ulric", "the mill opens at 7:30.")
    other = Entry(1, "", "heard", "Ulric", "The Mill", "Ulrica says the mill is open.")
    assert remembered(other) == Utterance("Ulric", "Ulrica says the mill is open.")


def test_names_are_cut_off_a_line_where_they_call_and_only_there() -> None:
    assert without_address("Eliza, the key is here.", ("Eliza",)) == "the key is here."
    assert without_address("Well, Eliza: hush", ("Eliza",)) == "hush"
    assert without_address("Where is it, Eliza?", ("Eliza",)) == "Where is it?"
    assert without_address("Eliza's key is here.", ("Eliza",)) == "Eliza's key is here."


def test_names_are_found_as_whole_words_in_any_case_and_script() -> None:
    assert mentions("where is MOSS?", "Moss")
    assert not mentions("mossy stones", "Moss")
    assert mentions("γεια σου Ελένη!", "Ελένη")
    assert not mentions("anything", "")


@pytest.mark.parametrize(
    "words",
    [
        "Eliza, where is it?",
        "Hi Eliza, what is new?",
        "Eliza, Corvin is late",
        "@Eliza what is new",
        "Eliza should I go?",
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_a_line_that_calls_another_by_name_is_not_for_corvin(words: str, alone: bool) -> None:
    assert addressed(words, ("Corvin",), ("Eliza",), alone=alone) is Address.OTHER


def test_a_name_called_first_that_nobody_knows_is_another_all_the_same() -> None:
    assert addressed("Eliza, what is new?", ("Corvin",), (), alone=True) is Address.OTHER
    for words in ("Actually, what is new?", "Yes, what is new?", "Friend, what is new?", "Corvin, what is new?"):
        assert addressed(words, ("Corvin",), (), alone=True) is Address.ME


def test_what_one_whispered_and_noted_oneself_is_known_by_its_mark_and_without_one_by_its_words() -> None:
    said = Entry(1, AT, "said", None, "The Garden", 'Du raunst Moss zu: "Der Krug ist leer."')
    shown = Entry(2, AT, "result", None, "The Garden", "Deine Notiz: Der Krug ist leer.")
    assert not whispered(said)
    assert whispered(said._replace(mark=WHISPERED))
    assert whispered(said._replace(text='You whisper to Moss, "The jug is empty."'))
    assert not whispered(said._replace(text='You say, "They whisper in there."'))
    assert not of_own_notes(shown)
    assert of_own_notes(shown._replace(mark=OWN_NOTES))
    assert of_own_notes(shown._replace(text='Your note "Jug": It is empty.'))
    assert not whispered(shown._replace(mark=OWN_NOTES))
