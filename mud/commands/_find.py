"""Finding the thing that a player names among those within reach."""

from __future__ import annotations

from collections.abc import Sequence

from mud.commands._command import Context
from mud.errors import Refusal
from mud.world.matching import match
from mud.world.narration import listed, phrase, shortened
from mud.world.things import Thing

NOT_HERE = phrase("commands.find.not_here", "name")
NOT_HERE_HINT = phrase("commands.find.not_here_hint")
THIS_PLACE = phrase("commands.find.this_place", "location")
OTHER_PLACE = phrase("commands.find.other_place", "location")
OTHER_PLACE_HINT = phrase("commands.find.other_place_hint", "location")
SEVERAL = phrase("commands.find.several", "name", "names")
NOWHERE = phrase("commands.find.nowhere")
LONGEST_SHOWN = 60
"""Characters."""


def here_or_refuse(ctx: Context) -> Thing:
    """Return the actor's location; raises Refusal without one."""
    here = ctx.here
    if here is None:
        raise Refusal(ctx.say(NOWHERE))
    return here


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
