"""The map of what one has seen, drawn with characters or told in words."""

from __future__ import annotations

from mud.commands._command import Context, Outcome, command
from mud.commands._here import here_or_refuse
from mud.errors import Refusal
from mud.world.map import Map, draw_map
from mud.world.narration import phrase
from mud.world.roles import Role
from mud.world.text_map import Drawing, sketch
from mud.world.things import Exit, Thing

HERE = phrase("commands.map.here", "location")
LOCATION = phrase("commands.map.location", "location", "ways")
WAY = phrase("commands.map.way", "exit", "location")
OPEN = phrase("commands.map.open", "exit")
NO_WAY = phrase("commands.map.no_way")
HOW = phrase("commands.map.how", "words")
HOW_HINT = phrase("commands.map.how_hint")
WORDS = "words"
WINDOW = (72, 60)
"""Columns and rows of a drawing at most."""


@command("map", "[words]", role=Role.GUEST, category="movement", keeps="skip")
def show_map(ctx: Context, words: str) -> Outcome:
    """See a map of where you have been: @ is where you are, ? is a way on that you have not taken.

    When the names leave no room, the places are small boxes. In words, each place is a line with its exits.

    Example: map
    Example: map words
    """
    here = here_or_refuse(ctx)
    known = {*ctx.world.visited(ctx.actor.id), here.id}
    if words.casefold() == WORDS:
        return Outcome(_told(ctx, here, known))
    if words:
        raise Refusal(ctx.say(HOW, words=words), ctx.say(HOW_HINT))
    return Outcome(f"{_drawn(draw_map(ctx.world, known), here).text}\n{ctx.say(HERE, location=here.name)}")


def _drawn(map: Map, here: Thing) -> Drawing:
    """Draw a map with names if these have room, and around where one is if all of it has none."""
    named = sketch(map, here.id, names=True)
    fits = named.size[0] <= WINDOW[0] and named.size[1] <= WINDOW[1]
    return named if fits else sketch(map, here.id, names=False, window=WINDOW)


def _told(ctx: Context, here: Thing, known: set[str]) -> str:
    """Return a line for where one is, and then one for each other place that is known, by name."""
    places = [one for one in ctx.world.locations() if one.id in known and one.id != here.id]
    lines = []
    for one in (here, *places):
        ways = ", ".join(_way(ctx, way, known) for way in one.exits) or ctx.say(NO_WAY)
        lines.append(ctx.say(LOCATION, location=one.name, ways=ways))
    return "\n".join([ctx.say(HERE, location=here.name), *lines])


def _way(ctx: Context, way: Exit, known: set[str]) -> str:
    to = ctx.world.location(way.to)
    if to is None or to.id not in known:
        return ctx.say(OPEN, exit=way.name)
    return ctx.say(WAY, exit=way.name, location=to.name)
