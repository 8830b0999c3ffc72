"""The language of rules: each form, and what is said about each mistake."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.world.rules import (
    ACTOR,
    ANYTHING,
    DEEPEST_AFTER,
    HERE,
    IT,
    LONGEST_RULE,
    MOST_EFFECTS,
    SAME,
    After,
    Almanac,
    Becomes,
    Begins,
    Chance,
    Condition,
    Describe,
    Does,
    Effect,
    Every,
    Is,
    Make,
    MoveThing,
    Not,
    Ref,
    Refuse,
    RemoveThing,
    RuleError,
    SetExit,
    Some,
    Tell,
    Trigger,
    Within,
    bind,
    parse_condition,
    parse_effects,
    parse_rule,
    refs,
)
from tests.worlds import commands

FIN, BOX, LOFT = Ref("bronze fin"), Ref("box"), Ref("Loft")
ITSELF, WHO, HERE_ = Ref(IT), Ref(ACTOR), Ref(HERE)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("wind", Does("wind")),
        ("WIND", Does("wind")),
        ("wind it", Does("wind", ITSELF)),
        ("put bronze fin on it", Does("put", FIN, "on", ITSELF)),
        ("put the bronze fin onto the box", Does("put", FIN, "on", BOX)),
        ("put anything into it", Does("put", Ref(ANYTHING), "in", ITSELF)),
        ("knock on it", Does("knock", None, "on", ITSELF)),
        ("use [[brass key]] with #1104", Does("use", Ref("brass key"), "with", Ref("#1104"))),
        ('say "open sesame"', Does("say", words="open sesame")),
        ("say \u201csesame\u201d", Does("say", words="sesame")),
        ("turn on it", Does("turn on", ITSELF)),
        ("switch off", Does("turn off")),
        ("get it", Does("take", ITSELF)),
        ("it becomes lit", Becomes(ITSELF, "lit", on=True)),
        ("box becomes not open", Becomes(BOX, "open", on=False)),
        ("it becomes half Full", Becomes(ITSELF, "half full", on=True)),
        ("night begins", Begins("night")),
        ("heavy rain begins", Begins("heavy rain")),
    ],
)
def test_a_trigger_is_what_somebody_does_or_what_becomes_or_begins(written: str, meant: Trigger) -> None:
    assert parse_rule(f"when {written}: remove it").trigger == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("lit", Is(ITSELF, "lit")),
        ("not lit", Not(Is(ITSELF, "lit"))),
        ("box is open", Is(BOX, "open")),
        ("the box is not open", Not(Is(BOX, "open"))),
        ("bronze fin is on it", Within(FIN, "on", ITSELF)),
        ("bronze fin is not in box", Not(Within(FIN, "in", BOX))),
        ("bronze fin is inside box", Within(FIN, "in", BOX)),
        ("bronze fin is here", Within(FIN, "at", HERE_)),
        ("actor is in the Loft", Within(WHO, "in", LOFT)),
        ("actor has bronze fin", Within(FIN, "in", WHO)),
        ("actor has not bronze fin", Not(Within(FIN, "in", WHO))),
        ("time is night", Almanac("time", "night")),
        ("weather is not rain", Not(Almanac("weather", "rain"))),
        ("chance 1 in 6", Chance(1, 6)),
        ("lit and box is open", Every((Is(ITSELF, "lit"), Is(BOX, "open")))),
        ("lit or on and open", Some((Is(ITSELF, "lit"), Every((Is(ITSELF, "on"), Is(ITSELF, "open")))))),
    ],
)
def test_a_condition_is_a_state_a_place_a_time_or_a_chance(written: str, meant: Condition) -> None:
    assert parse_condition(written) == meant
    assert parse_rule(f"when wind if {written}: remove it").condition == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("it becomes lit", Becomes(ITSELF, "lit", on=True)),
        ("box becomes not open", Becomes(BOX, "open", on=False)),
        ('say "It clicks."', Tell("It clicks.", HERE_)),
        ('say "A bell." in the Loft', Tell("A bell.", LOFT)),
        ('tell "Cold."', Tell("Cold.", actor_only=True)),
        ('refuse "No."', Refuse("No.")),
        ("move bronze fin to here", MoveThing(FIN, HERE_)),
        ("move bronze fin into box", MoveThing(FIN, BOX)),
        ("remove it", RemoveThing(ITSELF)),
        ("make box", Make(BOX, HERE_)),
        ("make bronze fin in box", Make(FIN, BOX)),
        ('describe it "Green; old: worn."', Describe(ITSELF, "Green; old: worn.")),
        ("exit down leads to Loft", SetExit(HERE_, "down", LOFT)),
        ("exit old gate of box is gone", SetExit(BOX, "old gate", None)),
        ("after 2 minutes: remove it", After(120, (RemoveThing(ITSELF),), "remove it")),
        ("after 1.5 seconds: [[box]] becomes lit", After(1.5, (Becomes(BOX, "lit", on=True),), "[[box]] becomes lit")),
    ],
)
def test_an_effect_is_one_of_few(written: str, meant: Effect) -> None:
    assert parse_rule(f"when wind: {written}").effects == (meant,)
    assert parse_effects(written) == (meant,)


def test_effects_come_in_their_order_and_a_wait_holds_all_that_follows() -> None:
    rule = parse_rule('when wind: it becomes on; say "Tick."; after 1 hour: say "Tock."; after 1 day: remove it')
    *_, wait = rule.effects
    assert isinstance(wait, After)
    assert (len(rule.effects), wait.seconds, len(wait.effects)) == (3, 3600, 2)
    assert parse_effects(wait.source) == wait.effects


LATE = "after 1 second: " * (DEEPEST_AFTER + 1)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("", "a rule begins with when"),
        ("wind: remove it", "a rule begins with when"),
        ("when wind", "there is no colon"),
        ("when : remove it", "there is no trigger"),
        ('when "wind": remove it', "is nothing that one does; expected a verb"),
        ('when say "a" loudly: remove it', "'loudly' follows the words; expected nothing more"),
        ("when put it on: remove it", "something is missing: a thing after on"),
        ("when put it on a: remove", "something is missing: a thing"),
        ("when wind if: remove it", "a condition is missing"),
        ("when wind if lit and: remove it", "a condition is missing"),
        ("when wind if chance 6 in 1: remove it", "'chance 6 in 1' is no chance"),
        ("when wind if chance often: remove it", "'chance often' is no chance"),
        ("when wind if a b c d: remove it", "'a b c d' is no state"),
        ("when wind if it is: remove it", "a state is missing"),
        ('when wind if "it" is lit: remove it', "names nothing; expected a thing before is"),
        ("when it becomes: remove it", "a state is missing"),
        ("when becomes lit: remove it", "something is missing: a thing before becomes"),
        ("when wind if has x: remove it", "something is missing: somebody before has"),
        ("when wind:", "there is no effect"),
        ("when wind: remove it;; remove it", "an effect is missing"),
        ("when wind: dance", "'dance' is no effect; expected one of becomes, say, tell"),
        ("when wind: say hello", "expected a text in quotation marks after say"),
        ('when wind: tell ""', "expected a text in quotation marks after tell"),
        ("when wind: move it", "expected: move THING to PLACE"),
        ("when wind: describe it", "expected a text in quotation marks after describe THING"),
        ('when wind: describe "x"', "something is missing: a thing"),
        ("when wind: exit down goes home", "expected: exit NAME leads to PLACE, or exit NAME is gone"),
        ("when wind: exit down is shut", "expected: exit NAME leads to PLACE, or exit NAME is gone"),
        ("when wind: remove it: remove it", "there is a colon after 'remove it'"),
        ("when wind: after: remove it", "expected: after 10 seconds: EFFECT"),
        ("when wind: after ten seconds: remove it", "'ten seconds' is no time"),
        ("when wind: after 3 moons: remove it", "'3 moons' is no time"),
        ("when wind: after 0.5 seconds: remove it", "too short or too long"),
        ("when wind: after 31 days: remove it", "too short or too long"),
        ("when wind: after 1 second:", "there is no effect"),
        (f"when wind: {LATE}remove it", f"more than {DEEPEST_AFTER} waits"),
        ('when wind: after 1 second: refuse "No."', "it is too late to refuse after a wait"),
        ('when it becomes lit: refuse "No."', "expected refuse only where somebody does something"),
        ('when night begins: refuse "No."', "expected refuse only where somebody does something"),
        ('when wind: say "open', "a quotation mark without its end, at character 16"),
        ("when wind: [remove it", "means nothing here, at character 12"),
        ("when wind: " + "; ".join(["remove it"] * (MOST_EFFECTS + 1)), f"expected at most {MOST_EFFECTS}"),
        ("when wind: " + "x" * LONGEST_RULE, f"expected at most {LONGEST_RULE:,}"),
    ],
)
def test_a_mistake_is_told_with_what_was_expected(rule: str, told: str) -> None:
    with pytest.raises(RuleError) as wrong:
        parse_rule(rule)
    assert told in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_names_are_found_and_replaced_by_ids_but_not_it_and_the_like() -> None:
    rule = parse_rule(
        "when put bronze fin on it if actor has box: move [[box]] to here; after 1 day: make lamp in Loft"
    )
    assert set(refs(rule)) == {"bronze fin", "box", "lamp", "Loft"}
    bound = bind(rule, {"bronze fin": "#1", "box": "#2", "Loft": "#3"})
    assert set(refs(bound)) == {"#1", "#2", "#3", "lamp"}
    assert bound.source == rule.source


def test_verbs_that_are_done_as_another_are_the_other_names_of_commands() -> None:
    known = commands()
    assert {verb: found.name for verb in SAME if (found := known.find(verb)) is not None} == SAME


WORDS = st.sampled_from(
    ["when", "if", "and", "or", "not", "is", "has", "becomes", "begins", "after", "1", "6", "seconds", "it", "actor",
     "here", "anything", "lit", "put", "on", "in", "to", "say", "tell", "refuse", "move", "remove", "make", "describe",
     "exit", "leads", "gone", "of", "chance", "time", "the", ":", ";", '"Tick."', '"', "[[box]]", "[[", "]]", "#1", "ß"]
)  # fmt: skip


@given(st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=30).map(" ".join)))
def test_any_line_is_a_rule_or_a_mistake_of_one_sentence(line: str) -> None:
    for text in (line, f"when wind: {line}", f"when wind if {line}: remove it"):
        with suppress(RuleError):
            rule = parse_rule(text)
            for one in rule.effects:
                assert not isinstance(one, After) or parse_effects(one.source) == one.effects
