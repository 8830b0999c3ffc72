"""What things do by their rules when somebody does something, and when time passes."""

from __future__ import annotations

import json
from dataclasses import replace
from weakref import WeakKeyDictionary

import pytest

from mud.clock import VirtualClock
from mud.engine.engine import Engine, changes_of
from mud.world.changes import Change, Define, Put, SetState
from mud.world.reactions import MOST_FIRED, MOST_MADE, MOST_TIMERS
from mud.world.things import Exit, Kind, Thing
from mud.world.world import World
from tests.worlds import (
    ANN,
    BOOK,
    CELLAR,
    ELIZA,
    GARDEN,
    KEY,
    LAMP,
    LOBBY,
    LOFT,
    MOSS,
    SUNDIAL,
    MemoryLedger,
    check_places,
    do,
    left_with,
    make_engine,
    ruled,
    small_world,
    snapshot,
)

CLOCKS: WeakKeyDictionary[Engine, VirtualClock] = WeakKeyDictionary()


def engine_with(*things: Thing, ledger: MemoryLedger | None = None) -> Engine:
    """Return an engine over the small world with some things as they are here."""
    world = small_world()
    world.apply(Define(one) for one in things)
    clock = VirtualClock()
    engine = make_engine(world, ledger, clock=clock)
    CLOCKS[engine] = clock
    return engine


def wait(engine: Engine, seconds: float) -> list[str]:
    """Let time pass, and return what Ann and Eliza got to know."""
    CLOCKS[engine].advance(seconds)
    return [text for step in engine.elapse() for text in (*left_with(step, ANN), *left_with(step, ELIZA))]


def states(engine: Engine, thing: str) -> list[str]:
    return list(engine.world.live.of(thing))


def again(ledger: MemoryLedger, *things: Thing) -> World:
    """Return the world that the ledger alone makes."""
    world = small_world()
    world.apply(Define(one) for one in things)
    for record in ledger.after(0):
        world.apply(changes_of(record))
    return world


# ---- triggers ----


@pytest.mark.parametrize(
    ("trigger", "line", "sets_off"),
    [
        ("wind", "wind lamp", True),
        ("wind", "wind sundial", False),
        ("wind it", "wind lamp", True),
        ("wind sundial", "wind sundial", True),
        ("wind anything", "wind sundial", True),
        ("push anything", "wind sundial", False),
        ("knock on it", "knock on lamp", True),
        ("knock", "knock on lamp", True),
        ("knock in it", "knock on lamp", False),
        ("use lamp on sundial", "use lamp on sundial", True),
        ("use anything on sundial", "use lamp on sundial", True),
        ("use sundial on it", "use lamp on sundial", False),
        ("take", "take lamp", True),
        ("get it", "take lamp", True),
        ("examine", "x lamp", True),
        ("look", "look", True),
        ('say "open sesame"', "say Well, open   SESAME now", True),
        ('say "sesame"', "say hello", False),
        ("say", "say hello", True),
        ("leave", "north", True),
    ],
)
def test_what_somebody_does_sets_off_the_rules_that_wait_for_it(trigger: str, line: str, sets_off: bool) -> None:
    engine = engine_with(ruled(LAMP, f"when {trigger}: it becomes seen"))
    do(engine, line)
    assert states(engine, LAMP) == (["seen"] if sets_off else [])


def test_a_verb_alone_is_done_to_the_thing_and_not_with_it() -> None:
    box = ruled(SUNDIAL, 'when take: refuse "It is heavy."', holds="on")
    engine = engine_with(box)
    engine.world.apply([Put(LAMP, SUNDIAL)])
    assert do(engine, "take lamp from sundial").reply == "You take the brass lamp from the sundial."


def test_anything_is_what_is_where_the_rule_is() -> None:
    engine = engine_with(
        ruled(LOFT, "when take anything: it becomes robbed"), ruled(GARDEN, "when take anything: it becomes robbed")
    )
    do(engine, "take lamp")
    assert (states(engine, LOFT), states(engine, GARDEN)) == ([], ["robbed"])


