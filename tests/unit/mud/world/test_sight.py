"""What one sees and reaches: light and dark, things in and on things, doors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mud.world.changes import Define, Put, SetState
from mud.world.rules import parse_condition
from mud.world.sight import is_dark, is_locked, looks, reach
from mud.world.things import Exit, Kind, Thing
from mud.world.traits import StateText, Traits
from mud.world.world import World
from tests.worlds import ANN, BOOK, CELLAR, ELIZA, GARDEN, KEY, LAMP, LOBBY, LOCATIONS, SUNDIAL, ruled, small_world


def cellar() -> World:
    """Return the small world with Ann in a dark cellar, which the sundial is in as a box with the lamp in it."""
    world = small_world()
    box = ruled(SUNDIAL, holds="in", opens=True)
    world.apply([Define(ruled(CELLAR, dark=True)), Define(box), Define(ruled(LAMP, light=True))])
    world.apply([Put(ANN, CELLAR), Put(SUNDIAL, CELLAR), Put(LAMP, SUNDIAL), SetState(LAMP, "lit")])
    return world


def test_a_light_in_a_closed_box_lights_nothing() -> None:
    world = cellar()
    assert is_dark(world, world.things[CELLAR])
    world.apply([SetState(SUNDIAL, "open")])
    assert not is_dark(world, world.things[CELLAR])
    world.apply([SetState(LAMP, "lit", on=False)])
    assert is_dark(world, world.things[CELLAR])


@pytest.mark.parametrize("holder", [CELLAR, ANN, ELIZA])
def test_a_light_lights_wherever_one_sees_it(holder: str) -> None:
    world = cellar()
    world.apply([Put(ELIZA, CELLAR), Put(LAMP, holder)])
    assert not is_dark(world, world.things[CELLAR])


def test_a_light_that_comes_along_lights_what_is_entered() -> None:
    world = cellar()
    world.apply([Put(ANN, GARDEN), Put(LAMP, ANN)])
    assert is_dark(world, world.things[CELLAR])
    assert not is_dark(world, world.things[CELLAR], ANN)


def test_a_place_is_dark_only_when_its_file_says_so() -> None:
    world = small_world()
    assert not is_dark(world, world.things[GARDEN])


def test_in_the_dark_one_reaches_others_and_what_one_carries() -> None:
    world = cellar()
    world.apply([Put(ELIZA, CELLAR), Put(KEY, ANN)])
    assert {one.id for one in reach(world, ANN)} == {ELIZA, KEY}


def test_one_reaches_through_open_boxes_however_deep_and_never_what_others_carry() -> None:
    world = small_world()
    for one in (LAMP, SUNDIAL):
        world.apply([Define(ruled(one, holds="in", opens=True)), SetState(one, "open")])
    world.apply([Put(KEY, LAMP), Put(LAMP, SUNDIAL), Put(BOOK, ELIZA)])
    assert {LAMP, SUNDIAL, KEY} <= {one.id for one in reach(world, ANN)}
    assert BOOK not in {one.id for one in reach(world, ANN)}
    world.apply([SetState(LAMP, "open", on=False)])
    assert KEY not in {one.id for one in reach(world, ANN)}


def test_a_door_is_reached_from_both_sides_and_locked_only_while_it_is_closed() -> None:
    world = small_world()
    garden, lobby = LOCATIONS[0], LOCATIONS[1]
    door = Thing("#1900", Kind.ITEM, "oak door", traits=Traits(opens=True, key=KEY))
    north, south = Exit("north", LOBBY, door.id), Exit("south", GARDEN, door.id)
    world.apply([Define(door), Define(replace(garden, exits=(north,))), Define(replace(lobby, exits=(south,)))])
    assert door in reach(world, ANN)
    assert is_locked(world, north) is False
    world.apply([SetState(door.id, "locked"), Put(ANN, LOBBY)])
    assert door in reach(world, ANN)
    assert (is_locked(world, north), is_locked(world, south)) == (True, True)
    world.apply([SetState(door.id, "open")])
    assert is_locked(world, north) is False
    assert is_locked(world, Exit("gone", LOBBY, "#404")) is False


def test_texts_follow_the_description_in_their_order_while_their_conditions_hold() -> None:
    texts = tuple(
        StateText(one, parse_condition(one), f"<{one}>") for one in ("lit", "not lit", "actor has brass lamp")
    )
    lamp = ruled(LAMP, texts=texts)
    world = small_world()
    world.apply([Define(lamp)])
    assert looks(world, lamp, ANN) == "It smells of oil. <not lit>"
    world.apply([SetState(LAMP, "lit"), Put(LAMP, ANN)])
    assert looks(world, lamp, ANN) == "It smells of oil. <lit> <actor has brass lamp>"
    assert looks(world, lamp, ELIZA) == "It smells of oil. <lit>"
