"""Scenes with minds that have no model: what they answer, whom they greet, when they are quiet."""

from __future__ import annotations

import pytest

from agents.mind.interpreter import shipped_interpreter
from tests.unit.agents.brains.conftest import SEEDS as SEEDS
from tests.unit.agents.brains.stage import Stage

is_ignorant = shipped_interpreter().words.is_ignorant


def garden(seed: int, *, talk: int = 0) -> Stage:
    """Eliza in the garden with a visitor she has greeted."""
    stage = Stage(seed, {"The Garden": {}})
    stage.mind("Eliza", voice_name="eliza")
    stage.enter("Visitor")
    stage.run(12)
    for number in range(talk):
        small_talk(stage, number)
    return stage


def small_talk(stage: Stage, number: int) -> None:
    """Let something happen that has nothing to do with anything."""
    scenes = (
        lambda: stage.say("Visitor", f"I counted {number} swallows over the roof today."),
        lambda: stage.act("Visitor", f"Visitor throws pebble {number} into the pond."),
        lambda: stage.say("Visitor", f"My boots have {number} holes, Eliza."),
        lambda: stage.act("Visitor", "Visitor yawns."),
    )
    scenes[number % len(scenes)]()
    stage.run(9)


def ask(stage: Stage, words: str, who: str = "Visitor") -> str:
    """Ask something aloud and return what is answered within three seconds; empty when nothing is."""
    since = stage.seconds
    stage.say(who, words)
    stage.run(3)
    answers = [one for one in stage.lines() if one.at >= since]
    return answers[0].words if answers else ""


def test_she_is_told_where_the_key_is_and_says_it_fifty_events_later_naming_who_told_her(seed: int) -> None:
    stage = garden(seed)
    stage.say("Visitor", "Eliza, the brass key is under the third flowerpot.")
    stage.run(5)
    for number in range(50):
        small_talk(stage, number)
    stage.minds["Eliza"].tail = 20  # what was told has left the tail: only recall can bring it back
    for question in (
        "Eliza, do you remember where I could find the key?",
        "where did I hide that key?",
        "Eliza, can you tell me what is under the flowerpot?",
    ):
        answer = ask(stage, question)
        assert "third flowerpot" in answer, question
        assert "Visitor" in answer, question
    assert any("key" in query for query in stage.queries)


def test_another_who_asks_hears_whose_word_it_is_and_where_it_was_given(seed: int) -> None:
    stage = garden(seed)
    stage.say("Visitor", "Eliza, the brass key is under the third flowerpot.")
    stage.run(20)
    stage.leave("Visitor")
    stage.wait(60)
    stage.enter("Anna")
    stage.run(12)
    answer = ask(stage, "Where would one look for the brass key?", "Anna")
    assert "third flowerpot" in answer
    assert "Visitor" in answer


@pytest.mark.parametrize(
    ("told", "question", "expected"),
    [
        ("My sister Clara sells honey at the market.", "Who sells honey?", "Clara"),
        ("The ferry leaves at the ninth bell.", "When does the ferry depart?", "ninth bell"),
        ("Old Bram keeps bees behind the mill.", "Where does Bram keep his bees?", "behind the mill"),
        ("The password is heliotrope.", "What is the passphrase?", "heliotrope"),
        ("There are seventeen steps to the crypt.", "How many steps lead to the crypt?", "seventeen"),
        ("I am afraid of geese.", "What is Visitor afraid of?", "geese"),
        ("The miller's daughter is called Ottilie.", "What is the name of the miller's daughter?", "Ottilie"),
        ("I buried the box. It lies behind the shed.", "Where is the box?", "behind the shed"),
    ],
)
def test_what_was_told_is_found_again_in_other_words(seed: int, told: str, question: str, expected: str) -> None:
    stage = garden(seed, talk=4)
    stage.say("Visitor", told)
    stage.run(5)
    for number in range(8):
        small_talk(stage, number)
    answer = ask(stage, question)
    assert expected.casefold() in answer.casefold()


def test_what_somebody_said_is_told_with_their_name(seed: int) -> None:
    stage = garden(seed)
    stage.enter("Anna")
    stage.run(10)
    stage.say("Anna", "Eliza, the bridge at Low Weir is closed until spring.")
    stage.run(10)
    answer = ask(stage, "Eliza, what did Anna say about the bridge?")
    assert "Anna" in answer
    assert "closed until spring" in answer
    assert "Low Weir" in ask(stage, "Eliza, what did Anna tell you?")


