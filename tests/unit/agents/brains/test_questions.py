"""How a line spoken to an agent is read."""

from __future__ import annotations

import pytest

from agents.brains.instinct.questions import Asks, Sort, read, thing_in
from agents.brains.instinct.statements import name_given
from agents.memory.perception import Utterance

PEOPLE = ("Visitor", "Anna", "Moss")


@pytest.mark.parametrize(
    ("words", "sort"),
    [
        ("Hello Eliza!", Sort.GREETING),
        ("Good evening, Eliza", Sort.GREETING),
        ("thank you so much", Sort.THANKS),
        ("Good night Eliza", Sort.NIGHT),
        ("Good night everybody, sleep well!", Sort.NIGHT),
        ("I am going to bed now, Eliza.", Sort.NIGHT),
        ("Goodbye, Eliza!", Sort.FAREWELL),
        ("Goodbye Eliza, it was nice talking to you.", Sort.FAREWELL),
        ("It was lovely to meet you, Eliza. See you tomorrow!", Sort.FAREWELL),
        ("Bye! Thanks for everything.", Sort.FAREWELL),
        ("I have to go home now. Have a nice evening, Eliza.", Sort.FAREWELL),
        ("Goodbye Eliza, the key is under the pot.", Sort.TOLD),
        ("What a lovely garden you have here.", Sort.SHORT),
        ("You are welcome.", Sort.SHORT),
        ("Could you show me around?", Sort.WISH),
        ("Last night I saw two herons.", Sort.TOLD),
        ("I must go now", Sort.FAREWELL),
        ("Please come with me", Sort.WISH),
        ("ok", Sort.SHORT),
        ("Hello Eliza. The key is under the pot.", Sort.TOLD),
        ("Eliza, remember that my cat is called Bodge", Sort.TOLD),
        ("I don't know where the key is", Sort.TOLD),
        ("Hello Eliza, where is the key?", Sort.QUESTION),
        ("I wonder where the key is", Sort.QUESTION),
    ],
)
def test_a_line_is_read_for_what_it_wants(words: str, sort: Sort) -> None:
    assert read(Utterance("Visitor", words), "Eliza", PEOPLE).sort is sort


