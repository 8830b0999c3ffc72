"""Looking around, examining things, and listing people and locations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mud.commands._command import Context, Outcome, command
from mud.commands._here import describe_location, here_or_refuse, refuse_name, shown_name
from mud.world.events import Event
from mud.world.matching import match, plain
from mud.world.narration import called, listed, phrase
from mud.world.reactions import Action
from mud.world.sentences import sentences
from mud.world.sight import has_state, is_closed, is_dark, looks, reach, shows_content
from mud.world.things import Kind, Thing
from mud.world.traits import LIT, ON, OPEN, WORN

PLAIN = phrase("commands.examine.plain", "name")
EXAMINED = phrase("commands.examine.examined", "name", "description")
ASLEEP = phrase("commands.examine.asleep", "name")
CARRIES = phrase("commands.examine.carries", "name", "items")
CLOSED = phrase("commands.examine.closed")
STATE = phrase("commands.examine.state", "states")
HELD = phrase("commands.examine.held", "relation", "name", "items")
EMPTY = phrase("commands.examine.empty", "relation", "name")
READABLE = phrase("commands.examine.readable")
SEEN = phrase("commands.examine.seen", "actor", "name")
PERSON = phrase("commands.who.person", "name", "location")
MIND = phrase("commands.who.mind", "name", "location")
MARKED = phrase("commands.who.marked", "name")
TRAVELS = phrase("commands.who.travels", "name", "place")
ELSEWHERE = phrase("commands.who.elsewhere", "name", "place")
WHERE = phrase("commands.where.where", "location", "id")
LOCATION = phrase("commands.locations.location", "name")
LOCATION_PEOPLE = phrase("commands.locations.with_people", "name", "people")
_LOOKS = re.compile(r"(?:at|in|into|inside)\s+", re.I)
_SHORTEST_DETAIL = 3  # characters that a word needs to be searched in the description of a location


@command("look", "[name]", aliases=("l",), category="query", for_models=True)
def look(ctx: Context, name: str) -> Outcome:
    """See where you are: what it looks like, what lies there, who is there, and the exits.

    With a name it is the same as examine.

    Example: look
    """
    here = here_or_refuse(ctx)
    if name:
        return _examined(ctx, name[found.end() :] if (found := _LOOKS.match(name)) else name)
    seen = describe_location(ctx.world, ctx.say, here, ctx.actor.id)
    return Outcome(seen, kind="result", actions=(Action("look", here.id),))


@command("examine", "<name>", aliases=("ex", "x"), category="query", for_models=True)
def examine(ctx: Context, name: str) -> Outcome:
    """Look closely at a thing or a person here, at what you carry, at yourself (me) or the place (here).

    An id, such as #1101, means what it is the id of, here and wherever a name is typed.

    Example: examine me
    Example: x here
    """
    return _examined(ctx, name)


def _examined(ctx: Context, name: str) -> Outcome:
    here = here_or_refuse(ctx)
    target = _target(ctx, here, name)
    if target is None:
        return Outcome(_detail(ctx, here, name), kind="result")
    if target.id == here.id:
        return Outcome(describe_location(ctx.world, ctx.say, here, ctx.actor.id), kind="result")
    text = _described(ctx, target)
    seen = ctx.say(SEEN, actor=ctx.actor.name, name=called(target))
    others_see = Event("action", ctx.actor.id, here.id, seen, thing=target.name)
    events = (others_see,) if target.id != ctx.actor.id else ()
    return Outcome(text, kind="result", events=events, actions=(Action("examine", here.id, target.id),))


def _target(ctx: Context, here: Thing, name: str) -> Thing | None:
    """Return the thing that is meant; None when only the location's description mentions it."""
    word = name.casefold()
    if word in ("me", "self", "myself"):
        return ctx.actor
    if word in ("here", "around"):
        return here
    found = match(name, [*reach(ctx.world, ctx.actor.id), ctx.actor])
    if len(found) == 1:
        return found[0]
    if not found:
        if match(name, [here]):
            return here
        if _detail(ctx, here, name):
            return None
    raise refuse_name(ctx, name, found)