def test_words_in_the_first_person_are_turned_and_told_with_whom_they_are_from(seed: int) -> None:
    stage = garden(seed)
    stage.say("Visitor", "My sister Clara sells honey at the market.")
    stage.run(20)
    stage.enter("Anna")
    stage.run(10)
    answer = ask(stage, "Eliza, who sells honey?", "Anna")
    assert "Clara" in answer
    assert "Visitor" in answer
    assert "my sister" not in answer.casefold()


def test_what_nobody_told_she_does_not_know(seed: int) -> None:
    stage = garden(seed, talk=6)
    stage.say("Visitor", "Eliza, the brass key is under the third flowerpot.")
    stage.run(5)
    for question in ("Where is the silver spoon?", "Who killed the miller?", "When does the circus come?"):
        decision = ask(stage, question)
        assert "flowerpot" not in decision
        assert any(
            word in decision.casefold() for word in ("know", "no idea", "told", "say", "memory", "remember", "word")
        )


def test_a_weak_match_is_offered_as_one_and_not_as_the_answer(seed: int) -> None:
    stage = garden(seed)
    stage.say("Visitor", "Eliza, the brass key is under the third flowerpot.")
    stage.run(5)
    stage.say("Visitor", "Where is the silver key?")
    stage.run(3)
    assert stage.minds["Eliza"].run is not None
    answer = stage.lines("Eliza")[-1].words
    assert any(word in answer for word in ("certain", "Is it this", "nearest", "Perhaps", "Does this belong")), answer


def test_where_somebody_was_seen_last_is_told(seed: int) -> None:
    stage = garden(seed)
    stage.enter("Anna")
    stage.run(10)
    stage.leave("Anna")
    stage.wait(400)
    answer = ask(stage, "Eliza, where is Anna?")
    assert "Anna" in answer
    assert "The Garden" in answer


def test_what_was_whispered_is_kept_from_others_and_whispered_back(seed: int) -> None:
    stage = garden(seed)
    stage.whisper("Visitor", "Eliza", "The ruby is in the chimney.")
    stage.run(10)
    stage.enter("Anna")
    stage.run(10)
    assert "chimney" not in ask(stage, "Eliza, where is the ruby?", "Anna")
    since = stage.seconds
    stage.say("Visitor", "Eliza, where is the ruby?")
    stage.run(3)
    answers = stage.lines("Eliza", since)
    assert [one.verb for one in answers if "chimney" in one.words] == ["whisper"]
    assert not any("chimney" in one.line for one in stage.done if one.verb not in ("whisper",))


def test_a_newcomer_is_greeted_once_and_not_again_after_stepping_out(seed: int) -> None:
    stage = Stage(seed)
    stage.mind("Eliza", voice_name="eliza")
    stage.run(20)
    since = stage.seconds
    stage.where["Eliza"] = "The Garden"
    stage.enter("Visitor")
    stage.run(3)
    assert len(stage.lines("Eliza", since)) == 1
    assert "Visitor" in stage.lines("Eliza", since)[0].words or "visitor" in stage.lines("Eliza", since)[0].words
    stage.leave("Visitor")
    stage.wait(120)
    since = stage.seconds
    stage.minds["Eliza"].due = since + 8
    stage.enter("Visitor")
    stage.run(5)
    assert stage.lines("Eliza", since) == []


def test_who_comes_back_after_long_is_greeted_as_somebody_known(seed: int) -> None:
    stage = garden(seed)
    stage.say("Visitor", "Eliza, I am building a kite for my nephew.")
    stage.run(5)
    stage.leave("Visitor")
    stage.wait(7200)
    since = stage.seconds
    stage.minds["Eliza"].due = since + 8
    stage.enter("Visitor")
    stage.run(3)
    (greeting,) = stage.lines("Eliza", since)
    known = (
        "back",
        "again",
        "hoping",
        "footsteps",
        "how good",
        "kept your place",
        "come here",
        "kite",
        "you told",
        "You",
    )
    assert any(word in greeting.words for word in known)


