"""`@edit-interval`: choose how often an agent thinks."""

from __future__ import annotations

import math

from agents.commands._answer import answers, asked_about
from agents.commands._count import seconds as counted
from agents.commands._edit import mind_only, set_key
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.errors import Refusal
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

SET = phrase("minds.interval.set", "name", "interval", "file")
BOUNDS = phrase("minds.interval.bounds", "least", "most", "text")
WHICH = phrase("minds.interval.which")

KEY = "think_interval"
LEAST, MOST = 1, 86_400
"""Seconds; the bounds of the setting."""


@command("@edit-interval", "<name> <seconds>", role=Role.OWNER, category="admin", keeps="skip")
def edit_interval(ctx: Context, name: str) -> Outcome:
    """Choose after how many seconds somebody thinks again, from 1 to 86400. It is written into their agent.md.

    Whoever is spoken to thinks sooner.

    Example: @edit-interval Eliza 8
    """
    who, _, seconds = name.rpartition(" ")
    if not who:
        raise Refusal(ctx.say(WHICH))
    args = {"name": who.strip(), "seconds": seconds}
    return Outcome("", requests=(Request("edit_interval", ctx.actor.id, ctx.step, args),))


@answers("edit_interval")
async def edit(minds: Population, request: Request) -> Outcome:
    agent = mind_only(minds, asked_about(minds, request))
    seconds = _seconds(minds, request.args["seconds"])
    set_key(minds, agent, KEY, int(seconds) if seconds == int(seconds) else seconds)
    return Outcome(minds.say(SET, name=agent.name, interval=counted(minds.say, seconds), file=agent.definition.file))


def _seconds(minds: Population, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not LEAST <= seconds <= MOST:
        raise Refusal(minds.say(BOUNDS, least=LEAST, most=MOST, text=text))
    return round(seconds, 3)
