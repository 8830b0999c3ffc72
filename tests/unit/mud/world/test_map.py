"""The map and the scene that doors draw."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mud.portal.scene import scene_of
from mud.world.changes import Define, Put
from mud.world.map import STEPS, draw_map
from mud.world.things import Exit, Kind, Thing
from mud.world.world import World
from tests.worlds import ANN, CELLAR, ELIZA, GARDEN, LIBRARY, LOBBY, do, make_engine, small_world

NAMES = [*STEPS, "n", "gate", "ladder"]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Worlds of up to twelve locations with any exits, also to themselves and to nowhere."""
    ids = [f"#{1000 + n}" for n in range(draw(st.integers(0, 12)))]
    exits = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([*ids, "#9999"]), max_size=4)
    world = World()
    for place in ids:
        ways = tuple(Exit(name, to) for name, to in draw(exits).items())
        world.apply([Define(Thing(place, Kind.LOCATION, f"Place {place}", exits=ways))])
    return world


@given(worlds())
def test_every_location_has_a_cell_of_its_own_and_every_way_is_drawn_once(world: World) -> None:
    drawn = draw_map(world)
    assert {spot.id for spot in drawn.spots} == {one.id for one in world.locations()}
    assert len({(spot.x, spot.y) for spot in drawn.spots}) == len(drawn.spots)
    assert not drawn.spots or min(spot.x for spot in drawn.spots) == min(spot.y for spot in drawn.spots) == 0
    ways = {(one.id, way.to) for one in world.locations() for way in one.exits if world.location(way.to)}
    ends = [frozenset((path.start, path.end)) for path in drawn.paths]
    assert sorted(map(sorted, ends)) == sorted(map(sorted, {frozenset(way) for way in ways if way[0] != way[1]}))
    assert all(((path.end, path.start) in ways) is path.both for path in drawn.paths)
    assert drawn.open == ()


def test_directions_are_kept_where_there_is_room() -> None:
    cells = {spot.id: (spot.x, spot.y) for spot in draw_map(small_world()).spots}
    (x, y), lobby, library = (cells[place] for place in (GARDEN, LOBBY, LIBRARY))
    assert lobby == (x, y - 1)
    assert library == (x, y - 2)


def test_a_person_s_map_has_the_places_where_they_have_been_and_the_exits_that_lead_on() -> None:
    engine = make_engine()
    do(engine, "go lobby")
    drawn = draw_map(engine.world, engine.world.visited(ANN))
    assert {spot.id for spot in drawn.spots} == {GARDEN, LOBBY}
    assert set(drawn.open) == {(LOBBY, "north"), (GARDEN, "gate")}


def test_agents_have_no_list_of_places() -> None:
    engine = make_engine()
    do(engine, "go lobby", ELIZA)
    assert list(engine.world.visited(ELIZA)) == []


def test_a_scene_names_where_a_way_leads_only_to_who_has_been_there() -> None:
    engine = make_engine()
    first = scene_of(engine.world, ANN)
    assert first is not None
    assert [(way.name, way.place) for way in first.ways] == [("north", None), ("gate", None)]
    assert [one.name for one in first.people] == ["Margery", "Eliza"]
    assert first.items == ("brass lamp", "sundial")
    do(engine, "take lamp")
    do(engine, "north")
    do(engine, "south")
    again = scene_of(engine.world, ANN)
    assert again is not None
    assert again.ways[0].place == "The Lobby"
    assert again.carrying == ("brass lamp",)


def test_who_is_nowhere_sees_no_scene() -> None:
    world = small_world()
    world.apply([Define(Thing("#9001", Kind.CHARACTER, "Bo"))])
    assert scene_of(world, "#9001") is None
    world.apply([Put("#9001", CELLAR)])
    assert scene_of(world, "#9001") is not None
