"""`@pause` and `@resume`: stop and restart the thinking of one agent or all."""

from __future__ import annotations

from agents.agent import Agent
from agents.commands._answer import answers, asked_about
from agents.commands._edit import mind_only
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.world.events import Request
from mud.world.narration import Phrase, phrase
from mud.world.roles import Role

PAUSED = phrase("minds.pause.paused", "name")
PAUSED_ALL = phrase("minds.pause.paused_all")
RESUMED = phrase("minds.pause.resumed", "name")
RESUMED_ALL = phrase("minds.pause.resumed_all")
IS_PAUSED = phrase("minds.pause.is_paused", "name")


@command("@pause", "[name]", role=Role.OWNER, category="admin", keeps="skip")
def pause(ctx: Context, name: str) -> Outcome:
    """Let somebody, or without a name everybody, not think until @resume. What happens around them they remember.

    A thought that is under way comes to nothing. When the world is opened again, everybody thinks.

    Example: @pause Eliza
    Example: @pause
    """
    return Outcome("", requests=(Request("pause", ctx.actor.id, ctx.step, {"name": name}),))


@command("@resume", "[name]", role=Role.OWNER, category="admin", keeps="skip")
def resume(ctx: Context, name: str) -> Outcome:
    """Let somebody, or without a name everybody, think again after @pause.

    Example: @resume
    """
    return Outcome("", requests=(Request("resume", ctx.actor.id, ctx.step, {"name": name}),))


@answers("pause")
async def do_pause(minds: Population, request: Request) -> Outcome:
    return _set(minds, request, paused=True, one=PAUSED, everybody=PAUSED_ALL)


@answers("resume")
async def do_resume(minds: Population, request: Request) -> Outcome:
    return _set(minds, request, paused=False, one=RESUMED, everybody=RESUMED_ALL)


def _set(minds: Population, request: Request, *, paused: bool, one: Phrase, everybody: Phrase) -> Outcome:
    if not request.args["name"]:
        minds.resting.pause_all(paused=paused)
        return Outcome(minds.say(everybody))
    agent = mind_only(minds, asked_about(minds, request))
    minds.resting.pause(agent.slug, paused=paused)
    return Outcome(minds.say(one, name=agent.name))


def pause_of(minds: Population, agent: Agent) -> str:
    """Return a message when an agent is paused; else empty."""
    paused = not agent.definition.person and minds.resting.paused(agent.slug)
    return minds.say(IS_PAUSED, name=agent.name) if paused else ""
