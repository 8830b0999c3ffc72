"""What several commands need: the things within reach, locations as a character sees them, sleepers that wake."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from mud.commands._command import LONGEST_SHOWN, Context, Say
from mud.errors import Refusal
from mud.world.changes import Change, WakeUp
from mud.world.events import Event
from mud.world.matching import match, plain
from mud.world.narration import called, listed, phrase, shortened
from mud.world.sight import door_of, is_closed, is_dark, looks, shows_content
from mud.world.things import Exit, Thing
from mud.world.traits import LIT, NO_TRAITS, ON, OPEN, WORN
from mud.world.world import World

NOT_HERE = phrase("commands.find.not_here", "name")
NOT_HERE_HINT = phrase("commands.find.not_here_hint")
THIS_PLACE = phrase("commands.find.this_place", "location")
OTHER_PLACE = phrase("commands.find.other_place", "location")
OTHER_PLACE_HINT = phrase("commands.find.other_place_hint", "location")
SEVERAL = phrase("commands.find.several", "name", "names")
NOWHERE = phrase("commands.find.nowhere")
TRAVELS = phrase("commands.find.travels", "place")
ELSEWHERE = phrase("commands.find.elsewhere", "place")
ITEMS = phrase("commands.look.items", "items")
PERSON = phrase("commands.look.person", "people")
PEOPLE = phrase("commands.look.people", "people")
ASLEEP = phrase("commands.look.asleep", "name")
ABSENT = phrase("commands.wake.absent", "name")
EXITS = phrase("commands.look.exits", "exits")
NO_EXITS = phrase("commands.look.no_exits")
DARK = phrase("commands.look.dark")
NOW = phrase("commands.look.now", "now")
WITH_STATE = phrase("commands.look.with_state", "name", "state")
HOLDS = phrase("commands.look.holds", "relation", "items")
CLOSED_WAY = phrase("commands.look.closed_way", "exit")
WAKES = phrase("commands.wake.wakes", "actor")


def here_or_refuse(ctx: Context) -> Thing:
    """Return the actor's location; raises Refusal without one."""
    if (journey := ctx.world.elsewhere.get(ctx.actor.id)) is not None:
        raise Refusal(ctx.say(ELSEWHERE if journey.settled else TRAVELS, place=journey.goal.place))
    if ctx.here is None:
        raise Refusal(ctx.say(NOWHERE))
    return ctx.here


def pick(ctx: Context, name: str, choices: Sequence[Thing]) -> Thing:
    """Return the one thing that a name means; raises Refusal for none or several."""
    found = match(name, choices)
    if len(found) != 1:
        raise refuse_name(ctx, name, found)
    return found[0]


def refuse_name(ctx: Context, name: str, found: Sequence[Thing]) -> Refusal:
    """Return the refusal of a name that matches nothing, or several things. Ids of locations are explained."""
    shown = shortened(name, LONGEST_SHOWN)
    place = ctx.world.location(name.strip())
    if place is not None and place == ctx.here:
        return Refusal(ctx.say(THIS_PLACE, location=place.name))
    if place is not None:
        return Refusal(ctx.say(OTHER_PLACE, location=place.name), ctx.say(OTHER_PLACE_HINT, location=place.name))
    if not found:
        return Refusal(ctx.say(NOT_HERE, name=shown), ctx.say(NOT_HERE_HINT))
    return Refusal(ctx.say(SEVERAL, name=shown, names=listed([thing.name for thing in found])))


def describe_location(
    world: World,
    say: Say,
    location: Thing,
    viewer: str,
    opened: Collection[str] = (),
    people: Sequence[str] | None = None,
) -> str:
    """Return a location as the character with the id `viewer` sees it: name, description, items, people, exits.

    Args:
        opened: ids of doors that will be open by then.
        people: what `describe_people` returned, when it is known.
    """
    described, items = what_is_seen(world, say, location, viewer)
    lines = [location.name, *described, *([say(ITEMS, items=", ".join(items))] if items else [])]
    lines += describe_people(world, say, location, viewer) if people is None else people
    ways = ", ".join(way.name if way.door in opened else shown_way(world, say, way) for way in location.exits)
    lines.append(say(EXITS, exits=ways) if ways else say(NO_EXITS))
    return "\n".join(line for line in lines if line)


def what_is_seen(world: World, say: Say, location: Thing, viewer: str) -> tuple[list[str], list[str]]:
    """Return the description of a location as it is now, in paragraphs, and the things there, with their states."""
    if is_dark(world, location, viewer):
        return [say(DARK)], []
    described = [text for text in (looks(world, location, viewer), almanac(world, say, location)) if text]
    states = world.live.states
    return described, [
        item.name if item.traits is NO_TRAITS and item.id not in states else shown_item(world, say, item)
        for item in world.items(location.id)
    ]


def almanac(world: World, say: Say, location: Thing) -> str:
    """Return the time of day and the weather in a location; empty indoors, and in a world that has none."""
    if not world.live.now:
        return ""
    now = [one for what in ("time", "weather") if (one := world.live.now.get(what))]
    return say(NOW, now=listed(now)) if now and not location.traits.indoors else ""


def shown_item(world: World, say: Say, item: Thing) -> str:
    """Return the name of a thing in a list, with its state and with what one sees on or in it."""
    held = world.live.of(item.id)
    told = [state for state in (OPEN, LIT, ON, WORN) if state in held] if held else []
    if shows_content(world, item) and (items := world.items(item.id)):
        told.append(say(HOLDS, relation=item.traits.holds, items=listed([called(one) for one in items])))
    return say(WITH_STATE, name=item.name, state=", ".join(told)) if told else item.name


def shown_way(world: World, say: Say, way: Exit) -> str:
    if not way.door:
        return way.name
    door = door_of(world, way)
    return say(CLOSED_WAY, exit=way.name) if door is not None and is_closed(world, door) else way.name


def describe_people(world: World, say: Say, location: Thing, viewer: str) -> list[str]:
    asleep = world.asleep
    others = (person for person in world.people(location.id) if person.id != viewer)
    names = [say(ASLEEP, name=one.name) if one.id in asleep else one.name for one in others]
    return [say(PERSON if len(names) == 1 else PEOPLE, people=listed(names))] if names else []


def shown_name(world: World, say: Say, person: Thing) -> str:
    return say(ASLEEP, name=person.name) if person.id in world.asleep else person.name


def called_by_name(world: World, location: Thing, words: str) -> list[Thing]:
    """Return the sleepers in a location whose name is among the words, as a whole word, ignoring case."""
    asleep, absent = world.asleep, world.absent
    sleepers = [one for one in world.people(location.id) if one.id in asleep and one.id not in absent]
    spoken = plain(words) if sleepers else ""
    return [
        one
        for one in sleepers
        if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", spoken) for name in map(plain, one.names) if name)
    ]


def present_or_refuse(ctx: Context, sleeper: Thing) -> None:
    """Raise Refusal when a sleeper's person left, so that nobody can wake it."""
    if sleeper.id in ctx.world.absent:
        raise Refusal(ctx.say(ABSENT, name=sleeper.name))


def waking(say: Say, sleeper: Thing, location: Thing) -> tuple[Change, Event]:
    """Return the change that wakes a sleeper, and the event that others see."""
    return WakeUp(sleeper.id), Event("action", sleeper.id, location.id, say(WAKES, actor=sleeper.name))
