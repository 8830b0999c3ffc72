"""The map as a command."""

from __future__ import annotations

from mud.commands.map import WINDOW
from mud.world.changes import Define
from mud.world.roles import Role
from mud.world.things import Exit, Kind, Thing
from tests.worlds import ANN, ELIZA, GARDEN, LIBRARY, LOBBY, do, left_with, make_engine, refused, small_world


def test_the_map_shows_only_what_one_has_seen() -> None:
    engine = make_engine()
    do(engine, "go lobby")
    step = do(engine, "map")
    assert [line.rstrip() for line in step.reply.split("\n")] == [
        "    ?",
        "[@ Lobby]",
        "    │",
        "[Garden]",
        "You are at The Lobby.",
    ]
    assert left_with(step, ANN) == []


def test_the_map_in_words_has_a_line_for_each_place_and_begins_with_where_one_is() -> None:
    engine = make_engine()
    do(engine, "go lobby")
    assert do(engine, "map words").reply.split("\n") == [
        "You are at The Lobby.",
        "The Lobby: south to The Garden, north (not taken yet)",
        "The Garden: north to The Lobby, gate (not taken yet)",
    ]
    do(engine, "go garden")
    do(engine, "gate")
    assert "The Cellar: no way out" in do(engine, "map words").reply


def test_what_others_have_seen_is_on_nobody_else_s_map() -> None:
    engine = make_engine()
    do(engine, "go library")
    assert "Library" in do(engine, "map").reply
    assert "Library" not in do(engine, "map", ELIZA).reply


def test_without_room_for_names_the_places_are_boxes() -> None:
    world = small_world()
    row = [f"#{number}" for number in range(5000, 5012)]
    for number, id in enumerate(row):
        ways = [Exit("west", row[number - 1])] if number else [Exit("south", LIBRARY)]
        ways += [Exit("east", row[number + 1])] if number < len(row) - 1 else []
        world.apply([Define(Thing(id, Kind.LOCATION, f"Gallery {number}", exits=tuple(ways)))])
    for place in (LOBBY, LIBRARY, *row):
        world.remember_visit(ANN, place)
    *drawn, here = do(make_engine(world), "map").reply.split("\n")
    assert (here, sum(line.count("[@]") for line in drawn)) == ("You are at The Garden.", 1)
    assert all(len(line) <= WINDOW[0] for line in drawn)


def test_another_kind_of_map_is_refused_and_agents_have_none() -> None:
    engine = make_engine()
    assert refused(engine, "map upside down").reply.startswith('A map cannot be shown like "upside down".')
    assert engine.world.where[ELIZA] == GARDEN
    refused(engine, "map", ELIZA, Role.AGENT)
