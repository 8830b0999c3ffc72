"""Animals live by the habits in their files."""

from __future__ import annotations

from agents.life.animals import first_step
from mud.world.changes import Define
from mud.world.things import Exit, Kind, Thing
from mud.world.world import World


def test_the_first_step_leads_along_the_shortest_way() -> None:
    world = World()
    ways = {"#1": {"north": "#2", "gate": "#3"}, "#2": {"up": "#4"}, "#3": {"east": "#2"}, "#4": {}}
    for one, exits in ways.items():
        made = Thing(one, Kind.LOCATION, one, exits=tuple(Exit(name, to) for name, to in exits.items()))
        world.apply([Define(made)])
    assert first_step(world, "#1", "#4") == "north"
    assert first_step(world, "#4", "#1") == ""
