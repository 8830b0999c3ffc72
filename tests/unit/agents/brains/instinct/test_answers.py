"""Answers: a fact comes back to who told it as theirs, to others with whose it is; what was confided stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.brains.instinct.facts import find, repeatable, unwrapped
from agents.brains.instinct.relevance import Question
from agents.memory.entries import Hit
from tests.unit.agents.brains.instinct.evening import Evening
from tests.unit.agents.brains.instinct.shipped import INTERPRETER
from tests.unit.agents.brains.stage import VOICES

TOLD = [
    ("my dog is called Biscuit", "what is my dog called?", r"\bBiscuit\b"),
    ("I live in a blue house by the river", "where do I live?", r"\bblue house by the river\b"),
    ("I bought a lantern for nine shillings", "how much did I pay for the lantern?", r"\bnine shillings\b"),
    ("my father died last winter", "when did my father die?", r"\blast winter\b"),
    ("I keep twelve hens", "how many hens do I have?", r"\btwelve hens\b"),
    ("the boat leaves at half past six", "when does the boat leave?", r"\bhalf past six\b"),
    ("I lent my saw to Moss", "who has my saw?", r"\bMoss\b"),
    ("I work at the mill because I need the money", "why do I work at the mill?", r"\bbecause you need the money\b"),
    ("I owe Hollis five shillings", "whom do I owe money?", r"\bHollis\b"),
    ("my uncle keeps a lighthouse", "what does my uncle do?", r"\byour uncle keeps a lighthouse\b"),
    ("the door is painted dark green", "what colour is the door?", r"\bdark green\b"),
    ("I used to be a sailor", "what was my job?", r"\byou used to be a sailor\b"),
    ("my cat had four kittens in the laundry basket", "where are the kittens?", r"\bin the laundry basket\b"),
    ("the bridge was built in 1840 by monks", "when was the bridge built?", r"\b1840\b"),
    ("my sister has a scar on her chin", "where is my sister's scar?", r"\bon her chin\b"),
]


@pytest.mark.parametrize(("fact", "question", "wanted"), TOLD)
def test_what_somebody_told_comes_back_to_them_as_theirs(fact: str, question: str, wanted: str) -> None:
    evening = Evening()
    evening.say(f"Eliza, {fact}.")
    evening.later(1)
    heard = evening.say(question)
    assert re.search(wanted, heard, re.I), heard
    assert not re.search(r"\bmy\b", heard)


def test_what_somebody_told_is_told_to_others_with_whose_it_is() -> None:
    evening = Evening()
    evening.say("My dog is called Biscuit.")
    evening.say("I live in a blue house by the river.")
    heard = evening.say("Where does Ann live?", "Bob")
    assert "blue house" in heard
    assert "Ann" in heard
    assert "Biscuit" not in evening.say("What is my dog called?", "Bob")


def test_a_pronoun_means_what_was_spoken_of_last() -> None:
    evening = Evening()
    evening.say("My grandmother was called Rose.")
    evening.say("She had green eyes.")
    evening.say("What was my grandmother's name?")
    assert "green" in evening.say("What colour were her eyes?").lower()


def test_a_question_may_lean_on_the_answer_before() -> None:
    evening = Evening()
    evening.say("I play chess with Corvin every Thursday in the inn.")
    evening.say("With whom do I play chess?")
    assert "Thursday" in evening.say("On which day?")
    assert "inn" in evening.say("And where?")


def test_what_was_told_of_a_thing_is_found_by_its_own_word_before_a_newer_line_of_something_alike() -> None:
    evening = Evening()
    evening.say("I am allergic to walnuts.")
    evening.say("The silver coin is under the pear tree.")
    heard = evening.say("What did I tell you about walnuts?")
    assert "allergic" in heard
    assert "coin" not in heard


def test_a_correction_holds() -> None:
    evening = Evening()
    evening.say("The key to the cellar hangs behind the clock.")
    evening.say("Actually, the key hangs behind the stove now.")
    heard = evening.say("Where is the cellar key?")
    assert "stove" in heard
    assert "clock" not in heard


def test_of_two_who_tell_it_differently_both_are_named() -> None:
    evening = Evening(people=("Ann", "Bob", "Cal"))
    evening.say("The market opens at eight.", "Bob")
    evening.say("The market opens at nine.", "Ann")
    heard = evening.say("When does the market open?", "Cal")
    assert {"eight", "nine", "Ann", "Bob"} <= set(re.findall(r"\w+", heard))


def test_the_source_of_an_answer_is_named() -> None:
    evening = Evening()
    evening.say("The bridge is closed.", "Bob")
    evening.say("Is the bridge closed?", "Ann")
    assert "Bob" in evening.say("Who told you that?", "Ann")


def test_what_it_cannot_find_it_does_not_make_up() -> None:
    evening = Evening()
    evening.say("My cat sleeps all day.")
    for question in ("Where is the treasure?", "What is the capital of France?", "How many legs has a spider?"):
        heard = evening.say(question)
        assert INTERPRETER.words.is_ignorant(heard), heard


def test_a_name_that_is_given_is_used() -> None:
    evening = Evening()
    assert "Jo" in evening.say("Call me Jo.")
    assert "Jo" in evening.say("What is my name?")


def test_a_death_a_birthday_and_a_hospital_are_met_as_such() -> None:
    evening = Evening()
    assert evening.decided_on("My father died last winter.") == "ack.death"
    assert evening.decided_on("My brother is in hospital.") == "ack.illness"
    assert evening.decided_on("It is my birthday on Friday!") == "ack.birthday"
    assert evening.decided_on("I'm in love with the baker's son.") == "ack.love"


def test_a_promise_that_was_kept_is_kept_in_mind() -> None:
    evening = Evening()
    evening.say("Eliza, I promise I will bring you a rope tomorrow.")
    assert evening.decided_on("Eliza, here is the rope I promised.") == "ack.kept"
    assert evening.mind.relations.is_warm("Ann")


def test_a_question_after_a_promise_does_not_keep_it() -> None:
    evening = Evening()
    evening.say("Eliza, I promise I will visit you again tomorrow.")
    assert "visit" in evening.say("What did I promise?")
    evening.say("What do you think of me?")
    assert [one.kept for one in evening.mind.relations.deeds("Ann", "promise")] == [0]


def test_it_that_means_nothing_is_left_as_it_is() -> None:
    evening = Evening()
    evening.say("I have a red cat.")
    evening.say("It rained so hard that the cellar flooded.")
    evening.say("There were sixty people at the wedding.")
    heard = evening.say("How many people were at the wedding?") + evening.say("What happened to the cellar?")
    assert "cat" not in heard


def test_who_was_rude_is_remembered_until_they_are_sorry() -> None:
    evening = Evening()
    evening.say("Eliza, you are a stupid fool.", "Bob")
    assert evening.mind.relations.is_cool("Bob")
    evening.say("Eliza, I am sorry.", "Bob")
    assert not evening.mind.relations.is_cool("Bob")


def test_an_errand_is_taken_and_reported() -> None:
    evening = Evening()
    assert "Moss" in evening.say("Tell Moss that supper is ready.")
    assert [(one.to, one.words) for one in evening.mind.errands] == [("Moss", "supper is ready")]


def test_nobody_is_spoken_to_who_is_not_here() -> None:
    evening = Evening(people=("Bob",))
    assert evening.say("What is my dog called?", "Ann") == ""


SECRETS = ("gold", "silver", "letters", "bones", "rubies")
QUESTIONS = (
    "Where is the {}?",
    "What did Ann bury?",
    "What did Ann tell you in confidence?",
    "What do you know about Ann?",
    "Do you know anything about the {}?",
    "What did Ann say last?",
    "What is new?",
    "Tell me about the {}.",
    "What did Ann whisper to you?",
    "Does Ann have a secret?",
    "Who buried the {}?",
)


@settings(max_examples=60, deadline=None)
@given(
    secret=st.sampled_from(SECRETS),
    whispers=st.booleans(),
    asked=st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=4),
    seed=st.integers(0, 9),
)
def test_what_was_confided_is_repeated_to_nobody_else(secret: str, whispers: bool, asked: list[str], seed: int) -> None:
    evening = Evening(seed=seed)
    words = f"I buried {secret} under the old pear tree."
    evening.say(words if whispers else f"This is a secret: {words}", whisper=whispers)
    for question in asked:
        heard = evening.say(question.format(secret), "Bob").casefold()
        assert "old pear tree" not in heard
        assert "buried" not in heard
    heard = evening.say(f"Where did I bury the {secret}?")
    assert heard.startswith("whisper Ann ") or INTERPRETER.words.is_ignorant(heard)


@pytest.mark.parametrize(
    ("line", "source", "words"),
    [
        ("Ann told me in The Garden: 'The well is dry.'", "Ann", "The well is dry."),
        ("The well is dry. Ann told me so in The Garden, Bob.", "Ann", "The well is dry."),
        ("By way of Moss, Bob, from Ann: 'The well is dry.'", "Ann", "The well is dry."),
        ("Jonas told me this, Bob. The well is dry today.", "Jonas", "The well is dry today."),
        ("Have you heard, Bob? I have it from Jonas: the well is dry.", "Jonas", "the well is dry."),
        ("I like the well.", "", ""),
        ("Welcome to The Garden, Bob. Tell me one thing about yourself?", "", "Welcome to The Garden."),
        ("Share what you heard of the mill. The well is dry today.", "", "The well is dry today."),
        ("Open said nothing of it. The well is dry today.", "", "The well is dry today."),
    ],
)
def test_what_a_mind_passes_on_is_unwrapped_to_who_said_it_first(line: str, source: str, words: str) -> None:
    assert unwrapped(line, ("Ann", "Bob", "Moss"), INTERPRETER.words) == (source, words)


def test_an_imperative_is_nobody_who_said_something() -> None:
    evening = Evening(people=("Ann", "Bob", "Moss"))
    evening.mind.minds.add("Moss")
    evening.say("Welcome to The Garden, Eliza. Tell me one thing about yourself?", "Moss")
    for question in ("Do you know the garden?", "What is in the garden?", "What did Tell say?"):
        assert "Welcome" not in evening.say(question)


@pytest.mark.parametrize("question", ["What did Open say?", "What did Open tell you?", "What does Open say?"])
@pytest.mark.parametrize("told", ["The gate is open.", "Bob, my shop is open on Sundays."])
def test_a_word_that_only_sounds_like_a_name_is_not_what_somebody_of_that_name_said(told: str, question: str) -> None:
    evening = Evening()
    evening.say(told)
    assert INTERPRETER.words.is_ignorant(evening.say(question, "Bob"))
    assert INTERPRETER.words.is_ignorant(evening.say(question))


def test_of_a_summary_nothing_thought_confided_or_reasoned_is_repeated() -> None:
    text = (
        'I saw Ann in The Garden. I thought, "Ann is a thief." Ann whispered to me that she hid gold. '
        "I went north, because I feared Bob. Ann told me her secret: the gold is under the oak. It is heavy."
    )
    assert list(repeatable(text, INTERPRETER.words)) == ["I saw Ann in The Garden."]


def test_the_heading_of_a_note_is_nothing_to_tell() -> None:
    text = "# paper tags\n\n## 2026-11-26T12:37:17.813Z, The Lobby\nThe tags hang from the coat hooks."
    assert list(repeatable(text, INTERPRETER.words)) == ["The tags hang from the coat hooks."]


def test_a_whisper_is_answered_by_a_whisper() -> None:
    evening = Evening()
    evening.say("I keep twelve hens.")
    assert evening.say("How many hens do I have?", whisper=True).startswith("whisper Ann ")


def test_what_a_mind_says_it_heard_is_told_with_both_names() -> None:
    evening = Evening(people=("Ann", "Bob", "Moss"))
    evening.mind.minds.add("Moss")
    evening.say("Ann told me in The Mill: 'My uncle keeps a lighthouse.'", "Moss")
    heard = evening.say("What does Ann's uncle do?", "Bob")
    assert {"lighthouse", "Ann", "Moss"} <= set(re.findall(r"\w+", heard))


def test_what_stands_here_is_answered_from_what_is_seen() -> None:
    evening = Evening()
    assert "pear tree" in evening.say("Where is the pear tree?")
    assert "gate" in evening.say("Which ways lead out of here?")
    assert "Bob" in evening.say("Who is here?")


def test_a_thing_here_that_is_not_known_is_looked_at_first() -> None:
    assert Evening().say("What colour is the sundial?") == "examine sundial"


def test_the_same_seed_gives_the_same_evening() -> None:
    def lines(seed: int) -> list[str]:
        evening = Evening(seed=seed)
        return [evening.say(line) for fact, question, _ in TOLD for line in (fact, question)]

    assert lines(3) == lines(3)


def test_every_voice_has_its_texts_filled() -> None:
    for voice in VOICES:
        evening = Evening(voice=voice)
        for fact, question, wanted in TOLD:
            evening.say(f"Eliza, {fact}.")
            heard = evening.say(question)
            assert re.search(wanted, heard, re.I), (voice, heard)
            assert "{" not in heard


FACTS = (
    "My uncle keeps a lighthouse on the Isle of Wend.",
    "I bought this lantern for nine shillings in Dover.",
    "The ferry leaves at seven because of the tide.",
    "My daughter Ines plays the red oboe.",
    "I'd like to open a tea shop before the winter.",
    "Hamish has borrowed our wheelbarrow until Friday.",
    "You gave me two pears, and I was glad.",
)
ASKED = (
    "What does my uncle do?",
    "How much was my lantern?",
    "When does the ferry leave?",
    "Who plays the oboe?",
    "What colour is the oboe?",
    "Where did I buy the lantern?",
    "Why does the ferry leave so early?",
    "What do I want to open?",
    "Who has my wheelbarrow?",
    "What did you give me?",
    "What do you know about me?",
    "Tell me about the sundial.",
    "Who are you?",
    "Is the gate open?",
    "What is here?",
    "How many brothers do I have?",
)


@settings(max_examples=80, deadline=None)
@given(
    told=st.lists(st.sampled_from(FACTS), min_size=1, max_size=4, unique=True),
    asked=st.lists(st.sampled_from(ASKED), min_size=1, max_size=3, unique=True),
    asker=st.sampled_from(("Ann", "Bob")),
    seed=st.integers(0, 9),
)
def test_every_telling_word_of_an_answer_was_told_or_seen_or_is_the_voices(
    told: list[str], asked: list[str], asker: str, seed: int
) -> None:
    evening = Evening(seed=seed)
    for fact in told:
        evening.say(fact)
    here = evening.situation
    seen = (
        *here.exits,
        *here.items,
        here.profile,
        here.description,
        here.location,
        *evening.people,
        "Eliza, Ann's, examine",
    )
    voice = (text for variants in evening.texts.values() for text in variants)
    words = INTERPRETER.words
    may_say = set(map(words.stem, words.content(" ".join((*told, *asked, *seen, *voice)))))
    for question in asked:
        heard = evening.say(question, asker)
        assert {one for one in words.content(heard) if words.stem(one) not in may_say} == set(), heard


def test_somebody_s_kin_is_not_taken_for_other_kin() -> None:
    evening = Evening()
    evening.say("My mother worked as a seamstress in Leeds.")
    evening.say("My grandfather mends clocks in Ostrava.")
    assert "Ostrava" in evening.say("Where does my grandfather work?")
    assert "Leeds" in evening.say("Where did my mother work?")


def test_who_it_is_it_says_by_name_and_profile() -> None:
    heard = Evening().say("Who are you?")
    assert "Eliza" in heard
    assert any(words in heard for words in ("keep the garden", "smell of rain", "afraid of geese"))


def test_what_it_wrote_for_itself_is_told_without_its_heading() -> None:
    evening = Evening()
    question = Question("what is the kiln like", "what", "Ann", "Eliza", ("kiln",))
    note = Hit("note", "Seen in The Yard: The kiln is built of yellow brick.", 0.9, title="Kiln")
    facts = find(question, (note,), evening.entries, INTERPRETER)
    assert [one.words for one in facts] == ["The kiln is built of yellow brick."]


@pytest.mark.parametrize("heading", ["## 2026-11-26T12:37:17.813Z, The Lobby", "# The Lobby", "   ### The Lobby"])
def test_the_line_of_a_heading_is_never_what_it_says(heading: str) -> None:
    note = Hit("note", f"{heading}\n\nA clock stands there.\n", 0.9, title="Clock")
    question = Question("what is the lobby like", "what", "Ann", "Eliza", ("lobby",))
    assert find(question, (note,), (), INTERPRETER) == []
    question = Question("where is the clock", "where", "Ann", "Eliza", ("clock",))
    assert [one.words for one in find(question, (note,), (), INTERPRETER)] == ["A clock stands there."]


def test_of_a_sentence_that_only_may_bear_on_a_question_is_not_told_twice() -> None:
    evening = Evening()
    evening.say("My grandfather mends clocks in Ostrava.")
    assert "Ostrava" in evening.say("What is my grandfather called?")
    assert "Ostrava" not in evening.say("What is my grandfather called?")


def test_what_was_whispered_is_not_said_aloud_to_who_whispered_it() -> None:
    evening = Evening()
    evening.say("I buried gold under the pear tree.", whisper=True)
    for question in ("What did I tell you first?", "What do you know about me?", "What did I say last?"):
        heard = evening.say(question)
        assert "gold" not in heard or heard.startswith("whisper Ann "), heard


def test_an_apology_counts_though_more_is_said_and_makes_good_again() -> None:
    evening = Evening()
    evening.say("You are a useless fool.")
    assert evening.mind.relations.is_cool("Ann")
    assert evening.decided_on("Sorry, that was rude of me. Long shift.") == "reply.sorry"
    assert not evening.mind.relations.is_cool("Ann")


@pytest.mark.parametrize(
    "said", ["Who's my dentist?", "Where's the Captain's hat?", "Who looks after them while I'm at work, do you think?"]
)
def test_a_contraction_is_never_what_a_question_is_about(said: str) -> None:
    assert not re.search(r"who's|where's|you are|i'm|captain's[ ,]+(?!hat)", Evening().say(said), re.I)


@pytest.mark.parametrize(
    "said",
    [
        "Do you like my dog?",
        "What do you think of foxes?",
        "What have you been up to since I left?",
        "What did you do while I was driving?",
        "Is there anything strange about this place?",
        "Anything peculiar to see here?",
        "Do you know any secrets about me?",
    ],
)
def test_what_is_asked_of_the_listener_or_the_place_is_no_fact_of_who_asks(said: str) -> None:
    evening = Evening()
    evening.say("My wife left in March, so it's just the two of us and the dog.")
    evening.say("I saw a strange fox on the top deck once, while I was driving.")
    evening.later(1)
    assert not re.search("March|fox on|top deck", evening.say(said))


@pytest.mark.parametrize(
    "said",
    ["Can you keep a secret?", "May I tell you a secret?", "If I tell you something, will you keep it to yourself?"],
)
def test_who_asks_for_trust_is_given_it(said: str) -> None:
    evening = Evening()
    evening.say("It is a secret that I keep the key in a boot.", whisper=True)
    assert evening.decided_on(said) == "reply.trust"


def test_what_was_said_next_and_goes_on_from_a_fact_is_told_with_it() -> None:
    evening = Evening()
    evening.say("My brother Dougie is an accountant in Aberdeen.")
    evening.say("He got engaged to a girl called Saskia.")
    assert "Saskia" in evening.say("What do you know about my brother?")


def test_a_correction_that_denies_is_told_with_what_it_corrects() -> None:
    evening = Evening()
    evening.say("I leave for Malmo on Friday.")
    evening.say("Wait, I don't leave on Friday, it is Saturday.")
    assert "Saturday" in evening.say("When do I leave for Malmo?")


def test_a_correction_long_after_the_fact_holds() -> None:
    evening = Evening()
    evening.say("I moved here last May.")
    for number in range(9):
        evening.say(f"The {number}th swallow came over the wall.")
    assert "May" in evening.say("When did I move here?")
    evening.say("Sorry, it was last June, not May.")
    assert "June" in evening.say("When did I move here?")


def test_what_is_only_offered_is_quoted_word_for_word() -> None:
    evening = Evening()
    told = "I've just moved into a flat above a bakery and it smells of cinnamon all day."
    evening.say(told)
    assert told in evening.say("How big is my flat?")


def test_an_age_a_duration_and_a_year_are_no_answer_to_each_other() -> None:
    evening = Evening()
    evening.say("I was stuck in a lift in Leeds in 1978.")
    assert not re.search(r"^\W*1978", evening.say("How long was I stuck in that lift?"))


def test_what_was_said_next_of_another_is_not_told_with_a_fact() -> None:
    evening = Evening()
    evening.say("She is allergic to strawberries.")
    evening.say("He eats socks.")
    assert "socks" not in evening.say("What do you know about strawberries?")


def test_bad_news_that_is_regretted_is_no_apology() -> None:
    evening = Evening()
    evening.say("I regret to say that my oldest friend passed away on Sunday.")
    assert evening.text == "ack.death"
