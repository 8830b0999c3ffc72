"""What a character has before its eyes, as values for the panels of doors. Pure."""

from __future__ import annotations

from typing import NamedTuple

from mud.world.sight import is_dark, looks
from mud.world.things import Kind
from mud.world.world import World


class Way(NamedTuple):
    """An exit; `place` is the name of its target, None while the character has not been there."""

    name: str
    to: str
    place: str | None


class Bystander(NamedTuple):
    id: str
    name: str
    thinks: bool
    asleep: bool


class Scene(NamedTuple):
    """Where a character is; all ids are those of the world."""

    id: str
    name: str
    description: str
    ways: tuple[Way, ...]
    people: tuple[Bystander, ...]
    items: tuple[str, ...]
    carrying: tuple[str, ...]
    asleep: bool


def scene_of(world: World, who: str) -> Scene | None:
    """Return what a character has before its eyes; None when it is nowhere."""
    here = world.location_of(who)
    if here is None:
        return None
    been, asleep = world.visited(who), world.asleep
    ways = [(way, world.location(way.to)) for way in here.exits]
    dark = is_dark(world, here)
    there = world.people(here.id) if dark else world.contents(here.id)
    people = [one for one in there if one.kind is Kind.CHARACTER and one.id != who]
    return Scene(
        here.id,
        here.name,
        "" if dark else looks(world, here, who),
        tuple(Way(way.name, way.to, to.name if to and to.id in been else None) for way, to in ways),
        tuple(Bystander(one.id, one.name, one.thinks, one.id in asleep) for one in people),
        tuple(one.name for one in there if one.kind is Kind.ITEM),
        tuple(one.name for one in world.items(who)),
        who in asleep,
    )
