"""Which way out somebody means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.world.changes import Define
from mud.world.exits import SHORT, find_exits, find_path, names_exit
from mud.world.things import Exit, Kind, Thing
from mud.world.world import World
from tests.worlds import CELLAR, GARDEN, LAMP, LIBRARY, LOFT, small_world

HALL = Thing(
    "#1", Kind.LOCATION, "Hall",
    exits=(Exit("North", "#2"), Exit("northeast", "#3"), Exit("garden gate", "#4"), Exit("e", "#5"),
           Exit("east", "#6")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "ways"),
    [
        ("north", ["North"]),
        ("NORTH", ["North"]),
        ("n", ["North"]),
        ("ne", ["northeast"]),
        ("nor", ["North", "northeast"]),
        ("gate", ["garden gate"]),
        ("the garden gate", ["garden gate"]),
        ("e", ["e"]),
        ("east", ["east"]),
        ("s", []),
        ("w", []),
        ("ladder", []),
        ("", []),
    ],
)
def test_a_typed_name_means_the_exits_it_fits_best(typed: str, ways: list[str]) -> None:
    assert [way.name for way in find_exits(HALL, typed)] == ways


def test_a_location_without_exits_has_none_to_find() -> None:
    assert find_exits(Thing("#9", Kind.LOCATION, "Cell"), "north") == []


def test_whole_names_and_short_forms_name_an_exit_and_parts_do_not() -> None:
    north, gate = HALL.exits[0], HALL.exits[2]
    assert names_exit("north", north)
    assert names_exit("N", north)
    assert names_exit("the garden gate", gate)
    assert not names_exit("nor", north)
    assert not names_exit("garden", gate)


def test_no_short_form_is_also_a_direction() -> None:
    assert not set(SHORT) & set(SHORT.values())


def test_the_way_is_the_exits_in_order() -> None:
    path = find_path(small_world(), GARDEN, LOFT)
    assert path is not None
    assert [way.name for way in path] == ["north", "north", "ladder"]


def test_one_is_already_where_one_is_and_no_way_leads_out_of_a_dead_end() -> None:
    world = small_world()
    assert find_path(world, GARDEN, GARDEN) == []
    assert find_path(world, CELLAR, GARDEN) is None
    assert find_path(world, GARDEN, "#9") is None
    assert find_path(world, "#9", GARDEN) is None


def test_no_way_leads_through_what_is_no_location() -> None:
    world = small_world()
    world.apply([Define(Thing(CELLAR, Kind.LOCATION, "Cellar", exits=(Exit("odd", LAMP), Exit("gone", "#9"))))])
    assert find_path(world, CELLAR, LIBRARY) is None
    assert find_path(world, CELLAR, LAMP) is None


EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=24)


@given(EDGES, st.integers(0, 7), st.integers(0, 7))
def test_the_way_found_leads_there_and_none_is_shorter(edges: list[tuple[int, int]], start: int, goal: int) -> None:
    world = World()
    for here in range(8):
        ways = tuple(Exit(f"way {at}", f"#{to}") for at, (origin, to) in enumerate(edges) if origin == here)
        world.apply([Define(Thing(f"#{here}", Kind.LOCATION, f"location {here}", exits=ways))])
    reached, fewest = {start}, 0
    while goal not in reached:
        more = reached | {to for origin, to in edges if origin in reached}
        if more == reached:
            break
        reached, fewest = more, fewest + 1
    path = find_path(world, f"#{start}", f"#{goal}")
    if goal not in reached:
        assert path is None
        return
    assert path is not None
    assert len(path) == fewest
    at = f"#{start}"
    for way in path:
        assert way in world.things[at].exits
        at = way.to
    assert at == f"#{goal}"
