"""Listing the people in the world, the own location, and all locations."""

from __future__ import annotations

from mud.commands._command import Context, Outcome, command
from mud.commands._find import here_or_refuse
from mud.commands._view import shown_name
from mud.world.narration import listed, phrase
from mud.world.things import Thing

PERSON = phrase("commands.who.person", "name", "location")
MIND = phrase("commands.who.mind", "name", "location")
WHERE = phrase("commands.where.where", "location", "id")
LOCATION = phrase("commands.locations.location", "name")
LOCATION_PEOPLE = phrase("commands.locations.with_people", "name", "people")


@command("who", category="query", keeps="skip")
def who(ctx: Context) -> Outcome:
    """See who is in the world and where, a line each; minds of the program are marked [AI].

    Example: who
    """
    lines = []
    for one in ctx.world.present():
        location = ctx.world.location_of(one.id)
        lines.append(
            ctx.say(
                MIND if one.thinks else PERSON,
                name=shown_name(ctx.world, ctx.say, one),
                location=location.name if location else "?",
            )
        )
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
    return Outcome("\n".join(_line(ctx, location) for location in ctx.world.locations()))


def _line(ctx: Context, location: Thing) -> str:
    names = [shown_name(ctx.world, ctx.say, person) for person in ctx.world.people(location.id)]
    if not names:
        return ctx.say(LOCATION, name=location.name)
    return ctx.say(LOCATION_PEOPLE, name=location.name, people=listed(names))
