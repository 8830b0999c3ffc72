"""`@possess` and `@release`: control an agent's character."""

from __future__ import annotations

from agents.commands._answer import answers, asked_about
from agents.population.population import Population, Possession
from mud.commands import Context, Outcome, command
from mud.errors import Refusal
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

POSSESSED = phrase("minds.possess.possessed", "name")
ALREADY = phrase("minds.possess.already", "name")
ONESELF = phrase("minds.possess.oneself")
PERSON = phrase("minds.possess.person", "name")
AWAY = phrase("minds.possess.away", "name")
RELEASED = phrase("minds.possess.released", "name")
NOBODY = phrase("minds.possess.nobody")


@command("@possess", "<name>", role=Role.OWNER, category="admin", keeps="skip")
def possess(ctx: Context, name: str) -> Outcome:
    """Take over an agent: what you type it does, what it perceives you see, and its own thinking rests.

    It remembers all that as its own. @release gives it back, and so does quit, which ends your visit as ever. Whoever
    sleeps wakes when you have them do something.

    Example: @possess Eliza
    """
    return Outcome("", requests=(Request("possess", ctx.actor.id, ctx.step, {"name": name}),))


@command("@release", role=Role.OWNER, category="admin", keeps="skip")
def release(ctx: Context) -> Outcome:
    """Give back the agent that you took over with @possess; from now on it thinks for itself again.

    Example: @release
    """
    return Outcome("", requests=(Request("release", ctx.actor.id, ctx.step),))


@answers("possess")
async def take_over(minds: Population, request: Request) -> Outcome:
    held, say = minds.resting.possession, minds.say
    if held is not None:
        raise Refusal(say(ALREADY, name=held.name))
    agent = asked_about(minds, request)
    if agent.id == request.who:
        raise Refusal(say(ONESELF))
    if agent.definition.person:
        raise Refusal(say(PERSON, name=agent.name))
    if minds.world is None or minds.world.location_of(agent.id) is None:
        raise Refusal(say(AWAY, name=agent.name))
    minds.resting.possession = Possession(agent.slug, agent.id, agent.name, request.who)
    return Outcome(say(POSSESSED, name=agent.name))


@answers("release")
async def give_back(minds: Population, request: Request) -> Outcome:
    held = minds.resting.leads(request.who)
    if held is None:
        raise Refusal(minds.say(NOBODY))
    minds.resting.possession = None
    return Outcome(minds.say(RELEASED, name=held.name))
