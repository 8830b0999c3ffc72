"""What pages show besides the story: the place and its people, memory, and maps, as values for a browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mud.engine.engine import Step
from mud.portal.portal import Portal
from mud.portal.scene import scene_of
from mud.portal.session import Session
from mud.world.events import Event
from mud.world.map import Map, draw_map
from mud.world.roles import Role
from mud.world.things import Thing

MOST_MAPS = 64
SHOWN = ("speech", "emote")
"""Kinds of event whose words stand on the map; a whisper is for one pair of ears."""


class Drawn(NamedTuple):
    """A map, and the locations that it was drawn of."""

    places: tuple[Thing | None, ...]
    map: Map


class PageViews:
    """Looks at the world for the pages. Whoever is no owner is shown what the character perceives or has seen."""

    def __init__(self, portal: Portal) -> None:
        self._portal, self._world = portal, portal.engine.world
        self._maps: dict[frozenset[str] | None, Drawn] = {}

    def play(self, session: Session) -> Mapping[str, object]:
        """Return the panels: what a character has before its eyes, its memory, and the map of where it has been."""
        who = session.who
        scene = scene_of(self._world, who)
        if scene is None:
            return {"place": None, "memory": self._portal.memory(who), "chart": None}
        aware = not scene.asleep  # who sleeps perceives nobody
        return {
            "place": {
                "id": scene.id,
                "name": scene.name,
                "ways": scene.ways,
                "people": scene.people if aware else (),
                "items": scene.items if aware else (),
                "carrying": scene.carrying,
                "asleep": scene.asleep,
            },
            "memory": self._portal.memory(who),
            "chart": self._map(who, everything=False),
        }

    def map(self, session: Session) -> Mapping[str, object]:
        """Return the map, and where everybody is: of the whole world for an owner."""
        who, everything = session.who, session.role >= Role.OWNER
        here = self._world.location_of(who)
        return {
            "chart": self._map(who, everything=everything),
            "here": here.id if here else None,
            "ways": {way.to: way.name for way in here.exits} if here else {},
            "each_person": self._everybody() if everything else self._in_sight(who),
        }

    def said(self, session: Session, step: Step) -> list[tuple[str, str, str, bool]]:
        """Return what a step lets somebody hear or see: who, where, the words, and whether they were spoken."""
        if session.role >= Role.OWNER:
            heard = step.events
        else:
            mine = (one.event for one in step.left if one.who == session.who and one.event is not None)
            own = (event for event in step.events if event.actor == session.who)
            heard = (*mine, *own)
        return [(one.actor, one.location, *_words(one)) for one in heard if one.kind in SHOWN]

    def went(self, session: Session, step: Step) -> list[tuple[str, str]]:
        """Return who was seen leaving for a location that the person knows, and its id."""
        if session.role >= Role.OWNER:
            return []
        known = {place.name: one for one in self._world.visited(session.who) if (place := self._world.location(one))}
        seen = (one.event for one in step.left if one.who == session.who and one.event is not None)
        return [
            (one.actor, known[one.destination]) for one in seen if one.kind == "departure" and one.destination in known
        ]

    def _everybody(self) -> dict[str, tuple[str, str, bool, bool]]:
        world = self._world
        return {
            one.id: (one.name, here.id, one.thinks, one.id in world.asleep)
            for one in world.present()
            if (here := world.location_of(one.id)) is not None
        }

    def _in_sight(self, who: str) -> dict[str, tuple[str, str, bool, bool]]:
        here = self._world.location_of(who)
        if here is None:
            return {}
        asleep = self._world.asleep
        seen = [one for one in self._world.people(here.id) if one.id == who or who not in asleep]
        return {one.id: (one.name, here.id, one.thinks, one.id in asleep) for one in seen}

    def _map(self, who: str, *, everything: bool) -> Map:
        """Return the map of all locations, or of those where a character has been; drawn anew when one has changed."""
        here = self._world.location_of(who)
        known = None if everything else frozenset((*self._world.visited(who), *([here.id] if here else ())))
        places: tuple[Thing | None, ...] = (
            tuple(self._world.locations()) if known is None else tuple(map(self._world.location, sorted(known)))
        )
        found = self._maps.pop(known, None)
        if found is None or len(found.places) != len(places) or not all(map(_same, found.places, places)):
            found = Drawn(places, draw_map(self._world, known))
        self._maps[known] = found
        if len(self._maps) > MOST_MAPS:
            del self._maps[next(iter(self._maps))]
        return found.map


def _same(one: Any, other: Any) -> bool:
    return one is other


def _words(event: Event) -> tuple[str, bool]:
    return (event.words, True) if event.kind == "speech" and event.words else (event.text, False)
