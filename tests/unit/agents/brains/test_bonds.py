"""What others did to an agent, as it reads it from its own memories, and what it says of that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.brains.instinct.bonds import MOST, PEOPLE, Bonds, Deed, vow_in
from agents.memory.entries import Entry
from tests.unit.agents.brains.stage import Stage

PROMISE = "I promise to bring you a jar of honey tomorrow."
VOICES = ("default", "eliza", "moss", "corvin", "tamsin")


def heard(seq: int, who: str, words: str, kind: str = "heard") -> Entry:
    says = "whispers to you" if kind == "told" else "says"
    return Entry(seq, "2026-05-01T09:00:00.000Z", kind, who, "The Garden", f'{who} {says}, "{words}"')


def after(*entries: Entry) -> Bonds:
    bonds = Bonds("Eliza")
    bonds.learn(entries, ("Anna", "Bea", "Moss"))
    return bonds


@pytest.mark.parametrize(
    ("words", "deed"),
    [
        ("Eliza, you are very kind.", Deed.KIND),
        ("Thank you, Eliza.", Deed.KIND),
        ("You are stupid, Eliza.", Deed.RUDE),
        ("Eliza, I'm sorry.", Deed.SORRY),
        ("Eliza, this is for you.", Deed.GIFT),
        ("Eliza, I brought you some honey.", Deed.GIFT),
        (f"Eliza, {PROMISE}", Deed.PROMISE),
        ("Eliza, I'll mend the gate for you.", Deed.PROMISE),
        ("You have my word, Eliza.", Deed.PROMISE),
    ],
)
def test_a_deed_is_known_by_its_words(words: str, deed: Deed) -> None:
    assert [act.deed for act in after(heard(1, "Anna", words)).acts("Anna", *Deed)] == [deed]


@pytest.mark.parametrize(
    "words",
    [
        "Moss, you are stupid.",
        "Eliza, are you stupid?",
        "Eliza, do you promise to come?",
        "Anna said: 'You are stupid, Eliza.'",
        "Eliza, Bea told me: 'I promise to bring you honey.'",
        "Eliza, the honey is in the kitchen.",
        "He is stupid.",
    ],
)
def test_what_was_meant_for_others_asked_or_quoted_is_no_deed(words: str) -> None:
    assert after(heard(1, "Anna", words)).acts("Anna", *Deed) == []


def test_a_promise_is_kept_by_what_its_maker_says_later_and_by_nobody_else() -> None:
    promised = heard(1, "Anna", f"Eliza, {PROMISE}")
    for keeper, words, kept in (
        ("Anna", "Here is the honey.", 2),
        ("Anna", "I have kept my promise.", 2),
        ("Anna", "Here is the letter.", 0),
        ("Anna", "Do you like honey?", 0),
        ("Bea", "Here is the honey.", 0),
    ):
        (act,) = after(promised, heard(2, keeper, words)).acts("Anna", Deed.PROMISE)
        assert act.kept == kept, (keeper, words)


def test_warmth_grows_with_kindness_and_an_apology_takes_off_half_of_a_rudeness() -> None:
    rude = heard(1, "Bea", "Eliza, you are stupid.")
    assert after(rude).is_cool("Bea")
    assert not after(rude, heard(2, "Bea", "Eliza, I am sorry.")).is_cool("Bea")
    kind = [heard(seq, "Anna", "Eliza, you are kind.") for seq in (1, 2)]
    assert after(*kind).is_warm("Anna")
    assert not after(*kind, *kind[:1]).acts("Anna", *Deed)[2:]


def test_a_dream_is_nobodys_deed() -> None:
    dreamt = Entry(1, "2026-05-01T09:00:00.000Z", "dream", "Anna", None, 'Anna says, "Eliza, you are stupid."')
    assert after(dreamt).known == ()


def test_a_confidence_is_told_to_nobody_but_who_made_it() -> None:
    bonds = after(heard(1, "Anna", "You are very kind.", "told"))
    assert bonds.telling("Anna", "Bea") is None
    assert bonds.telling("Anna", "Anna") is not None


def test_what_is_borne_in_mind_is_bounded() -> None:
    bonds = Bonds("Eliza")
    for person in range(PEOPLE + 9):
        bonds.learn(heard(MOST * person + seq, f"P{person}", "Eliza, you are kind.") for seq in range(1, MOST + 9))
    assert len(bonds.known) == PEOPLE
    assert len(bonds.acts(bonds.known[-1], *Deed)) == MOST


@given(st.text(max_size=200))
def test_any_line_can_be_read(words: str) -> None:
    vow_in(words)
    after(heard(1, "Anna", words)).telling("Anna", "Bea")


def asked(stage: Stage, who: str, words: str) -> str:
    since = stage.seconds
    stage.say(who, words)
    stage.run(6)
    found = [one for one in stage.lines("Eliza", since) if not one.words.startswith("Hello")]
    return found[-1].words if found else ""


def with_friends(voice: str, seed: int = 3) -> Stage:
    stage = Stage(seed, {"The Garden": {}})
    stage.mind("Eliza", voice_name=voice)
    for person in ("Anna", "Bea"):
        stage.enter(person)
    stage.run(30)
    for who, words in (
        ("Anna", "Eliza, you are wonderful."),
        ("Anna", f"Eliza, {PROMISE}"),
        ("Bea", "Eliza, you are stupid and useless."),
    ):
        stage.say(who, words)
        stage.run(8)
    return stage


@pytest.mark.parametrize("voice", VOICES)
def test_what_it_thinks_of_somebody_rests_on_what_they_said(voice: str) -> None:
    stage = with_friends(voice)
    assert "wonderful" in asked(stage, "Bea", "Eliza, what do you think of Anna?")
    assert "stupid" in asked(stage, "Anna", "Eliza, what do you think of Bea?")
    assert "stupid" in asked(stage, "Bea", "Eliza, what do you think of me?")


@pytest.mark.parametrize("voice", VOICES)
def test_promises_are_told_with_their_words_and_none_is_made_up(voice: str) -> None:
    stage = with_friends(voice)
    assert "honey" in asked(stage, "Anna", "Eliza, what did I promise you?")
    assert "honey" in asked(stage, "Bea", "Eliza, what did Anna promise?")
    assert "honey" not in asked(stage, "Bea", "Eliza, did I promise you anything?")
    assert "honey" not in asked(stage, "Anna", "Eliza, what did you promise me?")


def test_after_a_long_life_the_deed_is_looked_up_again() -> None:
    stage = with_friends("default")
    for number in range(80):
        stage.say("Anna", f"The {number}th swallow came over the wall.")
        stage.wait(60)
    stage.restart("Eliza")
    stage.run(8)
    assert "stupid" in asked(stage, "Bea", "Eliza, what do you think of me?")
    assert "honey" in asked(stage, "Anna", "Eliza, what did I promise you?")


def test_who_was_rude_is_greeted_coolly_and_does_not_get_their_way() -> None:
    stage = with_friends("default")
    stage.say("Bea", "Eliza, come with me.")
    decision = stage.think("Eliza")
    assert decision.text == "reply.unwilling"
    stage.say("Anna", "Eliza, come with me.")
    decision = stage.think("Eliza")
    assert decision.text == "reply.follow"
    stage.say("Anna", "Eliza, stay here.")
    stage.think("Eliza")
    for person in ("Anna", "Bea"):
        stage.leave(person)
    for person, keys in (("Bea", ("greet.cool",)), ("Anna", ("greet.remembers", "greet.warm", "greet.known"))):
        stage.wait(2000)
        stage.enter(person)
        assert stage.think("Eliza").text in keys
        stage.leave(person)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("words", "text"),
    [
        (PROMISE, "ack.promise"),
        ("I swear that I will mend the gate for you.", "ack.promise"),
        ("this loaf of bread is for you.", "ack.gift"),
        ("here is a loaf of fresh bread for you.", "ack.gift"),
        ("I baked this for you", "ack.gift"),
        ("I bought a new lantern for you.", "ack.gift"),
        ("I gave you a lantern from the market.", "ack.gift"),
    ],
)
def test_a_promise_and_a_gift_are_answered_as_such(seed: int, words: str, text: str) -> None:
    stage = Stage(seed, {"The Garden": {}})
    stage.mind("Eliza")
    stage.enter("Anna")
    stage.run(30)
    stage.say("Anna", f"Eliza, {words}")
    assert stage.think("Eliza").text == text


@pytest.mark.parametrize("seed", range(6))
def test_who_keeps_a_promise_is_told_so_once(seed: int) -> None:
    stage = Stage(seed, {"The Garden": {}})
    stage.mind("Eliza")
    stage.enter("Anna")
    stage.run(30)
    texts = []
    for words in (PROMISE, "here is the jar of honey.", "the honey is from my own bees in the orchard."):
        stage.say("Anna", f"Eliza, {words}")
        texts.append(stage.think("Eliza").text)
        stage.run(30)
    assert texts[:2] == ["ack.promise", "ack.kept"]
    assert texts[2] not in ("ack.promise", "ack.kept", "ack.gift")