@pytest.mark.parametrize(
    ("words", "asks", "person"),
    [
        ("how are you?", Asks.HOW_ARE_YOU, "Visitor"),
        ("What is your name?", Asks.WHO_ARE_YOU, "Visitor"),
        ("Do you remember me?", Asks.KNOW_ME, "Visitor"),
        ("where are we?", Asks.WHERE_ARE_WE, "Visitor"),
        ("who else is here?", Asks.WHO_IS_HERE, "Visitor"),
        ("who else lives here?", Asks.WHOM_MET, "Visitor"),
        ("whom have you met so far?", Asks.WHOM_MET, "Visitor"),
        ("are there any other people around here?", Asks.WHOM_MET, "Visitor"),
        ("what's new?", Asks.NEWS, "Visitor"),
        ("What did Anna say about the bridge?", Asks.SAID, "Anna"),
        ("can you tell me what Anna said about the boat?", Asks.SAID, "Anna"),
        ("what did I tell you?", Asks.SAID, "Visitor"),
        ("what did you say?", Asks.SAID, "Eliza"),
        ("where is Moss?", Asks.SEEN, "Moss"),
        ("Have you seen Moss?", Asks.SEEN, "Moss"),
        ("where does Anna keep her boat?", Asks.WHERE, "Anna"),
        ("who has the lantern?", Asks.WHO, None),
        ("when does the ferry leave?", Asks.WHEN, None),
        ("how many hives are there?", Asks.COUNT, None),
        ("is the bridge open?", Asks.OTHER, None),
        ("are you a robot?", Asks.WHAT_KIND, "Visitor"),
        ("Are you a real person?", Asks.WHAT_KIND, "Visitor"),
        ("are you a gardener?", Asks.OTHER, None),
        ("what is Anna's password?", Asks.OTHER, "Anna"),
        ("What did Anna ask you not to tell anyone?", Asks.SECRET, "Anna"),
        ("what did Anna whisper to you?", Asks.SECRET, "Anna"),
        ("Does Anna have a secret?", Asks.SECRET, "Anna"),
        ("what did I tell you in confidence?", Asks.SECRET, "Visitor"),
        ("where is the secret door?", Asks.WHERE, None),
        ("who was rude to you?", Asks.KINDNESS, None),
        ("who insulted you?", Asks.KINDNESS, None),
        ("Did Anna insult Moss?", Asks.KINDNESS, "Anna"),
        ("what did Anna do to you?", Asks.DONE, "Anna"),
        ("How does Anna treat you?", Asks.DONE, "Anna"),
        ("What have you been doing today?", Asks.DOING, "Visitor"),
        ("what do you do all day?", Asks.DOING, "Visitor"),
        ("what did you do yesterday?", Asks.DOING, "Visitor"),
        ("how was your day?", Asks.DOING, "Visitor"),
        ("have you been to the library?", Asks.BEEN, None),
        ("what do you do for a living?", Asks.TRADE, "Visitor"),
        ("What is your job?", Asks.TRADE, "Visitor"),
        ("what do you wish for?", Asks.GOAL, "Visitor"),
        ("what did Anna do?", Asks.DONE, "Anna"),
        ("is Anna a nice woman?", Asks.OPINION, "Anna"),
        ("where have you been?", Asks.DOING, "Visitor"),
        ("are you angry with Anna?", Asks.OPINION, "Anna"),
        ("are you angry?", Asks.HOW_ARE_YOU, "Visitor"),
        ("Do you work here?", Asks.TRADE, "Visitor"),
        ("where were you before?", Asks.DOING, "Visitor"),
        ("Really?", Asks.SOURCE, "Visitor"),
        ("do you remember my name?", Asks.MY_NAME, "Visitor"),
        ("Can I trust you with a secret?", Asks.TRUST, "Visitor"),
        ("are you friends with Anna?", Asks.OPINION, "Anna"),
        ("is Anna your friend?", Asks.OPINION, "Anna"),
        ("what is your dearest wish?", Asks.GOAL, "Visitor"),
    ],
)
def test_a_question_is_read_for_what_it_asks(words: str, asks: Asks, person: str | None) -> None:
    question = read(Utterance("Visitor", words), "Eliza", PEOPLE).question
    assert question is not None
    assert (question.asks, question.person) == (asks, person)


def test_a_question_that_leans_on_the_sentence_before_takes_its_words() -> None:
    question = read(Utterance("Visitor", "I lost my brass key. Where could it be?"), "Eliza", PEOPLE).question
    assert question is not None
    assert "key" in question.telling


def test_the_thing_spoken_of_is_named_as_its_listener_would() -> None:
    assert thing_in("My old boat is leaking.") == "your old boat"
    assert thing_in("Where is the brass key?") == "the brass key"
    assert thing_in("where did I put that key") == "the key"
    assert thing_in("It rained.") == ""


@pytest.mark.parametrize(
    ("words", "thing"),
    [
        ("The brass key is under the pot.", "the brass key"),
        ("My boat leaks.", ""),
        ("The mayor danced.", ""),
        ("The mayor danced with Anna.", ""),
        ("My pets are called Tick and Tock.", "your pets"),
        ("What are your pets called?", ""),
        ("My name is Peter.", ""),
        ("When does the circus come?", "the circus"),
        ("I own a small box.", "the small box"),
        ("I painted my front door green.", ""),
    ],
)
def test_a_thing_is_named_only_where_it_surely_is_one(words: str, thing: str) -> None:
    assert read(Utterance("Visitor", words), "Eliza", PEOPLE).thing == thing


@pytest.mark.parametrize(
    ("words", "name"),
    [("My name is Peter", "Peter"), ("I am Peter.", "Peter"), ("I am tired.", ""), ("I am Peter and late.", "")],
)
def test_a_name_is_heard_as_a_name(words: str, name: str) -> None:
    assert name_given(words) == name


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        ("Is Anna nice?", Asks.OPINION),
        ("Is Anna very kind?", Asks.OPINION),
        ("Is the soup nice?", Asks.OTHER),
        ("Was Anna kind to you?", Asks.KINDNESS),
    ],
)
def test_whether_somebody_is_nice_is_asked_of_ones_opinion(words: str, asks: Asks) -> None:
    question = read(Utterance("Visitor", words), "Eliza", ("Visitor", "Anna")).question
    assert question is not None
    assert question.asks is asks
