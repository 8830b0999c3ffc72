"""What a character sees and can reach: light and dark, what lies in and on things, doors, texts that hold now."""

from __future__ import annotations

from collections.abc import Iterator

from mud.world.reactions import texts_now
from mud.world.things import Exit, Kind, Thing
from mud.world.traits import LIT, LOCKED, OPEN
from mud.world.world import World


def looks(world: World, thing: Thing, viewer: str = "") -> str:
    """Return the description of a thing, with those of its texts whose conditions hold."""
    if not thing.traits.texts:
        return thing.description
    return " ".join(text for text in (thing.description, *texts_now(world, thing, viewer)) if text)


def has_state(world: World, thing: str, state: str) -> bool:
    return state in world.live.of(thing)


def is_closed(world: World, thing: Thing) -> bool:
    return thing.traits.opens and not has_state(world, thing.id, OPEN)


def shows_content(world: World, thing: Thing) -> bool:
    """Return whether one sees what a thing holds: a surface, or a container that is not closed."""
    return bool(thing.traits.holds) and not is_closed(world, thing)


def seen_in(world: World, holder: str) -> list[Thing]:
    """Return what is in a location or with a character, and what lies in and on that, as far as one sees it."""
    found = world.contents(holder)
    holders = [one for one in found if one.traits.holds and one.kind is Kind.ITEM and shows_content(world, one)]
    if not holders:
        return found
    inside = {one.id: seen_in(world, one.id) for one in holders}
    return [seen for one in found for seen in (one, *inside.get(one.id, ()))]


def items_seen(world: World, location: Thing) -> Iterator[Thing]:
    """Yield the items that one sees in a location, with what lies in and on them; none in the dark."""
    if not is_dark(world, location):
        yield from (one for one in seen_in(world, location.id) if one.kind is Kind.ITEM)


def is_dark(world: World, location: Thing, viewer: str = "") -> bool:
    """Return whether nothing is seen in a location: it is dark, and nothing there, or that `viewer` brings, is lit."""
    if not location.traits.dark:
        return False
    there = dict.fromkeys((*(one.id for one in world.people(location.id)), viewer))
    people = (thing for one in there for thing in seen_in(world, one))
    return not any(has_state(world, one.id, LIT) for one in (*seen_in(world, location.id), *people))


def reach(world: World, who: str) -> list[Thing]:
    """Return what a character can touch, without itself: what is here, what it carries, and the doors.

    In the dark that is only what it carries, and the others who are here.
    """
    here = world.location_of(who)
    own = seen_in(world, who)
    if here is None:
        return own
    if is_dark(world, here):
        return [*(one for one in world.people(here.id) if one.id != who), *own]
    doors = dict.fromkeys([way.door for way in here.exits if way.door])
    there = [one for one in seen_in(world, here.id) if one.id != who]
    return [*there, *own, *(thing for door in doors if (thing := world.get(door)) is not None)]


def door_of(world: World, way: Exit) -> Thing | None:
    return world.get(way.door) if way.door else None


def is_locked(world: World, way: Exit) -> bool:
    """Return whether nobody can walk through an exit because its door is locked."""
    if not way.door:
        return False
    door = door_of(world, way)
    return door is not None and has_state(world, door.id, LOCKED) and is_closed(world, door)
