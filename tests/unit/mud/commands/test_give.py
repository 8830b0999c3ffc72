"""Giving."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.world.changes import Define, Put
from mud.world.roles import Role
from tests.worlds import (
    ANN,
    ELIZA,
    GARDEN,
    KEY,
    LAMP,
    MOSS,
    SUNDIAL,
    check_places,
    do,
    left_with,
    make_engine,
    refused,
    ruled,
    small_world,
)


@pytest.mark.parametrize(
    "line",
    [
        "give lamp to Eliza",
        "give the brass lamp to eliza",
        "hand Eliza the lamp",
        "give lamp Eliza",
        "give brass lamp to El",
    ],
)
def test_what_one_gives_the_other_has_and_each_remembers_its_part(line: str) -> None:
    engine = make_engine()
    do(engine, "take lamp")
    do(engine, "go garden", MOSS)
    step = do(engine, line)
    assert step.reply == "You give Eliza the brass lamp."
    assert left_with(step, ANN) == ["You give Eliza the brass lamp."]
    assert left_with(step, ELIZA) == ["Ann gives you the brass lamp."]
    assert left_with(step, MOSS) == ["Ann gives Eliza the brass lamp."]
    [event] = step.events
    assert (event.kind, event.actor, event.to, event.thing) == ("gift", ANN, ELIZA, "brass lamp")
    assert engine.world.where[LAMP] == ELIZA


def test_agents_give_as_people_do() -> None:
    engine = make_engine()
    do(engine, "take lamp", ELIZA, Role.AGENT)
    step = do(engine, "give brass lamp to Ann | she needs it more", ELIZA, Role.AGENT)
    assert left_with(step, ANN) == ["Eliza gives you the brass lamp."]
    assert [one.reason for one in step.left] == ["she needs it more", None]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("give", "give needs more: thing."),
        ("give lamp", 'To whom do you want to give "lamp"?'),
        ("give Eliza", "What do you want to give Eliza?"),
        ("give lamp to Ann", "You have it already."),
        ("give lamp to Moss", 'You do not see "Moss" here.'),
        ("give lamp to Margery", "Margery would not know what to do with it."),
        ("give moon to Eliza", 'You do not see "moon" here.'),
        ("give sundial to Eliza", "You do not have the sundial in your hands."),
        ("give to Eliza", 'To whom do you want to give "to Eliza"?'),
    ],
)
def test_what_cannot_be_given_is_refused(line: str, why: str) -> None:
    engine = make_engine()
    do(engine, "take lamp")
    assert refused(engine, line).reply.startswith(why)


def test_who_sleeps_cannot_take_anything() -> None:
    engine = make_engine()
    do(engine, "take lamp")
    do(engine, "sleep", ELIZA)
    assert refused(engine, "give lamp to Eliza").reply == "Eliza is asleep and cannot take it."


@given(st.lists(st.tuples(st.sampled_from([ANN, ELIZA, MOSS]), st.sampled_from(["lamp", "key", "lamp key"]),
                          st.sampled_from(["Ann", "Eliza", "Moss", "Margery", "nobody", ""]))))  # fmt: skip
def test_nothing_that_is_given_is_ever_lost(gifts: list[tuple[str, str, str]]) -> None:
    engine = make_engine()
    do(engine, "go garden", MOSS)
    do(engine, "take lamp")
    do(engine, "go lobby")
    do(engine, "take key")
    do(engine, "go garden")
    for who, thing, to in gifts:
        engine.step(who, f"give {thing} to {to}", Role.GUEST)
        check_places(engine.world)
    assert {engine.world.where[LAMP], engine.world.where[KEY]} <= {ANN, ELIZA, MOSS}


def test_a_thing_that_waits_for_gifts_is_given_to() -> None:
    world = small_world()
    world.apply([Define(ruled(SUNDIAL, 'when give anything to it: say "It hums."')), Put(LAMP, ANN)])
    engine = make_engine(world)
    assert do(engine, "give lamp to sundial").reply == "You give the brass lamp to the sundial.\nIt hums."
    assert world.where[LAMP] == GARDEN
