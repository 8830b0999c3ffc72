"""Doing something with things: boxes, doors, keys, lamps, letters, hats, cakes, and verbs of their own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mud.engine.engine import Engine
from mud.world.changes import Define, FallAsleep, Put, SetState
from mud.world.events import CHANGED
from mud.world.roles import Role
from mud.world.things import Exit, Kind, Thing
from mud.world.traits import Traits
from tests.worlds import (
    ANN,
    BOOK,
    CELLAR,
    ELIZA,
    GARDEN,
    KEY,
    LAMP,
    LIBRARY,
    LOBBY,
    LOCATIONS,
    LOFT,
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

OAK, IRON = "#1901", "#1902"


def engine_with(*things: Thing, here: tuple[str, ...] = ()) -> Engine:
    """Return an engine over the small world with some things as they are here, and others brought into the garden."""
    world = small_world()
    world.apply([*(Define(one) for one in things), *(Put(one, GARDEN) for one in here)])
    return make_engine(world)


def with_doors(*states: SetState) -> Engine:
    """Return an engine whose oak door is between garden and lobby, and iron door between lobby and library."""
    ways = {GARDEN: {LOBBY: OAK}, LOBBY: {GARDEN: OAK, LIBRARY: IRON}, LIBRARY: {LOBBY: IRON}}
    doors = (
        Thing(OAK, Kind.ITEM, "oak door", traits=Traits(opens=True, key=KEY)),
        Thing(IRON, Kind.ITEM, "iron door", traits=Traits(opens=True, key=KEY)),
    )
    rooms = (
        replace(one, exits=tuple(Exit(way.name, way.to, ways.get(one.id, {}).get(way.to, "")) for way in one.exits))
        for one in LOCATIONS
    )
    engine = engine_with(*doors, *rooms)
    engine.world.apply(states)
    return engine


BOX = ruled(SUNDIAL, holds="in", opens=True, capacity=1, key=KEY)


def test_letters_that_stand_in_a_description_are_read_there() -> None:
    engine = engine_with()
    assert do(engine, "read sundial").reply == do(engine, "examine sundial").reply


# ---- in and on things ----


def test_things_are_put_into_an_open_box_and_taken_out_again() -> None:
    engine = engine_with(BOX, here=(BOOK, KEY))
    for line in ("take lamp", "take book", "take key", "open sundial"):
        do(engine, line)
    step = do(engine, "put lamp in sundial")
    assert step.reply == "You put the brass lamp in the sundial."
    assert left_with(step, ELIZA) == ["Ann puts the brass lamp in the sundial."]
    assert "There is no room left" in refused(engine, "put book in sundial").reply
    assert "in it the brass lamp" in do(engine, "look").reply
    assert "What is in the sundial: the brass lamp." in do(engine, "x sundial").reply
    do(engine, "close sundial")
    assert "brass lamp" not in do(engine, "look").reply
    assert "It is closed" in refused(engine, "take lamp from sundial").reply
    assert "It is closed" in refused(engine, "put book in sundial").reply
    refused(engine, "take lamp")
    do(engine, "open sundial")
    assert do(engine, "take lamp from sundial").reply == "You take the brass lamp from the sundial."
    check_places(engine.world)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("put lamp on lamp", "That cannot be"),
        ("put lamp on sundial", "Nothing stays on the sundial"),
        ("put lamp in eliza", "Nothing stays in Eliza"),
        ("put lamp in moon", 'You do not see "moon" here'),
        ("put moon in sundial", 'You do not see "moon" here'),
        ("put book in sundial", 'You do not see "book" here'),
        ("put", "put needs more"),
        ("take lamp", "You have the brass lamp already"),
        ("take key from eliza", 'You do not see "key" here'),
        ("take from sundial", 'You do not see "from sundial" here'),
        ("wear lamp", "You cannot wear the brass lamp"),
        ("eat lamp", "You cannot eat the brass lamp"),
        ("light lamp", "You cannot light the brass lamp"),
        ("turn on lamp", "You cannot turn on the brass lamp"),
        ("lock lamp", "You cannot lock the brass lamp"),
        ("unlock lamp with lamp", "You cannot unlock the brass lamp"),
        ("open lamp", "You cannot open the brass lamp"),
        ("extinguish eliza", "You cannot extinguish Eliza"),
        ("remove lamp", "You cannot remove the brass lamp"),
        ("use", "use needs more: what?"),
        ("push", "push needs more: what?"),
        ("use moon on sundial", 'You do not see "moon" here'),
        ("open", "open needs more"),
        ("turn", "turn needs more"),
        ("turn on", 'You do not see "on" here'),
        ("unlock sundial", "You have nothing to unlock the sundial with"),
        ("unlock sundial with lamp", "The brass lamp does not fit the sundial"),
        ("light lamp " + "x" * 300, "You do not see"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence_and_costs_nothing(line: str, told: str) -> None:
    engine = engine_with(BOX)
    do(engine, "take lamp")
    reply = refused(engine, line).reply
    assert told.casefold() in reply.casefold()


def test_nothing_goes_into_what_it_holds() -> None:
    engine = engine_with(ruled(LAMP, holds="in"), ruled(KEY, holds="in"), here=(KEY,))
    for line in ("take lamp", "take key", "put key in lamp"):
        do(engine, line)
    refused(engine, "put lamp in key")
    check_places(engine.world)


def test_a_thing_called_with_a_small_word_is_meant_as_a_whole() -> None:
    letter = replace(ruled(LAMP), name="letter from Ada")
    engine = engine_with(letter)
    do(engine, "push letter from Ada")
    assert do(engine, "take letter from Ada").reply == "You take the letter from Ada."


# ---- doors ----


def test_a_door_is_opened_and_closed_from_both_sides_and_seen_from_both() -> None:
    engine = with_doors()
    assert "north (closed)" in do(engine, "look").reply
    do(engine, "open oak door")
    assert "already" in refused(engine, "open oak door").reply
    engine.world.apply([Put(MOSS, LOBBY)])
    step = do(engine, "close door")
    assert left_with(step, MOSS) == ["The oak door is closed now."]
    assert left_with(step, ELIZA) == ["Ann closes the oak door."]
    step = do(engine, "open oak door", MOSS)
    assert left_with(step, ANN) == ["The oak door is open now."]


def test_who_walks_opens_the_closed_doors_on_the_way() -> None:
    engine = with_doors()
    step = do(engine, "go loft")
    assert step.reply.startswith("You open the oak door. You open the iron door. You walk from The Garden to The Loft")
    assert left_with(step, ELIZA) == ["Ann opens the oak door.", "Ann leaves for The Lobby."]
    assert engine.world.where[ANN] == LOFT
    assert "You open" not in do(engine, "go garden").reply


def test_a_locked_door_is_no_way_and_its_key_makes_it_one() -> None:
    engine = with_doors(SetState(OAK, "locked"), SetState(IRON, "locked"))
    assert "The way is locked: the oak door." in refused(engine, "north").reply
    assert "The way is locked: the oak door." in refused(engine, "go library").reply
    assert "nothing to unlock" in refused(engine, "unlock north").reply
    assert "locked" in refused(engine, "open oak door").reply
    assert "nothing to unlock" in refused(engine, "unlock oak door").reply
    engine.world.apply([Put(KEY, ANN)])
    do(engine, "unlock oak door with key")
    refused(engine, "unlock oak door")
    do(engine, "north")
    assert "closed first" in refused(engine, "lock oak door").reply
    do(engine, "close oak door")
    do(engine, "lock oak door")
    refused(engine, "lock oak door")
    refused(engine, "south")
    assert "locked" in refused(engine, "north").reply.casefold()


def test_a_locked_box_stays_closed_whatever_its_rules_say() -> None:
    box = ruled(SUNDIAL, 'when open: say "It creaks."', holds="in", opens=True, key=KEY, states=("locked",))
    engine = engine_with(box)
    refused(engine, "open sundial")
    engine.world.apply([Put(KEY, ANN)])
    do(engine, "unlock sundial with rusty key")
    assert do(engine, "open sundial").reply.endswith("It creaks.")


def test_a_door_whose_rule_refuses_lets_nobody_walk_through() -> None:
    engine = with_doors()
    oak = engine.world.things[OAK]
    engine.world.apply(
        [Define(replace(oak, traits=replace(ruled(LAMP, 'when open: refuse "It sticks."').traits, opens=True)))]
    )
    assert do(engine, "north").reply == "It sticks."
    assert engine.world.where[ANN] == GARDEN


# ---- lamps, letters, hats, cakes ----


def test_a_lamp_is_lit_and_put_out() -> None:
    engine = engine_with(ruled(LAMP, light=True), ruled(SUNDIAL, switch=True))
    assert do(engine, "light lamp").reply == "You light the brass lamp."
    assert "already" in refused(engine, "turn on lamp").reply
    assert "brass lamp (lit)" in do(engine, "look").reply
    do(engine, "douse lamp")
    assert "not lit" in refused(engine, "extinguish lamp").reply
    for line, on in (("turn on sundial", True), ("turn sundial off", False), ("switch on sundial", True)):
        do(engine, line)
        assert ("on" in engine.world.live.of(SUNDIAL)) is on
    do(engine, "turn sundial")


def test_who_brings_a_lamp_into_the_dark_sees_what_is_there() -> None:
    engine = engine_with(ruled(LAMP, light=True), ruled(CELLAR, dark=True))
    engine.world.apply([Put(BOOK, CELLAR)])
    do(engine, "take lamp")
    assert "too dark" in do(engine, "gate").reply
    refused(engine, "take book")
    assert "green book" not in do(engine, "look").reply
    do(engine, "light lamp")
    assert "green book" in do(engine, "look").reply
    engine.world.apply([Put(ANN, GARDEN)])
    assert "green book" in do(engine, "gate").reply


def test_what_is_written_is_read_and_kept() -> None:
    engine = engine_with(ruled(LAMP, writing="Made in York."))
    step = do(engine, "read lamp")
    assert step.reply == "On the brass lamp is written: Made in York."
    assert step.reply in left_with(step, ANN)
    assert "Something is written on it." in do(engine, "x lamp").reply


def test_a_hat_is_worn_until_it_is_taken_off_or_put_away() -> None:
    engine = engine_with(ruled(LAMP, wearable=True))
    refused(engine, "wear lamp")
    do(engine, "take lamp")
    do(engine, "wear lamp")
    assert "worn" in do(engine, "i").reply
    refused(engine, "wear lamp")
    do(engine, "remove lamp")
    refused(engine, "remove lamp")
    do(engine, "don lamp")
    do(engine, "drop lamp")
    assert "worn" not in do(engine, "look").reply


def test_what_is_eaten_is_gone() -> None:
    engine = engine_with(ruled(LAMP, 'when eat: tell "Sweet."; make lamp', food=True))
    assert do(engine, "eat lamp").reply == "You eat the brass lamp.\nSweet."
    assert LAMP not in engine.world.where
    (copy,) = engine.world.live.made
    do(engine, "drink lamp")
    assert copy not in engine.world.where


# ---- verbs of their own ----


def test_things_and_places_know_verbs_of_their_own() -> None:
    here = ruled(GARDEN, "when pray: actor becomes blessed", verbs=(("pray", "You pray. The pears listen."),))
    engine = engine_with(here, ruled(LAMP, verbs=(("polish", "It shines."), ("turn on", "It hums."))))
    step = do(engine, "pray")
    assert step.reply == "You pray. The pears listen."
    assert left_with(step, ELIZA) == ["Ann prays."]
    assert "blessed" in engine.world.live.of(ANN)
    assert do(engine, "polish lamp").reply == "It shines."
    assert do(engine, "turn on lamp").reply == "It hums."
    refused(engine, "polish")
    do(engine, "north")
    assert "no command" in refused(engine, "pray").reply
    assert "no command" in refused(engine, "polish lamp").reply


@pytest.mark.parametrize("verb", ["push", "pull", "ring", "sit on", "knock on", "climb", "kick"])
def test_most_things_can_be_used_though_nothing_comes_of_it(verb: str) -> None:
    engine = engine_with()
    step = do(engine, f"{verb} sundial")
    assert step.reply.startswith(f"You {verb} the sundial")
    assert len(left_with(step, ELIZA)) == 1


def test_who_sleeps_wakes_to_act_and_a_sleeping_mind_does_not() -> None:
    engine = engine_with(ruled(LAMP, 'when push: tell "Cold."'))
    engine.world.apply([FallAsleep(ANN), FallAsleep(ELIZA)])
    assert do(engine, "push lamp").reply.endswith("Cold.")
    assert ANN not in engine.world.asleep
    refused(engine, "push lamp", ELIZA, Role.AGENT)


def test_minds_do_what_their_prompts_list() -> None:
    engine = engine_with(BOX, ruled(LAMP, light=True, verbs=(("polish", "It shines."),)), here=(KEY,))
    for line in (
        "take key", "open sundial", "take lamp", "light lamp", "polish lamp", "put lamp in sundial",
        "take lamp from sundial", "put down lamp",
    ):  # fmt: skip
        assert left_with(do(engine, line, ELIZA, Role.AGENT), ELIZA), line
    assert set(engine.world.live.of(SUNDIAL)) == {"open"}


@pytest.mark.parametrize("line", ["put lamp at sundial", "place lamp beside the sundial", "put lamp by sundial"])
def test_what_is_put_at_a_thing_lies_beside_it_and_its_rules_hear_of_it(line: str) -> None:
    engine = engine_with(ruled(SUNDIAL, 'when put brass lamp at it: it becomes whole; say "It fits."'))
    do(engine, "take lamp")
    step = do(engine, line)
    assert engine.world.where[LAMP] == GARDEN
    assert step.reply == "You put the brass lamp at the sundial.\nIt fits."
    assert "whole" in engine.world.live.of(SUNDIAL)


def test_what_things_do_is_seen_as_nobodys_deed_and_marked() -> None:
    engine = engine_with(ruled(SUNDIAL, 'when push: say "It rings."'))
    deed, ring = [one for one in do(engine, "push sundial").left if one.who == ELIZA]
    assert (deed.actor, deed.mark) == ("Ann", None)
    assert (ring.text, ring.kind, ring.actor, ring.mark) == ("It rings.", "saw", None, CHANGED)


def test_a_key_is_used_on_what_it_locks_and_a_thing_looked_into() -> None:
    engine = engine_with(BOX, here=(KEY,))
    do(engine, "take key")
    assert "lock the sundial" in do(engine, "use rusty key on sundial").reply
    refused(engine, "open sundial")
    assert "unlock the sundial" in do(engine, "use rusty key on sundial").reply
    assert do(engine, "look in sundial").reply == do(engine, "examine sundial").reply


def test_put_on_is_wear() -> None:
    engine = engine_with(ruled(LAMP, wearable=True))
    do(engine, "take lamp")
    do(engine, "put on lamp")
    assert "worn" in engine.world.live.of(LAMP)
