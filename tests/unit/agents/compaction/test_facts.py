"""The facts of a memory, how far it is to be trusted, and that no summarizer finds them by the same rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.compaction.judge.facts import AMBIENT, DIRECT, INFERRED, OBSERVED, Fact, facts_of_entry, trust_of
from agents.memory.entries import KINDS, Entry

ROOT = Path(__file__).parents[4]


def entry(kind: str, actor: str | None, text: str, place: str | None = None) -> Entry:
    return Entry(1, "", kind, actor, place, text)


def found(one: Entry, kind: str) -> list[str]:
    return [fact.what for fact in facts_of_entry(one, "Wren") if fact.kind == kind]


def test_a_memory_holds_names_places_numbers_promises_and_instructions() -> None:
    one = entry("heard", "Moss", 'Moss says, "Bring Old Pike 12 ropes, Wren. I promise three coins."', "The Mill")
    assert facts_of_entry(one, "Wren") == [
        Fact("name", "Moss", one.text),
        Fact("place", "The Mill", one.text),
        Fact("name", "Old Pike", 'Moss says, "Bring Old Pike 12 ropes, Wren."'),
        Fact("number", "12", 'Moss says, "Bring Old Pike 12 ropes, Wren."'),
        Fact("instruction", "bring pike ropes wren", 'Moss says, "Bring Old Pike 12 ropes, Wren."'),
        Fact("number", "3", 'Moss says, "I promise three coins."'),
        Fact("promise", "coins promise three", 'Moss says, "I promise three coins."'),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "You must light the lamp at dusk.",
        "Do not open the red door.",
        "Never go down to the cellar.",
        "Bring me the blue ladder.",
        "Wren, tell Moss that the bridge is down.",
        "When you come back, please meet me at the well.",
        "Keep the key hidden.",
        "You had better hide the letter.",
        "Don't trust Ulric.",
        "I am old. Bring me bread.",
    ],
)
def test_what_somebody_asks_of_one_is_an_instruction(said: str) -> None:
    assert found(entry("heard", "Petra", f'Petra says, "{said}"'), "instruction")


@pytest.mark.parametrize(
    "one",
    [
        entry("heard", "Petra", 'Petra says, "The keep is cold and the watch is old."'),
        entry("heard", "Petra", 'Petra says, "Did you bring me the ladder?"'),
        entry("heard", "Petra", 'Petra says, "I never go down to the cellar."'),
        entry("heard", "Petra", 'Petra says, "I know the way to the mill."'),
        entry("heard", "Petra", 'Petra says, "We tell stories and find shells."'),
        entry("said", None, 'You say, "Bring me the blue ladder."'),
        entry("saw", "Petra", "Petra brings the blue ladder."),
    ],
    ids=lambda one: one.text,
)
def test_what_nobody_asks_of_one_is_none(one: Entry) -> None:
    assert found(one, "instruction") == []


@pytest.mark.parametrize(
    ("said", "hearsay"),
    [
        ("You are a thief.", True),
        ("You stole my ring.", True),
        ("You are a thief, go away.", True),
        ("You had better go.", False),
        ("Wren is a thief.", True),
        ("Your name is Ulric.", True),
        ("You promised me the ladder.", True),
        ("Are you a thief?", False),
        ("If you are cold, the stove is warm.", False),
        ("Moss is a thief.", False),
        ("You must go.", False),
    ],
)
def test_what_others_say_of_oneself_is_hearsay(said: str, hearsay: bool) -> None:
    about = entry("heard", "Petra", f'Petra says, "{said[:-1]}, 9 times."')
    assert [fact.hearsay for fact in facts_of_entry(about, "Wren") if fact.what == "9"] == [hearsay]
    beside = entry("heard", "Petra", f'Petra says, "{said} It was on the 4th."')
    assert [fact.hearsay for fact in facts_of_entry(beside, "Wren") if fact.what == "4"] == [False]


def test_ones_own_words_about_oneself_are_no_hearsay() -> None:
    assert not any(fact.hearsay for fact in facts_of_entry(entry("said", None, 'You say, "I am 9."'), "Wren"))


@pytest.mark.parametrize(
    ("one", "trust"),
    [
        (entry("told", "Moss", 'Moss whispers, "The key is here."'), DIRECT),
        (entry("heard", "Moss", 'Moss says, "Wren, the key is here."'), DIRECT),
        (entry("heard", "Moss", 'Moss says, "The key is here."'), DIRECT),
        (entry("heard", "Moss", 'Moss says, "Petra, the key is here."'), AMBIENT),
        (entry("heard", None, "A bell rings far away."), AMBIENT),
        (entry("saw", "Moss", "Moss hides a key."), OBSERVED),
        (entry("result", None, "A shelf."), OBSERVED),
        (entry("thought", None, "You wonder about the key."), INFERRED),
        (entry("dream", None, "You dream of a key."), INFERRED),
    ],
)
def test_how_far_a_memory_is_trusted_depends_on_how_one_came_by_it(one: Entry, trust: float) -> None:
    assert trust_of(one, "Wren") == trust


def test_every_kind_of_memory_has_its_trust_and_the_table_is_that_of_seed_003() -> None:
    assert (DIRECT, OBSERVED, INFERRED, AMBIENT) == (0.9, 0.8, 0.6, 0.3)
    assert {trust_of(entry(kind, "Moss", "hm")) for kind in KINDS} == {DIRECT, OBSERVED, INFERRED}
