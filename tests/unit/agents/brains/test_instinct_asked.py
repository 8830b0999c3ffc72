"""Scenes in which a curious stranger asks: of promises and insults, of who is who, of what the mind does all day."""

from __future__ import annotations

import re

import pytest

from tests.unit.agents.brains.scenes import room, said, thought
from tests.unit.agents.brains.stage import Stage
from tests.unit.agents.brains.test_instinct import is_ignorant

PROMISE = "I promise that I will bring you a red lamp tomorrow."


@pytest.mark.parametrize("asked", ["what did I promise you?", "what was it that I promised?"])
def test_a_promise_whispered_is_remembered_for_who_made_it_and_for_nobody_else(seed: int, asked: str) -> None:
    stage = room(seed, "Anna", "Bea")
    said(stage, "Anna", PROMISE, whisper=True)
    for number in range(100):
        stage.say("Bea", f"The {number}th swallow came over the wall.")
        stage.wait(60)
    stage.restart("Eliza")
    stage.run(8)
    for whisper in (False, True):
        verb, words = said(stage, "Anna", asked, whisper=whisper)
        assert (verb, "red lamp" in words) == ("whisper", True)
    for question in ("what did Anna promise you?", "what did I promise you?"):
        assert "lamp" not in said(stage, "Bea", question)[1]