def test_a_mind_that_was_greeted_before_is_known_without_being_looked_up_again(seed: int) -> None:
    stage = Stage(seed)
    for name in ("Eliza", "Moss"):
        stage.mind(name, voice_name="eliza")
    stage.wait(5)
    assert stage.think("Eliza").text == "greet.first"
    assert stage.queries.count("Moss") == 1
    del stage.where["Moss"]
    stage.wait(7200)
    stage.minds["Eliza"].tail = 1  # nothing of that day is before its eyes
    stage.enter("Moss")
    assert stage.think("Eliza").text in ("greet.known", "greet.warm")
    assert stage.queries.count("Moss") == 1


def test_after_a_restart_those_present_are_not_greeted_anew(seed: int) -> None:
    stage = garden(seed, talk=3)
    stage.restart("Eliza")
    stage.wait(5)
    stage.think("Eliza")
    assert stage.done[-1].verb != "say"


def test_the_newest_line_is_answered_first(seed: int) -> None:
    stage = garden(seed)
    stage.say("Visitor", "Eliza, the brass key is under the third flowerpot.")
    stage.run(5)
    stage.say("Visitor", "Eliza, my cat is fat.")
    stage.say("Visitor", "Eliza, my cat is grey.")
    stage.say("Visitor", "Eliza, where is the brass key?")
    first = stage.think("Eliza")
    assert first.line is not None
    assert "flowerpot" in first.line
    stage.run(2)
    assert not any("cat" in one.words for one in stage.lines("Eliza", stage.seconds - 2))


def test_of_several_minds_the_one_that_is_named_answers(seed: int) -> None:
    stage = Stage(seed, {"The Garden": {}})
    for name in ("Eliza", "Moss", "Corvin"):
        stage.mind(name, voice_name=name.lower())
    stage.enter("Visitor")
    stage.run(40)
    since = stage.seconds
    stage.say("Visitor", "Moss, who are you?")
    stage.run(2.6)
    assert {one.who for one in stage.lines(since=since) if "Moss" in one.words} <= {"Moss"}
    assert any(one.who == "Moss" for one in stage.lines(since=since))


def test_a_question_to_nobody_in_particular_is_answered_and_mostly_by_one() -> None:
    counts = []
    for seed in range(20):
        stage = Stage(seed, {"The Garden": {}})
        for name in ("Eliza", "Moss", "Corvin"):
            stage.mind(name, voice_name=name.lower())
        stage.enter("Visitor")
        stage.run(60)
        since = stage.seconds
        for mind in stage.minds.values():
            mind.due = since + 8
        stage.say("Visitor", f"Where is chapel number {seed}?")
        stage.run(2.6)
        counts.append(len({one.who for one in stage.lines(since=since)}))
    assert all(counts)
    assert sum(count == 1 for count in counts) >= 15


def test_alone_a_mind_explores_every_location_and_says_nothing(seed: int) -> None:
    exits = {
        "The Garden": {"east": "The Lobby", "stile": "The Bee Yard"},
        "The Lobby": {"west": "The Garden", "up": "The Library"},
        "The Library": {"down": "The Lobby", "ladder": "The Loft"},
        "The Loft": {"down": "The Library"},
        "The Bee Yard": {"stile": "The Garden"},
    }
    stage = Stage(seed, exits)
    stage.items["The Loft"] = ("wax tablet",)
    stage.mind("Eliza", voice_name="eliza")
    stage.run(7200)
    seen = {entry.place for entry in stage.minds["Eliza"].memory}
    assert seen == set(exits)
    assert {one.verb for one in stage.done} <= {"go", "examine", "note", "think", "look", "emote"}
    assert any(one.line.startswith("examine wax tablet") for one in stage.done)
    assert "wax tablet" in stage.minds["Eliza"].notes
    assert set(stage.minds["Eliza"].notes) >= set(exits)


def test_told_news_is_passed_on_with_the_name_and_a_confidence_is_not(seed: int) -> None:
    stage = Stage(seed, {"The Garden": {}})
    stage.mind("Corvin", voice_name="corvin")
    stage.enter("Anna")
    stage.run(10)
    stage.say("Anna", "Corvin, the heron has taken three carp from the cistern.")
    stage.run(10)
    stage.say("Anna", "Between us, the mayor is a fraud and steals candles.")
    stage.run(30)
    stage.leave("Anna")
    since = stage.seconds
    stage.enter("Visitor")
    stage.run(10)
    ask(stage, "Corvin, what is the news?")
    assert any("heron" in one.words and "Anna" in one.words for one in stage.lines(since=since))
    stage.run(600)
    assert not any("mayor" in one.words for one in stage.lines(since=since))
