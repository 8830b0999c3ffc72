"""Walking."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mud.world.changes import Define, FallAsleep
from mud.world.roles import Role
from mud.world.things import Exit, Kind, Thing
from tests.worlds import ANN, CELLAR, ELIZA, GARDEN, LAMP, LIBRARY, LOBBY, LOFT, do, make_engine, refused


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("go north", LOBBY),
        ("go n", LOBBY),
        ("n", LOBBY),
        ("North", LOBBY),
        ("walk lobby", LOBBY),
        ("go to the lobby", LOBBY),
        ("go library", LIBRARY),
        ("go LIBR", LIBRARY),
        ("go reading room", LIBRARY),
        ("go #1004", LOFT),
        ("go gate", CELLAR),
        ("go cellar", CELLAR),
    ],
)
def test_one_walks_by_exits_and_by_the_names_of_locations(line: str, where: str) -> None:
    engine = make_engine()
    step = do(engine, line)
    assert engine.world.where[ANN] == where
    assert step.reply.splitlines()[-1].startswith("Exits: ")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("go", "go needs more: way."),
        ("go moon", 'There is no way called "moon" here, and no location of that name. (the exits are north, gate)'),
        ("go south", 'There is no way called "south"'),
        ("go garden", "You are in The Garden already."),
        ("go l", '"l" could be The Library, The Lobby and The Loft. Say which.'),
        ("go to", 'There is no way called "to"'),
        ("go Moss", 'Moss is no location; "who" tells where everybody is.'),
    ],
)
def test_where_one_cannot_go_one_is_told_why(line: str, told: str) -> None:
    assert told in refused(make_engine(), line).reply


def test_no_way_leads_out_of_a_dead_end() -> None:
    engine = make_engine()
    do(engine, "go gate")
    assert refused(engine, "go garden").reply == "No way leads from here to The Garden."
    assert refused(engine, "go north").reply == 'There is no way called "north" here, and no location of that name.'


def test_an_exit_comes_before_a_location_of_the_same_name_but_a_whole_name_before_a_part() -> None:
    engine = make_engine()
    gates = (Exit("lobby", LIBRARY), Exit("loft ladder", CELLAR))
    engine.world.apply([Define(Thing(GARDEN, Kind.LOCATION, "The Garden", exits=(*gates, Exit("north", LOBBY))))])
    do(engine, "go lobby")
    assert engine.world.where[ANN] == LIBRARY
    engine = make_engine(engine.world)
    do(engine, "go garden")
    do(engine, "go loft")
    assert engine.world.where[ANN] == LOFT
    do(engine, "go garden")
    do(engine, "go loft l")
    assert engine.world.where[ANN] == CELLAR


def test_an_exit_that_leads_nowhere_cannot_be_taken() -> None:
    engine = make_engine()
    ways = (Exit("hole", "#9999"), Exit("jug", LAMP), Exit("north", LOBBY))
    engine.world.apply([Define(Thing(GARDEN, Kind.LOCATION, "The Garden", exits=ways))])
    for line in ("go hole", "hole"):
        assert refused(engine, line).reply == 'The way called "hole" leads nowhere. (the exits are north)'
    assert refused(engine, "go jug").reply == 'The way called "jug" leads nowhere. (the exits are north)'
    assert refused(engine, "go moon").reply.endswith("(the exits are north)")
    do(engine, "go north")


def test_the_name_of_a_way_that_is_elsewhere_is_told_to_be_none_here_and_takes_nobody_anywhere() -> None:
    engine = make_engine()
    engine.world.apply([Define(Thing("#1009", Kind.LOCATION, "Ladder House"))])
    elsewhere = engine.world.location(LIBRARY)
    assert elsewhere is not None
    assert "ladder" in {way.name for way in elsewhere.exits}
    assert refused(engine, "ladder").reply == 'There is no way called "ladder" here. (the exits are north, gate)'
    assert engine.world.where[ANN] == GARDEN
    do(engine, "go gate")
    assert refused(engine, "Ladder").reply == 'There is no way called "Ladder" here.'


def test_several_exits_that_fit_are_named() -> None:
    engine = make_engine()
    ways = (Exit("stone stair", LOBBY), Exit("stone arch", LOBBY))
    engine.world.apply([Define(Thing(GARDEN, Kind.LOCATION, "The Garden", exits=ways))])
    assert refused(engine, "go stone").reply == '"stone" could be stone stair and stone arch. Say which.'


@pytest.mark.parametrize("line", ["e", "go e", "east", "w", "go west", "d", "nw"])
def test_a_direction_never_means_a_location(line: str) -> None:
    engine = make_engine()
    engine.world.apply([Define(Thing("#1009", Kind.LOCATION, "Eastwood Down West", aliases=("dell", "nwest")))])
    step = refused(engine, line)
    assert step.reply.startswith("There is no way called")
    assert engine.world.where[ANN] == GARDEN


@pytest.mark.parametrize("role", [Role.AGENT, Role.GUEST, Role.OWNER])
@pytest.mark.parametrize("line", ["gate", "GATE", "the gate", "gate | to see what is below"])
def test_the_name_of_an_exit_alone_walks_there(line: str, role: Role) -> None:
    engine = make_engine()
    step = do(engine, line, role=role)
    assert engine.world.where[ANN] == CELLAR
    (kept,) = step.left[:1]
    assert (kept.kind, kept.reason) == ("moved", "to see what is below" if "|" in line else None)


@pytest.mark.parametrize("line", ["gat", "gate now", "the", "gate ladder"])
def test_what_is_not_the_whole_name_of_an_exit_is_no_command(line: str) -> None:
    assert f'There is no command "{line.split()[0]}".' in refused(make_engine(), line).reply


def test_a_command_goes_before_an_exit_of_its_name() -> None:
    engine = make_engine()
    garden = engine.world.things[GARDEN]
    engine.world.apply([Define(replace(garden, exits=(Exit("look", CELLAR), Exit("narrow stair", LOBBY))))])
    do(engine, "look")
    assert engine.world.where[ANN] == GARDEN
    do(engine, "narrow stair")
    assert engine.world.where[ANN] == LOBBY


def test_who_sleeps_walks_no_more_by_the_name_of_an_exit_than_by_go() -> None:
    engine = make_engine()
    engine.world.apply([FallAsleep(ELIZA)])
    assert refused(engine, "gate", ELIZA, Role.AGENT).reply == refused(engine, "go gate", ELIZA, Role.AGENT).reply


BRIDGE = Exit("bridge", "loci://127.0.0.1:8001/The Bridge")


@pytest.mark.parametrize("line", ["go bridge", "bridge"])
def test_an_exit_out_of_this_world_is_asked_for_and_moves_nobody_yet(line: str) -> None:
    engine = make_engine()
    garden = engine.world.things[GARDEN]
    engine.world.apply([Define(replace(garden, exits=(*garden.exits, BRIDGE)))])
    step = do(engine, line)
    assert step.reply == "", "the answer says whether it can be taken"
    assert (step.left, step.events, engine.world.where[ANN]) == ((), (), GARDEN)
    (asked,) = step.requests
    assert (asked.name, asked.who, asked.keep) == ("travel", ANN, "moved")
    assert dict(asked.args) == {"to": BRIDGE.to, "exit": "bridge", "from": GARDEN}
    assert "bridge" in do(engine, "look").reply


def test_no_walk_of_several_steps_leads_through_another_world() -> None:
    engine = make_engine()
    lobby = engine.world.things[LOBBY]
    engine.world.apply([Define(replace(lobby, exits=(*lobby.exits, BRIDGE)))])
    assert refused(engine, "go the bridge").reply.startswith('There is no way called "the bridge" here')
