"""`@bootstrap-summaries`: make the first summaries of an imported or hand-written memory."""

from __future__ import annotations

from agents.commands._answer import answers, ask_about, asked_about
from agents.commands.rebuild import made
from agents.compaction.rebuild import BOOTSTRAP
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.world.events import Request
from mud.world.roles import Role


@command("@bootstrap-summaries", "[name]", role=Role.GUEST, category="memory", keeps="skip")
def bootstrap_summaries(ctx: Context, name: str) -> Outcome:
    """Make the first summaries of your life at once, however long it is: of everything but the newest memories.

    It is for a life that was imported or written by hand. Where there are summaries already, @rebuild-summaries makes
    them anew. The owner may name anybody.

    Example: @bootstrap-summaries
    """
    return ask_about(ctx, name, BOOTSTRAP)


@answers(BOOTSTRAP)
async def bootstrap(minds: Population, request: Request) -> Outcome:
    return await made(minds, asked_about(minds, request), BOOTSTRAP)