def _detail(ctx: Context, here: Thing, name: str) -> str:
    """Return the sentences of what one sees of a location that mention a name."""
    wanted = plain(name)
    if len(wanted) < _SHORTEST_DETAIL:
        return ""
    seen = "" if is_dark(ctx.world, here) else looks(ctx.world, here, ctx.actor.id)
    word = re.compile(rf"\b{re.escape(wanted)}", re.I)
    return " ".join(sentence for sentence in sentences(seen) if word.search(sentence))


def _described(ctx: Context, target: Thing) -> str:
    if description := looks(ctx.world, target, ctx.actor.id):
        lines = [ctx.say(EXAMINED, name=target.name, description=description)]
    else:
        lines = [ctx.say(PLAIN, name=target.name)]
    if target.id in ctx.world.asleep:
        lines.append(ctx.say(ASLEEP, name=target.name))
    if target.kind is Kind.ITEM:
        lines += _workings(ctx, target)
    if target.kind is Kind.CHARACTER and (carried := ctx.world.items(target.id)):
        lines.append(ctx.say(CARRIES, name=target.name, items=listed([called(item) for item in carried])))
    return "\n".join(lines)


def _workings(ctx: Context, target: Thing) -> list[str]:
    """Return what one sees of a thing that works: its state, what it holds, that it can be read."""
    world, traits, lines = ctx.world, target.traits, []
    states = [state for state in (OPEN, LIT, ON, WORN) if has_state(world, target.id, state)]
    if is_closed(world, target):
        states.insert(0, ctx.say(CLOSED))
    if states:
        lines.append(ctx.say(STATE, states=listed(states)))
    if shows_content(world, target):
        held = listed([called(one) for one in world.items(target.id)])
        nothing = ctx.say(EMPTY, relation=traits.holds, name=called(target))
        lines.append(ctx.say(HELD, relation=traits.holds, name=called(target), items=held) if held else nothing)
    return [*lines, ctx.say(READABLE)] if traits.writing else lines


@command("who", category="query", keeps="skip")
def who(ctx: Context) -> Outcome:
    """See who is in the world and where, a line each; minds of the program are marked [AI].

    Who went to another world is there too, but for those who came from there.

    Example: who
    """
    lines = []
    for one in ctx.world.present():
        location = ctx.world.location_of(one.id)
        place, name = location.name if location else "?", shown_name(ctx.world, ctx.say, one)
        lines.append(ctx.say(MIND if one.thinks else PERSON, name=name, location=place))
    return Outcome("\n".join([*lines, *sorted(_travellers(ctx), key=str.lower)]))


def _travellers(ctx: Context) -> Iterator[str]:
    for who, journey in ctx.world.elsewhere.items():
        one = ctx.world.get(who)
        if one is not None and not (journey.settled and journey.home):
            name = ctx.say(MARKED, name=one.name) if one.thinks else one.name
            yield ctx.say(ELSEWHERE if journey.settled else TRAVELS, name=name, place=journey.goal.place)


@command("where", category="query", keeps="skip")
def where(ctx: Context) -> Outcome:
    """See the name and the id of where you are.

    Example: where
    """
    here = here_or_refuse(ctx)
    return Outcome(ctx.say(WHERE, location=here.name, id=here.id))


@command("locations", aliases=("rooms",), category="query", keeps="skip")
def locations(ctx: Context) -> Outcome:
    """See every location of the world and who is there.

    Example: locations
    """
    lines = []
    for location in ctx.world.locations():
        names = [shown_name(ctx.world, ctx.say, person) for person in ctx.world.people(location.id)]
        lines.append(ctx.say(LOCATION_PEOPLE if names else LOCATION, name=location.name, people=listed(names)))
    return Outcome("\n".join(lines))