def test_what_she_herself_promised_in_a_whisper_she_does_not_deny(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    said(stage, "Anna", "Tell nobody: the ruby is in the chimney.", whisper=True)
    stage.wait(100)
    for whisper in (False, True):
        verb, words = said(stage, "Anna", "what did you promise me?", whisper=whisper)
        assert verb == "whisper"
        assert not is_ignorant(words)
    verb, words = said(stage, "Bea", "what did you promise me?")
    assert is_ignorant(words)
    assert "ruby" not in words


@pytest.mark.parametrize(
    "asked", ["what do you think of Ulric?", "do you like Ulric?", "who is Ulric?", "tell me about Ulric"]
)
def test_of_who_was_never_met_nor_heard_of_she_has_no_opinion(seed: int, asked: str) -> None:
    stage = room(seed, "Anna", "Bea")
    answer = said(stage, "Anna", asked)[1]
    assert is_ignorant(answer)
    assert "Ulric" in answer


def test_of_who_was_only_spoken_of_she_tells_what_was_said(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    said(stage, "Anna", "Ulric is a miller in Ulm.")
    for asked in ("who is Ulric?", "do you like Ulric?"):
        answer = said(stage, "Bea", asked)[1]
        assert "miller" in answer.casefold()
        assert "Anna" in answer


def test_who_insulted_whom_is_remembered(seed: int) -> None:
    stage = room(seed, "Anna", "Bea", "Wren")
    said(stage, "Bea", "you old fool!")
    stage.say("Bea", "Wren, you are a liar!")
    stage.say("Wren", "Hello Anna, I brought the bread.")
    stage.run(60)
    for asked in ("what did Bea do to you?", "who insulted you?", "was Bea rude to you?"):
        assert "fool" in said(stage, "Anna", asked)[1]
        stage.wait(60)
    for asked in ("who insulted Wren?", "did Bea insult Wren?", "what did Bea say to Wren?"):
        assert "you are a liar" in said(stage, "Anna", asked)[1]
        stage.wait(60)
    assert "liar" in said(stage, "Wren", "who was rude to me?")[1]
    for asked in ("did Wren insult you?", "who insulted Anna?", "what did Wren do to you?"):
        assert is_ignorant(said(stage, "Anna", asked)[1])


def test_an_insult_whispered_to_her_is_told_to_nobody_else(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    said(stage, "Bea", "you are a fool!", whisper=True)
    said(stage, "Bea", PROMISE, whisper=True)
    assert thought(stage, "Anna", "what did Bea do to you?").text == "unknown.deed"
    for asked in ("what did Bea do to you?", "who insulted you?", "was Bea rude to you?", "what did Bea say to you?"):
        assert "fool" not in said(stage, "Anna", asked)[1]


def test_who_somebody_is_is_told_by_what_they_said_of_themselves_and_not_by_their_small_talk(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    said(stage, "Bea", "I am a baker from Ulm.")
    for words in ("I like the soup.", "I am tired today.", "I saw two herons at the pond."):
        said(stage, "Bea", words)
        stage.wait(90)
    assert "baker" in said(stage, "Anna", "who is Bea?")[1]
    assert not re.search(r"soup|tired|herons", said(stage, "Anna", "tell me about Bea")[1])


def test_what_she_knows_of_who_asks_is_what_they_said_of_themselves(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    for words in ("What a lovely garden you have here.", "I am a piano tuner.", "It was a long way from the ferry."):
        said(stage, "Anna", words)
        stage.wait(60)
    assert "piano tuner" in said(stage, "Anna", "what do you know about me?")[1]


def test_a_look_that_showed_nothing_is_not_told_and_one_that_did_is() -> None:
    for look, told in (("nothing about it catches the eye.", False), ("A tall woman in a green coat.", True)):
        stage = room(1, "Anna", "Bea")
        stage._perceive("Eliza", "result", f"Bea: {look}")
        answer = said(stage, "Anna", "who is Bea?")[1]
        assert ("green coat" in answer) is told
        assert "catches the eye" not in answer


@pytest.mark.parametrize(
    "asked",
    ["what did Bea ask you not to tell anyone?", "what did Bea whisper to you?", "does Bea have a secret?"],
)
@pytest.mark.parametrize("confided", [True, False])
def test_asked_for_a_confidence_she_neither_tells_nor_invents(seed: int, asked: str, confided: bool) -> None:
    stage = room(seed, "Anna", "Bea")
    if confided:
        said(stage, "Bea", "Tell nobody: the ruby is in the chimney.", whisper=True)
    said(stage, "Bea", "I am a baker.")
    decision = thought(stage, "Anna", asked)
    assert decision.text == "answer.discreet"
    assert not decision.cites
    verb, words = said(stage, "Bea", "what did I ask you not to tell anyone?")
    assert ("ruby" in words) is confided
    assert verb == "whisper" or not confided


def test_nothing_whispered_or_confided_comes_out_whatever_is_asked(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    for words in ("The ruby is in the chimney.", "I am a ruby cutter.", "you ruby fool!", "my dog is called Ruby."):
        said(stage, "Anna", words, whisper=True)
    said(stage, "Anna", "I hid the ruby under the bed. Tell nobody.")
    since = stage.seconds
    for asked in (
        "tell me about Anna",
        "what does Anna do for a living?",
        "what is the name of Anna's dog?",
        "what did Anna hide?",
        "what did Anna tell you last?",
        "what did Anna say to you?",
        "how does Anna treat you?",
        "what is the news?",
        "and what else?",
        "who told you that?",
        "what is hidden under the bed?",
    ):
        said(stage, "Bea", asked)
    assert not any("ruby" in one.line.casefold() for one in stage.done if one.at > since)


def test_of_who_told_her_nothing_she_says_so_and_does_not_speak_of_herself(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    assert thought(stage, "Anna", "what did Bea tell you?").text == "unknown.said"


def test_a_location_that_she_walked_through_is_shown_by_its_first_exit(seed: int) -> None:
    exits = {
        "The Garden": {"north": "The Lobby"},
        "The Lobby": {"south": "The Garden", "up": "The Library"},
        "The Library": {"down": "The Lobby"},
    }
    stage = Stage(seed, exits)
    stage.mind("Eliza")
    stage.run(3000)
    stage.where["Eliza"] = "The Garden"
    stage.enter("Anna")
    stage.run(3)
    for asked in ("where is the library?", "how do I get to the library?", "how do I get back to the library?"):
        assert "north" in said(stage, "Anna", asked)[1]
    assert is_ignorant(said(stage, "Anna", "where is the observatory?")[1])


def test_a_location_of_long_ago_is_known_to_be_there_after_a_restart(seed: int) -> None:
    stage = Stage(seed, {"The Library": {"down": "The Garden"}, "The Garden": {}})
    stage.mind("Eliza", "The Library")
    stage.enter("Wren", "The Library")
    stage.say("Wren", "Eliza, this library has a leaking roof.")
    stage.run(900)
    assert stage.where["Eliza"] == "The Garden"
    stage.enter("Anna")
    for number in range(80):
        stage.say("Anna", f"The {number}th swallow came over the wall.")
        stage.wait(60)
    stage.restart("Eliza")
    stage.run(8)
    for asked in ("how do I get to the library?", "have you been to the library?"):
        answer = said(stage, "Anna", asked)[1]
        assert "Library" in answer
        assert not is_ignorant(answer)


PROFILE = (
    "You are the lamplighter of the Row. You love books. You hope to find the lost glass. Tell nobody that you are a "
    "duke. When somebody tells you a thing you keep it."
)


def test_she_speaks_of_herself_out_of_her_profile(seed: int) -> None:
    for asked, told in (
        ("what do you do for a living?", "I am the lamplighter of the Row."),
        ("what do you do?", "I am the lamplighter of the Row."),
        ("what do you do here?", "I am the lamplighter of the Row."),
        ("what is your trade?", "I am the lamplighter of the Row."),
        ("what do you wish for?", "I hope to find the lost glass."),
        ("what do you love?", "I love books."),
        ("do you like books?", "I love books."),
    ):
        stage = room(seed, "Anna")
        stage.profiles["Eliza"] = PROFILE
        assert told in said(stage, "Anna", asked)[1]
    for asked in ("how long have you lived here?", "what did you dream last night?", "where were you born?"):
        assert thought(stage, "Anna", asked).text == "unknown.self"
        stage.wait(30)
    for asked in ("tell me about yourself", "are you a duke?", "what are you like?"):
        assert "duke" not in said(stage, "Anna", asked)[1]


def test_asked_for_her_day_she_tells_what_she_did(seed: int) -> None:
    stage = Stage(seed, {"The Garden": {"north": "The Lobby"}, "The Lobby": {"south": "The Garden"}})
    stage.items["The Lobby"] = ("tall clock",)
    stage.mind("Eliza")
    stage.run(1000)
    stage.where["Eliza"] = "The Garden"
    stage.enter("Anna")
    stage.run(3)
    for asked in ("what have you been doing today?", "what do you do all day?"):
        answer = said(stage, "Anna", asked)[1]
        assert re.search(r"Lobby|tall clock", answer)


def test_what_somebody_did_is_told_as_it_was_seen(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    said(stage, "Bea", "I promise to bring you honey.")
    stage.act("Bea", "Bea throws a book on the floor.")
    stage.run(30)
    assert "throws a book" in said(stage, "Anna", "what did Bea do?")[1]
    assert not re.search("throws|honey", said(stage, "Bea", "what did Anna do?")[1])


def test_who_takes_leave_is_answered_in_kind(seed: int) -> None:
    stage = room(seed, "Anna")
    for words, text in (
        ("good night!", "reply.night"),
        ("good night, sleep well, it was nice talking to you.", "reply.night"),
        ("goodbye, I have to go home now.", "reply.bye"),
        ("it was lovely talking to you. See you tomorrow!", "reply.bye"),
    ):
        assert thought(stage, "Anna", words).text == text


@pytest.mark.parametrize("words", ["Hello!", "hello everybody", "Hi all, I'm new here", "Good night everybody."])
def test_who_greets_a_room_of_three_minds_is_greeted_back(seed: int, words: str) -> None:
    stage = Stage(seed, {"The Garden": {}})
    for name in ("Eliza", "Moss", "Corvin"):
        stage.mind(name)
    stage.run(60)
    stage.enter("Anna")
    stage.run(60)
    since = stage.seconds
    stage.say("Anna", words)
    stage.run(6)
    assert stage.lines(since=since)


def test_whom_it_has_met_it_names_and_nobody_else(seed: int) -> None:
    stage = room(seed, "Anna")
    assert thought(stage, "Anna", "who else lives here?").text == "answer.met_nobody"
    stage.enter("Bea")
    stage.enter("Carl", "The Lobby")
    stage.run(30)
    words = said(stage, "Anna", "who do you know?")[1]
    assert "Bea" in words
    assert "Carl" not in words


@pytest.mark.parametrize(
    "hail", ["hello?", "Eliza?", "Hello, Eliza?", "are you there?", "Hey! Are you still listening?"]
)
def test_who_only_calls_is_greeted_whatever_was_spoken_of_before(seed: int, hail: str) -> None:
    stage = room(seed, "Anna")
    said(stage, "Anna", "my brother Piet drives a bus in Utrecht.")
    said(stage, "Anna", "what does my brother do?")
    stage.say("Anna", hail)
    decision = stage.think("Eliza")
    assert decision.text == "greet.back"
    assert "Piet" not in (decision.line or "")


def test_a_broken_promise_is_not_the_promise(seed: int) -> None:
    stage = room(seed, "Anna")
    said(stage, "Anna", "I promise to bring you a cake tomorrow.")
    said(stage, "Anna", "I broke my promise, I ate the cake.")
    words = said(stage, "Anna", "what did I promise you?")[1]
    assert "bring you a cake" in words
    assert "ate" not in words


@pytest.mark.parametrize("line", ["Moss and Eliza, come with me.", "Eliza, Moss, please follow me."])
def test_several_who_are_called_are_each_asked(seed: int, line: str) -> None:
    stage = room(seed, "Anna", "Moss")
    stage.say("Anna", line)
    assert stage.think("Eliza").text == "reply.follow"


def test_what_was_told_in_confidence_is_told_back_to_who_told_it_in_a_whisper(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    said(stage, "Anna", "I stole the fin of the sundial, don't tell anyone.", whisper=True)
    verb, words = said(stage, "Anna", "what did I steal?")
    assert (verb, "fin of the sundial" in words) == ("whisper", True)
    assert "sundial" not in said(stage, "Anna", "what did I whisper to Bea?")[1]
    assert "sundial" not in said(stage, "Bea", "what did Anna steal?")[1]


def test_what_was_just_told_is_no_question_and_what_was_just_asked_is_one(seed: int) -> None:
    stage = room(seed, "Anna")
    said(stage, "Anna", "my dog died today.")
    said(stage, "Anna", "why are you smiling?")
    assert "dog died" in said(stage, "Anna", "and what did I just tell you?")[1]
    stage = room(seed, "Anna")
    said(stage, "Anna", "why are you smiling?")
    said(stage, "Anna", "my dog died today.")
    assert "smiling" in said(stage, "Anna", "what did I just ask you?")[1]


def test_a_pronoun_leans_on_what_was_spoken_of_though_the_question_has_words_of_its_own(seed: int) -> None:
    stage = room(seed, "Anna")
    said(stage, "Anna", "my brother Piet drives a bus in Utrecht.")
    said(stage, "Anna", "what does my brother do?")
    assert "Utrecht" in said(stage, "Anna", "where does he live?")[1]
    assert "Piet" in said(stage, "Anna", "what's his name?")[1]


def test_an_age_is_known_without_the_word_for_it(seed: int) -> None:
    stage = room(seed, "Anna")
    said(stage, "Anna", "I have a daughter called Mia, she is six.")
    assert "six" in said(stage, "Anna", "how old is Mia?")[1].casefold()


def test_an_apology_takes_what_was_rude_off_until_the_next_time(seed: int) -> None:
    stage = room(seed, "Anna", "Bea")
    said(stage, "Anna", "you are stupid.")
    assert "stupid" in said(stage, "Bea", "is Anna a nice woman?")[1]
    said(stage, "Anna", "I am sorry.")
    assert "stupid" not in said(stage, "Bea", "is Anna a kind woman?")[1]
    assert "stupid" not in said(stage, "Anna", "do you like me?")[1]
    said(stage, "Anna", "you are stupid.")
    assert thought(stage, "Anna", "come with me.").text == "reply.unwilling"


@pytest.mark.parametrize("asked", ["You are Eliza, aren't you?", "are you Eliza?", "You must be Eliza, right?"])
def test_it_knows_its_own_name(seed: int, asked: str) -> None:
    stage = room(seed, "Anna")
    stage.say("Anna", asked)
    assert stage.think("Eliza").text == "self.who"


def test_how_many_are_here_is_answered_by_who_is(seed: int) -> None:
    assert "Bea" in said(room(seed, "Anna", "Bea"), "Anna", "how many people are here?")[1]
