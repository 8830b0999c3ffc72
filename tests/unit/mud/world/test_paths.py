"""The shortest way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mud.world.changes import Define
from mud.world.paths import find_path
from mud.world.things import Exit, Kind, Thing
from mud.world.world import World
from tests.worlds import CELLAR, GARDEN, LAMP, LIBRARY, LOFT, small_world


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
