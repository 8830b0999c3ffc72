"""`@impersonate`: show the prompt that an agent's model would get now."""

from __future__ import annotations

from agents.commands._answer import answers, ask_about, asked_about
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.errors import Refusal
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

NO_WORLD = phrase("minds.impersonate.no_world")


@command("@impersonate", "<name>", aliases=("@imp",), role=Role.OWNER, category="admin", keeps="skip")
def impersonate(ctx: Context, name: str) -> Outcome:
    """See the exact prompt an agent would get now: who it is, its summaries, what it remembers, where it stands.

    Example: @impersonate Eliza
    """
    return ask_about(ctx, name, "impersonate")


@answers("impersonate")
async def show_prompt(minds: Population, request: Request) -> Outcome:
    agent = asked_about(minds, request)
    if minds.prompt_of is None:
        raise Refusal(minds.say(NO_WORLD))
    return Outcome((await minds.prompt_of(agent)).text)
