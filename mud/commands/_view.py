"""Descriptions of locations and persons."""

from __future__ import annotations

from mud.commands._command import Say
from mud.world.narration import listed, phrase
from mud.world.things import Thing
from mud.world.world import World

ITEMS = phrase("commands.look.items", "items")
PERSON = phrase("commands.look.person", "people")
PEOPLE = phrase("commands.look.people", "people")
ASLEEP = phrase("commands.look.asleep", "name")
EXITS = phrase("commands.look.exits", "exits")
NO_EXITS = phrase("commands.look.no_exits")


def describe_location(world: World, say: Say, location: Thing, viewer: str) -> str:
    """Return a location as the character with the id `viewer` sees it: name, description, items, people, exits."""
    lines = [location.name, location.description]
    if items := world.items(location.id):
        lines.append(say(ITEMS, items=", ".join(item.name for item in items)))
    lines.extend(describe_people(world, say, location, viewer))
    lines.append(describe_exits(say, location))
    return "\n".join(line for line in lines if line)


def describe_people(world: World, say: Say, location: Thing, viewer: str) -> list[str]:
    names = [shown_name(world, say, person) for person in world.people(location.id) if person.id != viewer]
    if not names:
        return []
    return [say(PERSON if len(names) == 1 else PEOPLE, people=listed(names))]


def shown_name(world: World, say: Say, person: Thing) -> str:
    return say(ASLEEP, name=person.name) if person.id in world.asleep else person.name


def describe_exits(say: Say, location: Thing) -> str:
    if not location.exits:
        return say(NO_EXITS)
    return say(EXITS, exits=", ".join(way.name for way in location.exits))