def test_who_enters_sets_off_the_place_and_what_is_in_it() -> None:
    engine = engine_with(
        ruled(LOBBY, 'when enter: tell "A draught, {actor}."'), ruled(KEY, "when enter: it becomes seen")
    )
    step = do(engine, "north")
    assert step.reply.endswith("A draught, Ann.")
    assert states(engine, KEY) == ["seen"]
    assert left_with(step, ANN) == [next(one.text for one in step.left if one.who == ANN)]


def test_rules_are_told_to_the_actor_in_the_reply_and_to_others_as_something_that_happens() -> None:
    engine = engine_with(
        ruled(LAMP, 'when wind: say "{it} ticks for {actor}."; tell "Your thumb hurts."; say "A tick." in Library')
    )
    step = do(engine, "wind lamp")
    assert step.reply.splitlines()[1:] == ["The brass lamp ticks for Ann.", "Your thumb hurts."]
    assert "The brass lamp ticks for Ann." in left_with(step, ELIZA)
    assert "Your thumb hurts." not in left_with(step, ELIZA)
    assert left_with(step, MOSS) == ["A tick."]


# ---- refusing ----


def test_what_a_rule_refuses_does_not_happen() -> None:
    engine = engine_with(
        ruled(LAMP, 'when take if not cold: refuse "It is hot."; it becomes tried', "when take: it becomes taken")
    )
    step = do(engine, "take lamp")
    assert step.reply == "It is hot."
    assert engine.world.where[LAMP] == GARDEN
    assert states(engine, LAMP) == ["tried"]
    assert left_with(step, ELIZA) == []
    engine.world.apply([SetState(LAMP, "cold")])
    do(engine, "take lamp")
    assert engine.world.where[LAMP] == ANN
    assert "taken" in states(engine, LAMP)


def test_a_place_that_refuses_to_be_entered_keeps_the_walker_where_the_walk_began() -> None:
    engine = engine_with(ruled(LOBBY, 'when enter: refuse "Wet paint."'))
    assert do(engine, "go library").reply == "Wet paint."
    assert engine.world.where[ANN] == GARDEN


def test_nobody_is_refused_who_comes_into_the_world() -> None:
    engine = engine_with(
        ruled(
            GARDEN,
            'when enter: refuse "Closed."',
            'when enter: tell "Welcome, {actor}."; actor becomes known; make lamp',
        )
    )
    ben = Thing(engine.world.new_id(), Kind.CHARACTER, "Ben")
    engine.enter(ben, GARDEN)
    assert engine.world.where[ben.id] == GARDEN
    assert engine.world.things[ben.id] == ben
    assert states(engine, ben.id) == ["known"]
    (copy,) = engine.world.live.made
    assert (copy != ben.id, engine.world.where[copy]) == (True, GARDEN)
    check_places(engine.world)


# ---- chains ----


def test_what_becomes_of_one_thing_sets_off_the_next() -> None:
    engine = engine_with(
        ruled(LAMP, "when wind: it becomes lit"),
        ruled(SUNDIAL, "when lamp becomes lit: it becomes warm"),
        ruled(BOOK, "when sundial becomes warm: it becomes dry", "when sundial becomes not warm: it becomes damp"),
    )
    do(engine, "wind lamp")
    assert [states(engine, one) for one in (LAMP, SUNDIAL, BOOK)] == [["lit"], ["warm"], ["dry"]]
    do(engine, "wind lamp")  # nothing becomes of it a second time
    assert states(engine, BOOK) == ["dry"]


def test_a_circle_of_rules_ends() -> None:
    engine = engine_with(
        ruled(
            LAMP, "when wind: it becomes lit", "when it becomes lit: it becomes not lit",
            "when it becomes not lit: it becomes lit",
        ),
        ruled(SUNDIAL, "when lamp becomes lit: lamp becomes not lit", "when lamp becomes not lit: lamp becomes lit"),
    )  # fmt: skip
    assert len(do(engine, "wind lamp").reply) < 100
    check_places(engine.world)


def test_no_step_sets_off_more_rules_than_it_may() -> None:
    many = [
        ruled(
            LAMP,
            *[f"when it becomes s{at}: it becomes s{at + 1}" for at in range(MOST_FIRED + 50)],
            "when wind: it becomes s0",
        )
    ]
    engine = engine_with(*many)
    do(engine, "wind lamp")
    assert len(states(engine, LAMP)) == MOST_FIRED


