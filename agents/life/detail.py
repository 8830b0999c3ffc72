"""Level of detail: whom a person can perceive, and what an agent does in one step while nobody can.

Nothing is kept here: where people are is looked up around an agent, so that the cost depends on who is near.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mud.engine.engine import Engine
from mud.world.exits import find_exits, find_path
from mud.world.matching import plain
from mud.world.things import Exit, Kind, Thing

WALK = "go "


class Detail:
    """Who is watched in a running world.

    Args:
        engine: the world's engine.
        led: returns the id of the agent whose character the owner controls; empty for none.
    """

    def __init__(self, engine: Engine, led: Callable[[], str]) -> None:
        self._engine, self._led = engine, led

    def is_person(self, who: str) -> bool:
        """Return whether a character is led from a keyboard and awake."""
        thing = self._engine.world.get(who)
        if thing is None or who in self._engine.world.asleep:
            return False
        return who == self._led() or (not thing.thinks and who in self._engine.witnesses)

    def is_watched(self, who: str) -> bool:
        """Return whether a person can perceive an agent: in its place, next door, or on a channel of both."""
        here, channels = self._engine.world.location_of(who), self._engine.world.channels
        if here is not None and self._is_in_sight(here):
            return True
        return any(who in one.members and any(map(self.is_person, one.members)) for one in channels)

    def _is_in_sight(self, place: Thing) -> bool:
        """Return whether a person is in a place, or in one where a shout from there is heard."""
        world, near = self._engine.world, {place.id, *(way.to for way in place.exits)}
        if (led := self._led()) and world.holder(led) in near:
            return True
        return any(not one.thinks and self.is_person(one.id) for to in near for one in world.people(to))

    def in_sight_of(self, person: str) -> Iterator[str]:
        """Yield the ids of the agents that a person can perceive, each at least once."""
        world = self._engine.world
        here = world.location_of(person)
        for place in (here.id, *world.entrances(here.id)) if here is not None else ():
            yield from (one.id for one in world.people(place) if one.thinks)
        for channel in world.channels:
            yield from channel.members if person in channel.members else ()

    def walk(self, who: str, line: str) -> str:
        """Return the line of an unwatched agent; where a walk to a location comes into sight of a person it ends.

        A walk of one exit, or to what is no location, is returned as it is.
        """
        world, (goal, *reason) = self._engine.world, line.removeprefix(WALK).split(" | ", 1)
        here, named = world.location_of(who), [one for one in world.named(plain(goal)) if one.kind is Kind.LOCATION]
        if not line.startswith(WALK) or here is None or len(named) != 1 or find_exits(here, goal):
            return line
        path = find_path(world, here.id, named[0].id)
        to = self._unseen(here, path) if path else goal
        return " | ".join([f"{WALK}{to}", *reason])

    def _unseen(self, here: Thing, path: list[Exit]) -> str:
        """Return the name of the first location on a path that is in sight of a person, else of the last."""
        things = self._engine.world.things
        stations = [things[way.to] for way in path]
        seen = (at for at, place in enumerate([here, *stations[:-1]]) if self._is_in_sight(place))
        last = max(0, next(seen, len(stations)) - 1)
        return stations[last].name if last else path[0].name
