"""`dream`: dream of past events."""

from __future__ import annotations

from agents.commands._answer import answers
from agents.population.population import Population
from agents.reflection import dreams
from mud.commands import Context, Outcome, command
from mud.world.events import Event, Request
from mud.world.narration import phrase

SEEN = phrase("minds.dream.seen", "actor")
DREAMT = phrase("minds.dream.dreamt", "text")


@command("dream", category="memory", keeps="skip", for_models=True)
def dream(ctx: Context) -> Outcome:
    """Drift off into a dream of what you lived through, mixed up as dreams are. Others see you lost in thought.

    You remember it as a dream, and the last ones stand in your note "Dreams"; nobody takes one for something that
    happened.

    Example: dream
    """
    here = ctx.here
    seen = (Event("action", ctx.actor.id, here.id, ctx.say(SEEN, actor=ctx.actor.name)),) if here else ()
    asked = Request("dream", ctx.actor.id, ctx.step, {"reason": ctx.reason or ""}, keep="dream")
    return Outcome("", events=seen, requests=(asked,))


@answers("dream")
async def tell_dream(minds: Population, request: Request) -> Outcome:
    agent = minds.of(request)
    told = await minds.inner.dream(agent)
    here = minds.world.location_of(agent.id) if minds.world is not None else None
    minds.inner.write_down(agent, told, here.name if here else None)
    return Outcome(minds.say(DREAMT, text=told), memory=minds.say(dreams.REMEMBERED, dream=told))