def test_a_chance_is_drawn_anew_in_each_step_and_the_same_way_in_the_same_step() -> None:
    def luck() -> list[bool]:
        engine = engine_with(ruled(LAMP, 'when wind if chance 1 in 3: tell "Luck."'))
        return ["Luck." in do(engine, "wind lamp").reply for _ in range(300)]

    first = luck()
    assert first == luck()
    assert 60 < sum(first) < 140


# ---- things that move, come and go ----


def test_things_move_but_not_into_themselves_and_places_not_at_all() -> None:
    engine = engine_with(
        ruled(
            LAMP,
            "when wind: move sundial to Loft; move it to it; move Loft to Cellar; "
            "move green book to it; move it to green book",
        )
    )
    do(engine, "wind lamp")
    where = engine.world.where
    assert (where[SUNDIAL], where[LAMP], where.get(LOFT)) == (LOFT, GARDEN, None)
    check_places(engine.world)


def test_characters_are_moved_only_from_place_to_place() -> None:
    moves = "when wind: move Moss to sundial; move Eliza to Loft; move Margery to actor; move actor to Cellar"
    engine = engine_with(ruled(LAMP, moves))
    engine.leave(engine.world.things[MOSS])
    do(engine, "wind lamp")
    assert MOSS not in engine.world.where, "who is away is not brought in"
    assert (engine.world.where[ELIZA], engine.world.where[ANN]) == (LOFT, CELLAR)


def test_what_is_moved_is_worn_no_longer() -> None:
    engine = engine_with(ruled(LAMP, "when wind: move lamp to Loft", wearable=True))
    do(engine, "take lamp")
    do(engine, "wear lamp")
    do(engine, "wind lamp")
    assert (engine.world.where[LAMP], states(engine, LAMP)) == (LOFT, [])


def test_a_copy_does_what_its_original_does_and_goes_for_good() -> None:
    lamp = ruled(LAMP, "when wind: it becomes on", 'when wind it if on: tell "Once."')
    engine = engine_with(
        ruled(
            SUNDIAL,
            "when wind: make lamp; make lamp in actor",
            "when kick: remove it",
            "when kick anything: move lamp to Loft",
        ),
        lamp,
    )
    do(engine, "wind sundial")
    one, other = engine.world.live.made
    assert (engine.world.where[one], engine.world.where[other]) == (GARDEN, ANN)
    do(engine, f"wind {one}")
    assert [states(engine, thing) for thing in (LAMP, one, other)] == [[], ["on"], []]
    engine.world.apply([Define(replace(lamp, description="New."))])
    assert engine.world.things[one].description == "New."
    do(engine, "kick sundial")
    assert SUNDIAL not in engine.world.where
    assert SUNDIAL in engine.world.live.gone
    check_places(engine.world)


