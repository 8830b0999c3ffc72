"""Looking around, examining things, and listing people and locations."""

from __future__ import annotations

import re

from mud.commands._command import Context, Outcome, command
from mud.commands._here import describe_location, here_or_refuse, refuse_name, shown_name
from mud.world.events import Event
from mud.world.matching import match, plain
from mud.world.narration import called, listed, phrase
from mud.world.sentences import sentences
from mud.world.things import Kind, Thing

PLAIN = phrase("commands.examine.plain", "name")
EXAMINED = phrase("commands.examine.examined", "name", "description")
ASLEEP = phrase("commands.examine.asleep", "name")
CARRIES = phrase("commands.examine.carries", "name", "items")
SEEN = phrase("commands.examine.seen", "actor", "name")
PERSON = phrase("commands.who.person", "name", "location")
MIND = phrase("commands.who.mind", "name", "location")
WHERE = phrase("commands.where.where", "location", "id")
LOCATION = phrase("commands.locations.location", "name")
LOCATION_PEOPLE = phrase("commands.locations.with_people", "name", "people")
_SHORTEST_DETAIL = 3  # characters that a word needs to be searched in the description of a location


@command("look", "[name]", aliases=("l",), category="query", for_models=True)
def look(ctx: Context, name: str) -> Outcome:
    """See where you are: what it looks like, what lies there, who is there, and the exits.

    With a name it is the same as examine.

    Example: look
    """
    here = here_or_refuse(ctx)
    if name:
        return _examined(ctx, name[3:].strip() if name.casefold().startswith("at ") else name)
    return Outcome(describe_location(ctx.world, ctx.say, here, ctx.actor.id), kind="result")


@command("examine", "<name>", aliases=("ex", "x"), category="query", for_models=True)
def examine(ctx: Context, name: str) -> Outcome:
    """Look closely at a thing or a person that is here, at what you carry, at yourself (me) or at the place (here).

    An id, such as #1101, means what it is the id of, here and wherever a name is typed.

    Example: examine me
    Example: x here
    """
    return _examined(ctx, name)


def _examined(ctx: Context, name: str) -> Outcome:
    here = here_or_refuse(ctx)
    target = _target(ctx, here, name)
    if target is None:
        return Outcome(_detail(here, name), kind="result")
    if target.id == here.id:
        return Outcome(describe_location(ctx.world, ctx.say, here, ctx.actor.id), kind="result")
    text = _described(ctx, target)
    seen = ctx.say(SEEN, actor=ctx.actor.name, name=called(target))
    others_see = Event("action", ctx.actor.id, here.id, seen, thing=target.name)
    return Outcome(text, kind="result", events=(others_see,) if target.id != ctx.actor.id else ())


def _target(ctx: Context, here: Thing, name: str) -> Thing | None:
    """Return the thing that is meant; None when only the location's description mentions it."""
    word = name.casefold()
    if word in ("me", "self", "myself"):
        return ctx.actor
    if word in ("here", "around"):
        return here
    reach = [*ctx.world.contents(here.id), *ctx.world.contents(ctx.actor.id)]
    found = match(name, reach)
    if len(found) == 1:
        return found[0]
    if not found:
        if match(name, [here]):
            return here
        if _detail(here, name):
            return None
    raise refuse_name(ctx, name, found)


def _detail(here: Thing, name: str) -> str:
    """Return the sentences of a location's description that mention a name."""
    wanted = plain(name)
    if len(wanted) < _SHORTEST_DETAIL:
        return ""
    word = re.compile(rf"\b{re.escape(wanted)}", re.I)
    return " ".join(sentence for sentence in sentences(here.description) if word.search(sentence))


def _described(ctx: Context, target: Thing) -> str:
    if target.description:
        lines = [ctx.say(EXAMINED, name=target.name, description=target.description)]
    else:
        lines = [ctx.say(PLAIN, name=target.name)]
    if target.id in ctx.world.asleep:
        lines.append(ctx.say(ASLEEP, name=target.name))
    if target.kind is Kind.CHARACTER and (carried := ctx.world.items(target.id)):
        lines.append(ctx.say(CARRIES, name=target.name, items=listed([called(item) for item in carried])))
    return "\n".join(lines)


@command("who", category="query", keeps="skip")
def who(ctx: Context) -> Outcome:
    """See who is in the world and where, a line each; minds of the program are marked [AI].

    Example: who
    """
    lines = []
    for one in ctx.world.present():
        location = ctx.world.location_of(one.id)
        place, name = location.name if location else "?", shown_name(ctx.world, ctx.say, one)
        lines.append(ctx.say(MIND if one.thinks else PERSON, name=name, location=place))
    return Outcome("\n".join(lines))


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
