"""Walking through an exit, or all the way to a location."""

from __future__ import annotations

from itertools import chain, pairwise

from mud.commands._command import LONGEST_SHOWN, Context, Outcome, command
from mud.commands._here import describe_location, describe_people, here_or_refuse
from mud.errors import Refusal
from mud.world.changes import Change, Put, SetState
from mud.world.elsewhere import leads_out
from mud.world.events import Event, Request
from mud.world.exits import find_exits, find_path, is_direction, names_exit
from mud.world.matching import match, plain
from mud.world.narration import called, listed, phrase, sentence, shortened
from mud.world.reactions import Action
from mud.world.sight import door_of, is_closed, is_locked
from mud.world.things import Exit, Kind, Thing
from mud.world.traits import OPEN

WALKED = phrase("commands.go.walked", "origin", "destination", "exit")
WALKED_FAR = phrase("commands.go.walked_far", "origin", "destination", "passed")
ALREADY = phrase("commands.go.already", "destination")
NO_WAY = phrase("commands.go.no_way", "name")
NO_WAY_HINT = phrase("commands.go.no_way_hint", "exits")
LEADS_NOWHERE = phrase("commands.go.leads_nowhere", "exit")
NO_WAY_TO_PERSON = phrase("commands.go.no_way_to_person", "name")
UNREACHABLE = phrase("commands.go.unreachable", "destination")
SEVERAL = phrase("commands.go.several", "name", "names")
LOCKED = phrase("commands.go.locked", "door")
LOCKED_HINT = phrase("commands.go.locked_hint")
OPENS = phrase("commands.go.opens", "name")
OPENS_SEEN = phrase("commands.go.opens_seen", "actor", "name")
OPENS_BEYOND = phrase("commands.go.opens_beyond", "name")
LEAVES = phrase("commands.go.leaves", "actor", "destination")
ARRIVES = phrase("commands.go.arrives", "actor", "origin")


@command("go", "<way>", aliases=("walk", "move"), category="movement", keeps="short", for_models=True)
def go(ctx: Context, way: str) -> Outcome:
    """Take an exit, or walk all the way to a location by its name.

    A direction or the name of an exit alone does the same, unless it is the name of a command.

    Example: go lobby
    Example: north
    Example: gate
    """
    here = here_or_refuse(ctx)
    wanted = way[3:].strip() if way.casefold().startswith("to ") else way
    steps = _way(ctx, here, wanted)
    if is_locked(ctx.world, steps[0]):
        raise Refusal(ctx.say(LOCKED, door=_called(ctx, steps[0])), ctx.say(LOCKED_HINT))
    if leads_out(steps[0].to):
        return _out_of_this_world(ctx, here, steps[0])
    stations = [here, *(ctx.world.things[step.to] for step in steps)]
    goal = stations[-1]
    if len(steps) == 1:
        walked = ctx.say(WALKED, origin=here.name, destination=goal.name, exit=steps[0].name)
    else:
        passed = listed([station.name for station in stations[1:-1]])
        walked = ctx.say(WALKED_FAR, origin=here.name, destination=goal.name, passed=passed)
    opened = _opened(ctx, stations, steps)
    people = describe_people(ctx.world, ctx.say, goal, ctx.actor.id)
    seen = describe_location(ctx.world, ctx.say, goal, ctx.actor.id, [door.id for door, _, _ in opened], people)
    changes: list[Change] = [Put(ctx.actor.id, station.id) for station in stations[1:]]
    events = _events(ctx, stations)
    if opened:
        walked = " ".join([*(ctx.say(OPENS, name=called(door)) for door, _, _ in opened), walked])
        changes = [*(SetState(door.id, OPEN) for door, _, _ in opened), *changes]
        events = (*(event for door, one, other in opened for event in _seen(ctx, door, one, other)), *events)
    memory = " ".join([walked, *people])
    return Outcome(
        f"{walked}\n\n{seen}",
        kind="moved",
        memory=memory,
        changes=tuple(changes),
        events=events,
        actions=_actions(stations, opened),
    )


def _out_of_this_world(ctx: Context, here: Thing, step: Exit) -> Outcome:
    """Ask to be let out to another world; only its answer moves anybody, and says whether the way can be taken."""
    door = door_of(ctx.world, step)
    opened = [door] if door is not None and is_closed(ctx.world, door) else []
    asked = Request("travel", ctx.actor.id, ctx.step, {"to": step.to, "exit": step.name, "from": here.id}, "moved")
    return Outcome(
        " ".join(ctx.say(OPENS, name=called(one)) for one in opened),
        memory="",
        changes=tuple(SetState(one.id, OPEN) for one in opened),
        events=tuple(_seen(ctx, one, here, here)[0] for one in opened),
        requests=(asked,),
        actions=tuple(Action("open", here.id, one.id) for one in opened),
    )