def test_nothing_is_made_in_what_is_not_there_nor_more_than_a_world_may_hold() -> None:
    engine = engine_with(ruled(LAMP, "when wind: make green book in Nowhere; make Loft; make Ann; make nothing"))
    do(engine, "wind lamp")
    assert not engine.world.live.made
    engine = engine_with(ruled(LAMP, "when wind: " + "; ".join(["make green book"] * 40)))
    for _ in range(MOST_MADE // 40 + 3):
        do(engine, "wind lamp")
    assert len(engine.world.live.made) == MOST_MADE


# ---- later ----


def test_what_comes_later_comes_once_and_is_noticed_by_all_who_are_there() -> None:
    engine = engine_with(
        ruled(LAMP, 'when wind: after 10 seconds: say "{it} rings for {actor}."; tell "You jump."; it becomes off')
    )
    do(engine, "wind lamp")
    assert wait(engine, 9) == []
    assert wait(engine, 1) == ["The brass lamp rings for Ann.", "You jump.", "The brass lamp rings for Ann."]
    assert states(engine, LAMP) == ["off"]
    assert wait(engine, 100) == []


def test_waits_follow_one_another_and_what_was_due_long_ago_is_not_made_up_for() -> None:
    engine = engine_with(
        ruled(
            LAMP,
            "when wind: it becomes lit",
            "when it becomes lit: after 5 seconds: it becomes not lit; it becomes lit; make green book",
        )
    )
    do(engine, "wind lamp")
    wait(engine, 100_000)
    assert len(engine.world.live.made) == 1
    assert engine.elapse() == []
    wait(engine, 5)
    assert len(engine.world.live.made) == 2


def test_a_removed_thing_takes_its_timers_along() -> None:
    engine = engine_with(
        ruled(SUNDIAL, "when wind: make lamp"),
        ruled(LAMP, "when wind: after 5 seconds: move sundial to Loft", "when kick: remove it"),
    )
    do(engine, "wind sundial")
    (copy,) = engine.world.live.made
    do(engine, f"wind {copy}")
    do(engine, f"kick {copy}")
    assert not engine.world.live.timers
    assert wait(engine, 5) == []
    assert engine.world.where[SUNDIAL] == GARDEN


def test_no_world_holds_more_timers_than_it_may() -> None:
    engine = engine_with(ruled(LAMP, *["when wind: after 1 day: remove it"] * 150))
    for _ in range(MOST_TIMERS // 150 + 5):
        do(engine, "wind lamp")
    assert len(engine.world.live.timers) <= MOST_TIMERS + 150


def test_a_time_that_begins_sets_off_rules_but_not_the_first_one() -> None:
    engine = engine_with(
        ruled(LAMP, 'when night begins: it becomes lit; say "{it} flares."'),
        ruled(BOOK, "when rain begins if time is night: it becomes wet"),
    )
    place = engine.world.things[GARDEN]
    engine.turn("time", "night", place)
    assert states(engine, LAMP) == []
    engine.turn("time", "day", place)
    step = engine.turn("time", "night", place)
    assert "The brass lamp flares." in left_with(step, ANN)
    engine.turn("weather", "sun", place)
    engine.turn("weather", "rain", place)
    assert states(engine, BOOK) == ["wet"]


# ---- what is altered ----


def test_an_altered_thing_is_as_its_rule_says_until_its_file_says_otherwise() -> None:
    lamp, garden = (
        ruled(LAMP, 'when wind: describe it "Bright."; exit down leads to Cellar; exit north is gone'),
        ruled(GARDEN),
    )
    engine = engine_with(lamp, garden)
    do(engine, "wind lamp")
    assert do(engine, "x lamp").reply.startswith("brass lamp: Bright.")
    assert [way.name for way in engine.world.things[GARDEN].exits] == ["gate", "down"]
    engine.world.apply([Define(replace(lamp, aliases=("torch",)))])
    assert engine.world.things[LAMP].description == "Bright."
    engine.world.apply([Define(replace(lamp, description="By hand."))])
    assert engine.world.things[LAMP].description == "By hand."
    engine.world.apply([Define(replace(garden, exits=(Exit("north", LOFT), Exit("down", LOBBY))))])
    assert engine.world.things[GARDEN].exits == (Exit("north", LOFT), Exit("down", LOBBY))


def test_the_ledger_alone_makes_the_same_world_again() -> None:
    things = (
        ruled(
            SUNDIAL,
            "when wind: make lamp; make lamp in actor; it becomes on; exit up leads to Loft; "
            "after 1 second: move green book to here",
        ),
        ruled(LAMP, "when kick: remove it", 'when wind: describe it "Bright."; it becomes lit'),
    )
    ledger = MemoryLedger()
    engine = engine_with(*things, ledger=ledger)
    for line in ("wind sundial", "wind sundial", "wind #1101", "kick #1101"):
        do(engine, line)
    wait(engine, 5)
    do(engine, "wind sundial")
    after = again(ledger, *things)
    assert snapshot(after) == snapshot(engine.world)
    assert after.live == engine.world.live
    changes: list[Change] = [one for record in map(json.loads, ledger.lines) for one in changes_of(record)]
    after.apply(changes[-6:])
    assert snapshot(after) == snapshot(engine.world), "a step applied twice is harmless"