def _called(ctx: Context, step: Exit) -> str:
    return called(ctx.world.things[step.door])


def _opened(ctx: Context, stations: list[Thing], steps: list[Exit]) -> list[tuple[Thing, Thing, Thing]]:
    """Return the closed doors on the way, each with the locations before and behind it."""
    if not any(step.door for step in steps):
        return []
    ways = zip(steps, pairwise(stations), strict=True)
    doors = [(door_of(ctx.world, step), *sides) for step, sides in ways if step.door]
    return [(door, one, other) for door, one, other in doors if door is not None and is_closed(ctx.world, door)]


def _seen(ctx: Context, door: Thing, one: Thing, other: Thing) -> tuple[Event, Event]:
    text = ctx.say(OPENS_SEEN, actor=ctx.actor.name, name=called(door))
    beyond = ctx.say(OPENS_BEYOND, name=called(door))
    return (
        Event("action", ctx.actor.id, one.id, text, thing=door.name),
        Event("action", ctx.actor.id, other.id, sentence(beyond), thing=door.name),
    )


def _actions(stations: list[Thing], opened: list[tuple[Thing, Thing, Thing]]) -> tuple[Action, ...]:
    walked = [(Action("leave", one.id), Action("enter", other.id)) for one, other in pairwise(stations)]
    return (*(Action("open", one.id, door.id) for door, one, _ in opened), *chain.from_iterable(walked))


def _way(ctx: Context, here: Thing, wanted: str) -> list[Exit]:
    """Return the exits to take. A full name goes before a partial one, and an exit before a location."""
    open_ways = [way for way in here.exits if leads_out(way.to) or ctx.world.location(way.to) is not None]
    named = find_exits(here, wanted)
    exits = [way for way in named if way in open_ways]
    if len(exits) == 1 and names_exit(wanted, exits[0]):
        return exits
    locations = [] if is_direction(wanted) else _locations(ctx, wanted)
    whole = len(locations) == 1 and plain(wanted) in map(plain, locations[0].names)
    if len(exits) == 1 and not whole:
        return exits
    if len(locations) == 1 and (whole or not exits):
        return _path(ctx, here, locations[0])
    shown = shortened(wanted, LONGEST_SHOWN)
    if not exits and not locations:
        if not is_direction(wanted) and match(wanted, ctx.world.present()):
            raise Refusal(ctx.say(NO_WAY_TO_PERSON, name=shown))
        why = ctx.say(LEADS_NOWHERE, exit=named[0].name) if named else ctx.say(NO_WAY, name=shown)
        names = ", ".join(way.name for way in open_ways)
        raise Refusal(why, ctx.say(NO_WAY_HINT, exits=names) if names else "")
    names = listed([found.name for found in exits] or [location.name for location in locations])
    raise Refusal(ctx.say(SEVERAL, name=shown, names=names))


def _locations(ctx: Context, wanted: str) -> list[Thing]:
    """Return the locations that a typed name matches best, without comparing it with all when it is a whole name."""
    whole = [one for one in ctx.world.named(plain(wanted)) if one.kind is Kind.LOCATION]
    return whole if len(whole) == 1 else match(wanted, ctx.world.locations())


def _path(ctx: Context, here: Thing, goal: Thing) -> list[Exit]:
    if goal.id == here.id:
        raise Refusal(ctx.say(ALREADY, destination=here.name))
    path = find_path(ctx.world, here.id, goal.id)
    if path is None:
        behind = find_path(ctx.world, here.id, goal.id, unlocked=False) or []
        if (shut := next((way for way in behind if way.door and is_locked(ctx.world, way)), None)) is not None:
            raise Refusal(ctx.say(LOCKED, door=_called(ctx, shut)), ctx.say(LOCKED_HINT))
        raise Refusal(ctx.say(UNREACHABLE, destination=goal.name))
    return path


def _events(ctx: Context, stations: list[Thing]) -> tuple[Event, ...]:
    actor, events = ctx.actor, []
    for origin, destination in pairwise(stations):
        leaves = ctx.say(LEAVES, actor=actor.name, destination=destination.name)
        arrives = ctx.say(ARRIVES, actor=actor.name, origin=origin.name)
        events.append(Event("departure", actor.id, origin.id, leaves, destination=destination.name))
        events.append(Event("arrival", actor.id, destination.id, arrives, origin=origin.name))
    return tuple(events)
